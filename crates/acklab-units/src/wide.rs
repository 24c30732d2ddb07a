//! A product divided, as if with as many bits as that takes.

/// `a * b / c`, rounded down; [`u64::MAX`] if that is more than 64 bits hold.
///
/// Where 64 bits hold the product, as nearly always, they are used: a division of 128 bits is a call.
///
/// # Panics
/// If `c` is zero.
#[inline]
pub const fn mul_div(a: u64, b: u64, c: u64) -> u64 {
    match a.checked_mul(b) {
        Some(product) => product / c,
        None => wide(a, b, c, 0),
    }
}

/// The same, rounded up.
///
/// # Panics
/// If `c` is zero.
#[inline]
pub const fn mul_div_ceil(a: u64, b: u64, c: u64) -> u64 {
    match a.checked_mul(b) {
        Some(product) => product.div_ceil(c),
        None => wide(a, b, c, c - 1),
    }
}

/// `(a * b + plus) / c`.
#[cold]
const fn wide(a: u64, b: u64, c: u64, plus: u64) -> u64 {
    let wide = (a as u128 * b as u128 + plus as u128) / c as u128;
    if wide > u64::MAX as u128 {
        u64::MAX
    } else {
        wide as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Numbers of all lengths: those drawn evenly are nearly all long.
    fn number() -> impl Strategy<Value = u64> {
        (any::<u64>(), 0u32..64).prop_map(|(n, shift)| n >> shift)
    }

    proptest! {
        #[test]
        fn as_with_twice_the_bits(a in number(), b in number(), c in number()) {
            let c = c.max(1);
            let product = u128::from(a) * u128::from(b);
            let most = u128::from(u64::MAX);
            prop_assert_eq!(u128::from(mul_div(a, b, c)), (product / u128::from(c)).min(most));
            prop_assert_eq!(u128::from(mul_div_ceil(a, b, c)), product.div_ceil(u128::from(c)).min(most));
        }
    }
}
