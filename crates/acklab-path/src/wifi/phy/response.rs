//! Rates of control responses.

use super::coding::{CodeRate, Modulation};
use super::{Band, Format, Mode, ModeError};
use acklab_units::Rate;

/// Number of rates of 802.11b, a and g.
const RATES: usize = 12;

/// The rates that every station of the network has (BSSBasicRateSet, 10.6.1).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BasicRates {
    /// One bit for each of the twelve rates, ascending.
    set: u16,
}

impl BasicRates {
    /// These rates.
    ///
    /// # Errors [`ModeError::UnknownRate`] for what is no rate of 802.11b, a or g,
    /// [`ModeError::NoBasicRate`] for none.
    pub fn new(rates: &[Rate]) -> Result<Self, ModeError> {
        let mut set = 0;
        for rate in rates {
            set |= 1 << nth(Mode::legacy(*rate)?);
        }
        if set == 0 {
            return Err(ModeError::NoBasicRate);
        }
        Ok(Self { set })
    }

    /// The mandatory rates of the PHYs of `band`: 1, 2, 5.5, 11 (15.1, 16.1) and 6, 12, 24 Mbit/s
    /// (17.1, 18.1).
    pub fn mandatory(band: Band) -> Self {
        // Ascending: 1 2 5.5 6 9 11 12 18 24 36 48 54.
        let ofdm = 0b0001_0100_1000;
        let dsss = 0b0000_0010_0111;
        let set = match band {
            Band::Ghz2_4 => ofdm | dsss,
            Band::Ghz5 | Band::Ghz6 => ofdm,
        };
        Self { set }
    }

    /// The modes, ascending.
    pub fn modes(self) -> impl Iterator<Item = Mode> {
        (0..RATES)
            .filter(move |n| self.set & (1 << n) != 0)
            .map(Mode::nth_legacy)
    }

    /// The fastest rate of the modulation class of `mode` that is not faster.
    fn at_most(self, mode: Mode) -> Option<Mode> {
        let same_class = |m: &Mode| m.format().is_dsss() == mode.format().is_dsss();
        self.modes()
            .filter(|m| m.rate() <= mode.rate())
            .filter(same_class)
            .last()
    }
}

/// Which of the twelve rates a mode of 802.11b, a or g is.
fn nth(mode: Mode) -> usize {
    (0..RATES)
        .rposition(|n| Mode::nth_legacy(n).rate() <= mode.rate())
        .unwrap_or(0)
}

/// The rate of 802.11a with which a frame sent in `mode` is compared: the non-HT reference rate of
/// 10.6.11, by modulation and coding of one stream.
fn reference(mode: Mode) -> Mode {
    use CodeRate::{Half, TwoThirds};
    if mode.format().is_legacy() {
        return Mode::nth_legacy(nth(mode));
    }
    let rate = match (mode.modulation(), mode.code_rate()) {
        (Modulation::Bpsk, Half) => 3,
        (Modulation::Bpsk, _) => 4,
        (Modulation::Qpsk, Half) => 6,
        (Modulation::Qpsk, _) => 7,
        (Modulation::Qam16, Half) => 8,
        (Modulation::Qam16, _) => 9,
        (Modulation::Qam64, Half | TwoThirds) => 10,
        _ => 11,
    };
    Mode::nth_legacy(rate)
}

/// The answer to each of the twelve reference rates, chosen once.
#[derive(Clone, Copy, Debug)]
pub(super) struct Responses([Mode; RATES]);

impl Responses {
    /// 10.6.6.5.2: the fastest basic rate that is not faster than the frame that is answered; if
    /// there is none, the fastest mandatory rate that is not. The modulation class is that of the
    /// frame (10.6.6.5.4), HT and later counting as OFDM.
    pub fn new(basic: BasicRates, band: Band) -> Self {
        let mut modes = [Mode::nth_legacy(0); RATES];
        for (n, answer) in modes.iter_mut().enumerate() {
            let asked = Mode::nth_legacy(n);
            *answer = basic
                .at_most(asked)
                .or_else(|| BasicRates::mandatory(band).at_most(asked))
                .unwrap_or(asked);
        }
        Self(modes)
    }

