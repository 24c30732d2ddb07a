//! Whole exchanges and the gaps around them: data, SIFS, response in the mode that the standard
//! demands.

use super::{Band, BasicRates, Guard, Mode, Phy, PhyConfig, Width, legacy, phy, us};
use crate::wifi::phy::ModeError;
use acklab_units::{Rate, Span};

const ACK: u32 = 14;
const CTS: u32 = 14;
const RTS: u32 = 20;
/// Compressed BlockAck of 64 and of 256 MPDUs.
const BA64: u32 = 32;
const BA256: u32 = 56;

/// `psdu` bytes, SIFS, and a response of `response` bytes.
fn answered(phy: &Phy, mode: Mode, psdu: u32, response: u32) -> Span {
    let answer = phy.duration(phy.response_mode(mode), response);
    phy.duration(mode, psdu) + phy.sifs() + answer
}

/// The same after RTS, SIFS, CTS, SIFS.
fn protected(phy: &Phy, rts: Mode, mode: Mode, psdu: u32, response: u32) -> Span {
    answered(phy, rts, RTS, CTS) + phy.sifs() + answered(phy, mode, psdu, response)
}

fn basic(band: Band, mbit: &[u64]) -> Phy {
    let rates: std::vec::Vec<_> = mbit.iter().map(|m| Rate::from_bps(m * 1_000_000)).collect();
    let basic = BasicRates::new(&rates).unwrap();
    let config = PhyConfig::new(band);
    Phy::new(&PhyConfig { basic, ..config }).unwrap()
}

#[test]
fn data_and_ack() {
    let five = phy(Band::Ghz5);
    // 248; 16; Ack at 24 Mbit/s 28
    assert_eq!(answered(&five, legacy(54.0), 1536, ACK), us(292.0));
    // 12022 / 216 = 55.7 -> 56, 20 + 224 + 6 = 250; 10; Ack at 24 Mbit/s 28 + 6
    let two = phy(Band::Ghz2_4);
    assert_eq!(answered(&two, legacy(54.0), 1500, ACK), us(294.0));
    // 192 + 748; 10; Ack at 11 Mbit/s 203
    assert_eq!(answered(&two, legacy(11.0), 1028, ACK), us(1153.0));
    // Only 1 and 2 Mbit/s are basic: Ack at 2 Mbit/s 192 + 56
    let old = basic(Band::Ghz2_4, &[1, 2]);
    assert_eq!(answered(&old, legacy(11.0), 1028, ACK), us(1198.0));
    // HT MCS 0: reference rate 6 Mbit/s. 12310 / 26 = 473.5 -> 474, 36 + 1896 = 1932; 16; 44
    let slow = Mode::ht(0, Width::Mhz20, Guard::Ns800).unwrap();
    assert_eq!(answered(&five, slow, 1536, ACK), us(1992.0));
}

#[test]
fn aggregate_and_block_ack() {
    let phy = phy(Band::Ghz5);
    // 16 + 240000 + 6 = 240022, / 260 = 923.2 -> 924, 36 + 3696; 16; BlockAck at 24 Mbit/s 32
    let ht = Mode::ht(7, Width::Mhz20, Guard::Ns800).unwrap();
    assert_eq!(answered(&phy, ht, 30_000, BA64), us(3780.0));
    // 980 * 10 * 2 * 5/6 = 16333; 800016 / 16333 = 48.98 -> 49, 36 + 2 * 7.2 + 49 * 13.6 = 716.8;
    // 16; 16 + 448 + 6 = 470, / 96 = 4.9 -> 5, 20 + 20
    let he = Mode::he(11, 2, Width::Mhz80, Guard::Ns800).unwrap();
    assert_eq!(answered(&phy, he, 100_000, BA256), us(772.8));
}

#[test]
fn rts_and_cts() {
    let phy = phy(Band::Ghz5);
    let ht = Mode::ht(7, Width::Mhz20, Guard::Ns800).unwrap();
    // 52; 16; 44; 16; 228; 16; 28
    let exchange = protected(&phy, legacy(6.0), ht, 1536, ACK);
    assert_eq!(exchange, us(400.0));
    // RTS at 24 Mbit/s: 182 / 96 = 1.9 -> 2, 28; 16; 28; 16; 72; 16; 28
    let vht = Mode::vht(9, 1, Width::Mhz80, Guard::Ns400).unwrap();
    let exchange = protected(&phy, legacy(24.0), vht, 1536, ACK);
    assert_eq!(exchange, us(204.0));
    // 28; 16; 28; 16; 1792; 16; 32
    let two_streams = Mode::ht(15, Width::Mhz40, Guard::Ns400).unwrap();
    let exchange = protected(&phy, legacy(24.0), two_streams, 65_535, BA64);
    assert_eq!(exchange, us(1928.0));
}

#[test]
fn gaps_at_5_ghz() {
    let phy = phy(Band::Ghz5);
    assert_eq!((phy.slot(), phy.sifs()), (us(9.0), us(16.0)));
    // 16 + 2 * 9; 16 + 9; 16 + 3 * 9; 16 + 7 * 9
    assert_eq!((phy.difs(), phy.pifs()), (us(34.0), us(25.0)));
    assert_eq!((phy.aifs(3), phy.aifs(7)), (us(43.0), us(79.0)));
    // 16 + Ack at 6 Mbit/s 44 + 34; with 43 instead of 34
    assert_eq!((phy.eifs(), phy.eifs_of(3)), (us(94.0), us(103.0)));
    // 16 + 9 + 20
    assert_eq!(phy.ack_timeout(legacy(6.0)), us(45.0));
}

