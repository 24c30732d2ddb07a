//! Volumes in whole packets.

/// `x` bytes rounded up to whole packets of `mss` bytes.
pub const fn round_up(x: u64, mss: u64) -> u64 {
    x.div_ceil(mss).saturating_mul(mss)
}

/// `x` bytes rounded down to whole units of `unit` bytes; [`u64::MAX`], which stands for "no bound",
/// stays as it is.
pub const fn round_down(x: u64, unit: u64) -> u64 {
    if x == u64::MAX { x } else { x - x % unit }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_packets_stay_whole() {
        assert_eq!(round_up(0, 1448), 0);
        assert_eq!(round_up(1448, 1448), 1448);
        assert_eq!(round_up(1449, 1448), 2896);
        assert_eq!(round_down(2895, 1448), 1448);
        assert_eq!(round_down(2895, 1), 2895);
        assert_eq!(round_down(u64::MAX, 1448), u64::MAX);
    }
}