    /// The answer to a frame sent in `mode`; the preamble is short only if that of the frame was.
    pub fn to(&self, mode: Mode) -> Mode {
        let answer = self.0[nth(reference(mode))];
        if mode.has_short_preamble() && answer.format() != Format::Ofdm {
            answer.with_short_preamble().unwrap_or(answer)
        } else {
            answer
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Guard, Width};
    use super::*;

    fn mbit(rate: u64) -> Rate {
        Rate::from_bps(rate * 1_000_000)
    }

    fn answer(basic: &[u64], band: Band, mode: Mode) -> u64 {
        let rates: std::vec::Vec<_> = basic.iter().map(|r| mbit(*r)).collect();
        let responses = Responses::new(BasicRates::new(&rates).unwrap(), band);
        responses.to(mode).rate().as_bps() / 1_000_000
    }

    /// The table of 10.6.11, with every rate of 802.11a basic.
    #[test]
    fn each_mcs_has_its_reference_rate() {
        let all = [6, 9, 12, 18, 24, 36, 48, 54];
        let table = [6, 12, 18, 24, 36, 48, 54, 54, 54, 54, 54, 54];
        for (mcs, rate) in (0..).zip(table) {
            let he = Mode::he(mcs, 2, Width::Mhz80, Guard::Ns800).unwrap();
            assert_eq!(answer(&all, Band::Ghz5, he), rate, "MCS {mcs}");
        }
        let two_streams = Mode::ht(8, Width::Mhz40, Guard::Ns400).unwrap();
        assert_eq!(answer(&all, Band::Ghz5, two_streams), 6);
    }

    #[test]
    fn answers_are_basic_and_not_faster() {
        let legacy = |rate| Mode::legacy(mbit(rate)).unwrap();
        for (rate, response) in [(6, 6), (9, 6), (12, 12), (18, 12), (24, 24), (54, 24)] {
            assert_eq!(answer(&[6, 12, 24], Band::Ghz5, legacy(rate)), response);
        }
        // Nothing basic is slow enough: the mandatory 12 Mbit/s.
        assert_eq!(answer(&[24], Band::Ghz5, legacy(18)), 12);
    }

    #[test]
    fn dsss_is_answered_in_dsss() {
        let basic = [1, 2, 6, 12, 24];
        let legacy = |rate| Mode::legacy(mbit(rate)).unwrap();
        assert_eq!(answer(&basic, Band::Ghz2_4, legacy(11)), 2);
        assert_eq!(answer(&basic, Band::Ghz2_4, legacy(9)), 6);
        let ht = Mode::ht(0, Width::Mhz20, Guard::Ns800).unwrap();
        assert_eq!(answer(&basic, Band::Ghz2_4, ht), 6);
    }

    #[test]
    fn a_short_preamble_is_answered_with_one_where_there_is_one() {
        let mandatory = BasicRates::mandatory(Band::Ghz2_4);
        let responses = Responses::new(mandatory, Band::Ghz2_4);
        let fast = Mode::legacy(mbit(11)).unwrap();
        let short = fast.with_short_preamble().unwrap();
        assert_eq!(responses.to(short), short);
        assert_eq!(responses.to(fast), fast);
        let slow = Responses::new(BasicRates::new(&[mbit(1)]).unwrap(), Band::Ghz2_4).to(short);
        assert_eq!(slow, Mode::legacy(mbit(1)).unwrap());
    }

    #[test]
    fn rates_that_do_not_exist_are_not_basic() {
        let seven = mbit(7);
        let error = ModeError::UnknownRate { rate: seven };
        assert_eq!(BasicRates::new(&[mbit(6), seven]), Err(error));
        assert_eq!(BasicRates::new(&[]), Err(ModeError::NoBasicRate));
    }
}
