//! Numbers with 64 bits inside and few on the wire (RFC 9000 section 17.1 and appendix A).

/// Bytes in which the peer can tell `number` from its neighbours, if `known` is the largest that it is
/// known to have seen. The range is eight times what may be under way, where RFC 9000 asks for twice,
/// and never of one byte: nothing here catches a number that was expanded wrongly because its packet
/// was overtaken, as an AEAD does.
pub const fn number_len(number: u64, known: u64) -> u8 {
    let under_way = number.saturating_sub(known).saturating_add(1);
    match under_way {
        0..=0x1fff => 2,
        0x2000..=0x1f_ffff => 3,
        _ => 4,
    }
}

/// The last `bytes` bytes of `number`.
pub const fn truncate(number: u64, bytes: u8) -> u64 {
    if bytes >= 8 {
        return number;
    }
    number & ((1 << (8 * bytes as u32)) - 1)
}

/// The number that ends in the `bytes` bytes of `truncated` and lies nearest to `expected`.
pub const fn expand(truncated: u64, bytes: u8, expected: u64) -> u64 {
    if bytes >= 8 {
        return truncated;
    }
    let window = 1u64 << (8 * bytes as u32);
    let half = window / 2;
    let candidate = (expected & !(window - 1)) | (truncated & (window - 1));
    if candidate.saturating_add(half) <= expected && candidate < u64::MAX - window {
        candidate + window
    } else if candidate > expected.saturating_add(half) && candidate >= window {
        candidate - window
    } else {
        candidate
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_example_of_rfc_9000_appendix_a_3() {
        assert_eq!(expand(0x9b32, 2, 0xa82f_30ea + 1), 0xa82f_9b32);
    }

    #[test]
    fn a_length_holds_an_eighth_of_its_range() {
        assert_eq!(number_len(0x1ffe, 0), 2);
        assert_eq!(number_len(0x1fff, 0), 3);
        assert_eq!(number_len(0x1fff, 1), 2);
        assert_eq!(number_len(1 << 40, 0), 4);
    }

    proptest! {
        /// Whatever the receiver expects between the oldest number that may be missing and far beyond
        /// this one, which was overtaken, the number comes out again.
        #[test]
        fn truncation_reconstructs(known in 0u64..(1 << 60), ahead in 0u64..(1 << 28), at in 0.0..4.0f64) {
            let number = known + ahead;
            let bytes = number_len(number, known);
            let expected = known + (ahead as f64 * at) as u64 + 1;
            prop_assert_eq!(expand(truncate(number, bytes), bytes, expected), number);
        }

        #[test]
        fn expansion_never_overflows(t in any::<u64>(), bytes in 1u8..=8, expected in any::<u64>()) {
            let got = expand(t, bytes, expected);
            prop_assert_eq!(truncate(got, bytes), truncate(t, bytes));
        }
    }
}