#[test]
fn gaps_at_2_4_ghz() {
    let short = phy(Band::Ghz2_4);
    assert_eq!((short.slot(), short.sifs()), (us(9.0), us(10.0)));
    // 10 + Ack at 1 Mbit/s 304 + (10 + 2 * 9)
    assert_eq!((short.difs(), short.eifs()), (us(28.0), us(342.0)));
    let config = PhyConfig::new(Band::Ghz2_4);
    let long = PhyConfig {
        short_slot: false,
        ..config
    };
    let long = Phy::new(&long).unwrap();
    // 10 + 2 * 20; 10 + 304 + 50; 10 + 20 + 192
    assert_eq!((long.difs(), long.eifs()), (us(50.0), us(364.0)));
    assert_eq!(long.cts_timeout(legacy(2.0)), us(222.0));
    // Without 802.11b: 10 + Ack at 6 Mbit/s 50 + 28
    assert_eq!(basic(Band::Ghz2_4, &[6, 12, 24]).eifs(), us(88.0));
}

#[test]
fn a_fixed_control_rate_answers_everything() {
    let control = Some(legacy(6.0));
    let config = PhyConfig {
        control,
        ..PhyConfig::new(Band::Ghz5)
    };
    let phy = Phy::new(&config).unwrap();
    // 248; 16; 44
    assert_eq!(answered(&phy, legacy(54.0), 1536, ACK), us(308.0));
}

/// The CTS answers the RTS, and not what it announces.
#[test]
fn a_rate_of_rts_leaves_the_answers_to_data_alone() {
    let announced = |config: PhyConfig| {
        let phy = Phy::new(&config).unwrap();
        protected(&phy, phy.rts_mode(legacy(54.0)), legacy(54.0), 1536, ACK)
    };
    let rts = |mbit| Some(legacy(mbit));
    let five = PhyConfig::new(Band::Ghz5);
    // RTS at 24 Mbit/s 28; 16; CTS at 24 Mbit/s 28; 16; 248; 16; Ack at 24 Mbit/s 28
    assert_eq!(announced(five), us(380.0));
    // 182 / 24 = 7.6 -> 8, 20 + 32 = 52; 16; 134 / 24 = 5.6 -> 6, 20 + 24 = 44; the same
    let slow = PhyConfig {
        rts: rts(6.0),
        ..five
    };
    assert_eq!(announced(slow), us(420.0));
    // 182 / 72 = 2.5 -> 3, 20 + 12 = 32; 16; CTS at the basic 12 Mbit/s 134 / 48 = 2.8 -> 3, 32
    let odd = PhyConfig {
        rts: rts(18.0),
        ..five
    };
    assert_eq!(announced(odd), us(388.0));
    // RTS at 24 Mbit/s, and all answers at 6 Mbit/s: 28; 16; 44; 16; 248; 16; 44
    let control = Some(legacy(6.0));
    let both = PhyConfig {
        control,
        rts: rts(24.0),
        ..five
    };
    assert_eq!(announced(both), us(412.0));
}

#[test]
fn what_the_band_does_not_have_is_refused() {
    let five = PhyConfig::new(Band::Ghz5);
    let basic = BasicRates::new(&[Rate::from_bps(11_000_000)]).unwrap();
    let error = Phy::new(&PhyConfig { basic, ..five }).unwrap_err();
    assert_eq!(std::format!("{error}"), "11 Mbit/s is no rate at 5 GHz");
    let he = Mode::he(0, 1, Width::Mhz20, Guard::Ns800).unwrap();
    let control = Some(he);
    let error = Phy::new(&PhyConfig { control, ..five }).unwrap_err();
    assert_eq!(error, ModeError::ControlRate { mode: he });
    let rts = Some(legacy(11.0));
    let error = Phy::new(&PhyConfig { rts, ..five }).unwrap_err();
    let (mode, band) = (legacy(11.0), Band::Ghz5);
    assert_eq!(error, ModeError::NotInBand { mode, band });
    let protection = Some(legacy(6.0));
    let two = PhyConfig::new(Band::Ghz2_4);
    let error = Phy::new(&PhyConfig { protection, ..two }).unwrap_err();
    assert_eq!(
        std::format!("{error}; {}", error.hint()),
        "OFDM 6 Mbit/s protects from nobody, since 802.11b cannot read it; use 1, 2, 5.5 or 11 Mbit/s"
    );
    let protection = Some(legacy(11.0));
    let error = Phy::new(&PhyConfig { protection, ..five }).unwrap_err();
    assert_eq!(error, ModeError::NotInBand { mode, band });
    let wide = Mode::he(0, 1, Width::Mhz80, Guard::Ns800).unwrap();
    let error = phy(Band::Ghz2_4).admit(wide).unwrap_err();
    assert_eq!(
        std::format!("{error}"),
        "HE MCS0 80 MHz 1x 800 ns is not used at 2.4 GHz"
    );
    assert_eq!(phy(Band::Ghz6).admit(wide), Ok(wide));
}
