//! From bandwidth and gain to a pacing rate.

use super::{Arithmetic, Ratio};
use acklab_units::{Rate, Span};

/// Pace this many percent below the estimated bandwidth, so that queues shrink on average
/// (`bbr_pacing_margin_percent`; `PacingMarginPercent` in the draft).
pub const PACING_MARGIN_PERCENT: u64 = 1;
/// Round-trip time assumed before the first sample.
pub const NOMINAL_RTT: Span = Span::from_millis(1);

/// The pacing rate and how it starts.
#[derive(Clone, Debug)]
pub struct Pacing {
    arithmetic: Arithmetic,
    rate: Rate,
    has_seen_rtt: bool,
}

impl Pacing {
    /// The rate at which `cwnd` bytes leave in one round trip, times `gain`; `srtt` if a sample
    /// exists already, else [`NOMINAL_RTT`].
    pub fn new(arithmetic: Arithmetic, cwnd: u64, srtt: Option<Span>, gain: Ratio) -> Self {
        let mut p = Self {
            arithmetic,
            rate: Rate::ZERO,
            has_seen_rtt: false,
        };
        p.init_from_rtt(cwnd, srtt, gain);
        p
    }

    /// Bits per second.
    pub fn rate(&self) -> Rate {
        self.rate
    }

    /// Starts over from the first measured round-trip time. Later calls change nothing.
    pub fn on_rtt(&mut self, cwnd: u64, srtt: Option<Span>, gain: Ratio) {
        if !self.has_seen_rtt && srtt.is_some() {
            self.init_from_rtt(cwnd, srtt, gain);
        }
    }

    /// Paces at `gain * bw`. Until the pipe is known to be full the rate only rises: early samples
    /// say more about a small window than about the path.
    pub fn set(&mut self, bw: Rate, gain: Ratio, full_bw_reached: bool) {
        let rate = self.arithmetic.paced(bw, gain);
        if full_bw_reached || rate > self.rate {
            self.rate = rate;
        }
    }

    fn init_from_rtt(&mut self, cwnd: u64, srtt: Option<Span>, gain: Ratio) {
        self.has_seen_rtt = srtt.is_some();
        let rtt = srtt.unwrap_or(NOMINAL_RTT).max(Span::from_micros(1));
        let bw = self
            .arithmetic
            .sample(cwnd, rtt, false)
            .unwrap_or(Rate::ZERO);
        self.rate = self.arithmetic.paced(bw, gain);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EXACT: Arithmetic = Arithmetic::new(1448, 1, false);
    const HIGH: Ratio = Ratio::per_256(739);

    #[test]
    fn starts_with_the_initial_window_per_round_trip() {
        let p = Pacing::new(EXACT, 14_480, None, Ratio::ONE);
        assert_eq!(p.rate().as_bps(), 14_480 * 8 * 1000 * 99 / 100);
    }

    #[test]
    fn the_first_rtt_replaces_the_nominal_one_even_downwards() {
        let mut p = Pacing::new(EXACT, 14_480, None, HIGH);
        let nominal = p.rate();
        p.on_rtt(14_480, Some(Span::from_millis(48)), HIGH);
        assert_eq!(p.rate().as_bps() / 1000, nominal.as_bps() / 48 / 1000);
        let first = p.rate();
        p.on_rtt(14_480, Some(Span::from_millis(1)), HIGH);
        assert_eq!(p.rate(), first);
    }

    #[test]
    fn only_rises_before_the_pipe_is_full() {
        let mut p = Pacing::new(EXACT, 10_000, Some(Span::from_millis(10)), Ratio::ONE);
        let start = p.rate();
        p.set(Rate::from_bps(1000), Ratio::ONE, false);
        assert_eq!(p.rate(), start);
        p.set(Rate::from_bps(1000), Ratio::ONE, true);
        assert_eq!(p.rate().as_bps(), 990);
    }
}
