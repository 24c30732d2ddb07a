//! ns-3's random numbers: the combined recursive generator MRG32k3a (L'Ecuyer, "Good parameters and
//! implementations for combined multiple recursive random number generators", 1999).

const M1: i64 = 4_294_967_087;
const M2: i64 = 4_294_944_443;

/// The stream from which every `TcpBbr` (and the port of BBRv3) draws, whatever else is random in a run: stream 4 of those
/// assigned by hand (they begin at 2^63), seed 1, run 1.
#[derive(Clone, Debug)]
pub(in crate::cc) struct Draws {
    first: [i64; 3],
    second: [i64; 3],
}

impl Default for Draws {
    fn default() -> Self {
        Self {
            first: [2_548_419_626, 1_128_584_722, 1_145_888_891],
            second: [1_646_421_083, 455_944_037, 1_827_933_959],
        }
    }
}

impl Draws {
    /// A number from `[0, 1)`.
    pub fn unit(&mut self) -> f64 {
        let p = (1_403_580 * self.first[1] - 810_728 * self.first[0]).rem_euclid(M1);
        let q = (527_612 * self.second[2] - 1_370_589 * self.second[0]).rem_euclid(M2);
        self.first = [self.first[1], self.first[2], p];
        self.second = [self.second[1], self.second[2], q];
        let d = if p > q { p - q } else { p - q + M1 };
        d as f64 / (M1 + 1) as f64
    }

    /// A whole number from 0 up to, not including, `n`.
    pub fn below(&mut self, n: u32) -> u32 {
        (self.unit() * f64::from(n)) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The draws of the reference runs for the gain cycle.
    #[test]
    fn the_draws_are_those_of_ns3() {
        let mut d = Draws::default();
        let drawn: std::vec::Vec<u32> = (0..14).map(|_| d.below(6)).collect();
        assert_eq!(drawn, [0, 2, 3, 5, 2, 2, 4, 4, 4, 3, 4, 2, 4, 1]);
    }
}
