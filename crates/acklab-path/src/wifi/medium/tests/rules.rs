//! The rules of clause 10 that bind each station, checked on what was on the air.

use super::*;
use crate::wifi::propagation::{ChannelConfig, Fading, Motion, PathLoss, Position, Radio};
use proptest::prelude::*;

const SIFS: Span = Span::from_micros(16);

/// PPDUs of a run, and the stations that heard them.
struct Air<'a> {
    ppdus: &'a [Ppdu],
    hears: &'a dyn Fn(StationId, StationId) -> bool,
    sifs: Span,
}

impl Air<'_> {
    fn heard_by(&self, who: StationId) -> impl Iterator<Item = &Ppdu> + '_ {
        let heard = move |p: &&Ppdu| p.from == who || (self.hears)(who, p.from);
        self.ppdus.iter().filter(heard)
    }

    /// Whether `who` hears nothing else as long as `p` lasts.
    fn is_clear(&self, who: StationId, p: &Ppdu) -> bool {
        self.heard_by(who)
            .all(|o| o == p || o.end <= p.start || o.start >= p.end)
    }

    /// Whether `p` follows a frame for its sender, or its sender's CTS to itself, after a SIFS.
    fn follows(&self, p: &Ppdu) -> bool {
        let calls =
            |o: &Ppdu| o.to == p.from || (o.kind == PpduKind::CtsToSelf && o.from == p.from);
        let before = |o: &&Ppdu| calls(o) && o.end + self.sifs == p.start;
        self.ppdus.iter().any(|o| before(&o))
    }

    /// PPDUs that a station sent because it had won the medium.
    fn won(&self) -> impl Iterator<Item = &Ppdu> + '_ {
        let first = |p: &&Ppdu| {
            p.holder == p.from
                && matches!(
                    p.kind,
                    PpduKind::Rts
                        | PpduKind::CtsToSelf
                        | PpduKind::Data
                        | PpduKind::BlockAckRequest
                )
        };
        self.ppdus.iter().filter(first).filter(|p| !self.follows(p))
    }

    /// The NAVs that bind `who` at `at`: when they end.
    fn navs(&self, who: StationId, at: Instant) -> impl Iterator<Item = &Ppdu> + '_ {
        self.heard_by(who).filter(move |p| {
            let third = p.from != who && p.to != who;
            third && p.end <= at && p.nav > at && self.is_clear(who, p) && !self.is_void(who, p, at)
        })
    }

    /// Whether `rts` announced something of which `who` has heard nothing within NAVTimeout: two SIFS,
    /// a CTS of 28 us, aRxPHYStartDelay and two slots.
    fn is_void(&self, who: StationId, rts: &Ppdu, at: Instant) -> bool {
        let overdue = rts.end + Span::from_micros(2 * 16 + 28 + 20 + 2 * 9);
        let began = |p: &Ppdu| p.start >= rts.end && p.start < overdue;
        rts.kind == PpduKind::Rts && at >= overdue && !self.heard_by(who).any(began)
    }

    /// One transmitter per station, carrier sense, NAV, and EIFS.
    fn check(&self, eifs: Option<Span>) {
        for (i, p) in self.ppdus.iter().enumerate() {
            let own = self.ppdus[..i].iter().filter(|o| o.from == p.from);
            for o in own {
                assert!(o.end <= p.start || o.start >= p.end, "{o:?} and {p:?}");
            }
        }
        for p in self.won() {
            let over = |o: &&Ppdu| o.start < p.start && o.end > p.start;
            let busy = self.heard_by(p.from).find(over);
            assert_eq!(busy, None, "{p:?} in spite of it");
            let bound = self.navs(p.from, p.start).next();
            assert_eq!(bound, None, "{p:?} in spite of its NAV");
            if let Some(eifs) = eifs {
                self.check_eifs(p, eifs);
            }
        }
        for p in self.ppdus.iter().filter(|p| p.kind == PpduKind::Cts) {
            // The RTS ended a SIFS before; what its sender has reserved is no hindrance.
            let navs = self.navs(p.from, p.start - self.sifs);
            let other = navs.filter(|n| n.from != p.to).count();
            assert_eq!(other, 0, "{p:?}");
        }
    }

    /// A station that was not involved and could not read what it heard since the air was last free
    /// waits for an EIFS.
    fn check_eifs(&self, p: &Ppdu, eifs: Span) {
        let mut busy: Vec<_> = self.heard_by(p.from).filter(|o| o.end <= p.start).collect();
        busy.sort_by_key(|o| core::cmp::Reverse(o.end));
        let Some((mut start, end)) = busy.first().map(|o| (o.start, o.end)) else {
            return;
        };
        for o in busy {
            if o.end > start {
                start = start.min(o.start);
            }
        }
        let mut sent = self.ppdus.iter().filter(|o| o.from == p.from);
        let involved = sent.any(|o| o.start < end && o.end >= start);
        if !involved && self.is_spoilt_for(p.from, start) {
            assert!(p.start >= end + eifs, "{p:?} after {end:?}");
        }
    }

    /// Whether `who` could not read what began at `start`, after silence: all of it has one FCS, and
    /// another began meanwhile, or that began within the preamble of 36 us.
    fn is_spoilt_for(&self, who: StationId, start: Instant) -> bool {
        let mut first = self.heard_by(who).filter(|o| o.start == start);
        let (Some(read), None) = (first.next(), first.next()) else {
            return true;
        };
        let body = match (read.kind, read.mpdus) {
            (PpduKind::Data, 2..) => start + Span::from_micros(36),
            _ => read.end,
        };
        let mut others = self.heard_by(who);
        others.any(|o| o.start > start && o.start < body)
    }
}

fn check(rig: &Rig, hears: &dyn Fn(StationId, StationId) -> bool, eifs: Option<Span>) {
    let mut ppdus = rig.log.ppdus.clone();
    ppdus.sort_by_key(|p| p.start);
    Air {
        ppdus: &ppdus,
        hears,
        sifs: rig.medium.phy.sifs(),
    }
    .check(eifs);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Stations in two rooms that hear the AP and each other's room in part, with two access
    /// categories each.
    #[test]
    fn stations_keep_to_the_rules(
        stations in 2u16..6,
        audible: u32,
        eifs: bool,
        ber in prop_oneof![Just(0.0), Just(2e-5), Just(1e-3)],
        rts in prop::option::of(0u32..3000),
        reverse: bool,
        hack: bool,
        protected: bool,
        txop in prop_oneof![Just(0u64), 400u64..4000],
        silence in prop_oneof![Just(AfterSilence::Quiet), Just(AfterSilence::Timeout), Just(AfterSilence::Everybody)],
        limit in prop_oneof![Just(0u32), 2000u32..20_000],
        seed: u64,
    ) {
        let mut config = cell(stations, ampdu(limit));
        if protected {
            config.phy = protection::phy();
        }
        // The rules about what an RTS reserves are written for 5 GHz.
        let rts = rts.filter(|_| !protected);
        for p in &mut config.ports {
            (p.errors, p.rts_from, p.grants_reverse) = (ErrorModel::Ber(ber), rts, reverse);
            p.carries_acks = hack.then_some(CarriedAcks { reserve: seed % 2 == 0, ..CarriedAcks::HACK });
        }
        let urgent = EdcaConfig { txop: Span::from_micros(txop), ..EdcaConfig::standard(AccessCategory::Voice) };
        config.stations.iter_mut().for_each(|s| s.categories.insert(0, urgent));
        (config.eifs, config.after_silence) = (eifs, silence);
        let hears = move |a: StationId, b: StationId| {
            let (low, high) = (a.min(b).0, a.max(b).0);
            low == 0 || low == high || audible >> ((5 * low + high) % 32) & 1 == 1
        };
        let all = 0..=stations;
        let row = |a: u16| all.clone().map(move |b| hears(StationId(a), StationId(b))).collect();
        config.hears = Some(all.clone().map(row).collect());
        let wait = config.phy.eifs_of(urgent.aifsn);
        let mut rig = Rig::new(config, seed);
        for i in 0..12 {
            for port in 0..2 * u32::from(stations) {
                rig.offer_as(port, 40 + 97 * ((i * 7 + port) % 15), (i + port) as u8 % 2);
            }
            rig.run(us(1500 * u64::from(i)));
        }
        rig.run(us(200_000));
        check(&rig, &hears, eifs.then_some(wait));
    }
}

/// A run of PPDUs that follow each other after a SIFS.
fn sequences(ppdus: &[Ppdu]) -> Vec<&[Ppdu]> {
    ppdus
        .chunk_by(|a, b| a.end + SIFS == b.start)
        .collect::<Vec<_>>()
}

/// Announced, answered in the reverse direction, and with MPDUs of all sizes: a transmission
/// opportunity ends in time, unless one MPDU alone is too long for it (10.23.2.9).
#[test]
fn opportunities_end_in_time() {
    for (rts, reverse) in [(None, false), (Some(0), false), (Some(1000), true)] {
        for limit in [0, 16_384] {
            let mut config = cell(1, ampdu(limit));
            let txop = Span::from_micros(1200);
            for s in &mut config.stations {
                s.categories[0].txop = txop;
            }
            for p in &mut config.ports {
                (p.rts_from, p.grants_reverse) = (rts, reverse);
            }
            let mut rig = Rig::new(config, 3);
            for i in 0..400u32 {
                rig.offer(i % 2, [60, 1460, 700, 6000, 300][(i * i / 3 % 5) as usize]);
            }
            rig.run(us(1_000_000));
            let all = sequences(&rig.log.ppdus);
            let most = all.iter().map(|s| s.len()).max();
            assert!(limit > 0 || most > Some(4), "some hold several exchanges");
            for s in all {
                let lasted = s[s.len() - 1].end - s[0].start;
                let alone = s.iter().filter(|p| p.kind == PpduKind::Data).count() == 1;
                let excused = alone && s.iter().all(|p| p.mpdus <= 1);
                assert!(lasted <= txop || excused, "{lasted:?}: {s:?}");
            }
        }
    }
}

/// An RTS with a bit error is not answered, and a CTS with one is not heeded.
#[test]
fn announcements_can_be_lost() {
    let mut config = cell(1, Aggregation::NONE);
    (config.ports[0].rts_from, config.ports[0].errors) = (Some(0), ErrorModel::Ber(0.5));
    let mut rig = Rig::new(config, 1);
    rig.offer(0, 1460);
    rig.run(us(100_000));
    assert!(rig.log.ppdus.iter().all(|p| p.kind == PpduKind::Rts));
    assert_eq!(rig.log.drops, [(0, DropReason::RetryLimit)]);
}

/// Where all hear all only RTSs collide: data come after a CTS, arrive, and are never repeated.
#[test]
fn announced_data_are_no_repetitions() {
    for aggregation in [Aggregation::NONE, ampdu(65_535)] {
        let mut config = cell(5, aggregation);
        (0..5).for_each(|p| config.ports[p].rts_from = Some(0));
        let mut rig = Rig::new(config, 1);
        rig.saturate(&[0, 1, 2, 3, 4], 1500, 20, us(1_000_000));
        let stats: Vec<_> = (1..=5)
            .map(|s| rig.medium.station_stats(StationId(s)))
            .collect();
        assert!(stats.iter().map(|s| s.failures).sum::<u64>() > 20);
        assert_eq!(stats.iter().map(|s| s.retries).sum::<u64>(), 0);
    }
}

/// Bit errors are kept apart from other causes: half of 200 data of 54 bytes, each 44 us long,
/// and nothing else, as the way back is clear.
#[test]
fn noise_is_told_from_collisions() {
    let mut config = cell(1, Aggregation::NONE);
    config.ports[0].errors = ErrorModel::Ber(2e-3);
    let mut rig = Rig::new(config, 3);
    (0..200).for_each(|_| rig.offer(0, 20));
    rig.run(us(2_000_000));
    let data = rig.log.ppdus.iter().filter(|p| p.kind == PpduKind::Data);
    let (lost, read): (Vec<&Ppdu>, Vec<&Ppdu>) = data.partition(|p| p.lost);
    let acks = rig.log.ppdus.iter().filter(|p| p.kind == PpduKind::Ack);
    assert_eq!(read.len(), acks.clone().count());
    assert!(lost.len() > 100 && acks.clone().all(|p| !p.lost && !p.garbled));
    let air = rig.medium.airtime(us(2_000_000));
    let lasted = |all: &[&Ppdu]| all.iter().map(|p| p.end - p.start).sum::<Span>();
    let own = rig.medium.station_stats(StationId(1)).sent;
    for airtime in [air, own] {
        assert_eq!(airtime.of(Use::Noise), lasted(&lost));
        assert_eq!(airtime.of(Use::TransportAck), lasted(&read));
        assert_eq!(airtime.of(Use::Collision), Span::ZERO);
    }
}

/// NAVTimeout: RTS until 71 us, two SIFS, CTS of 28 us, aRxPHYStartDelay 20 us, two slots: 169 us.
/// A station that had to wait for it counts an AIFS of 43 us and slots from there.
#[test]
fn an_unanswered_rts_reserves_no_more_than_its_answer() {
    let second = |seed| {
        let mut config = cell(2, Aggregation::NONE);
        (config.ports[0].rts_from, config.ports[0].errors) = (Some(0), ErrorModel::Ber(0.5));
        let mut rig = Rig::new(config, seed);
        rig.offer(0, 1460);
        rig.run(us(50));
        rig.offer(2, 1460);
        rig.run(us(10_000));
        let p = rig.log.ppdus[1];
        (p.from == StationId(2)).then(|| (p.start - us(0)).as_micros())
    };
    let starts: Vec<_> = (0..60).filter_map(second).collect();
    assert!(starts.len() > 3, "{starts:?}");
    assert!(
        starts.iter().all(|s| *s >= 212 && (s - 212) % 9 == 0),
        "{starts:?}"
    );
}

/// Two in a room hear the station that announces, and not each other's: the RTS reserves the air up to
/// the end of the ACK, which stands although the data cannot be read where another room is heard,
/// too. Station 1 announces; 2 hears it and 3; 3 hears neither 1 nor the access point.
#[test]
fn an_rts_reserves_the_exchange() {
    let mut config = cell(3, Aggregation::NONE);
    (config.ports[0].rts_from, config.eifs) = (Some(0), false);
    let row = |heard: &[usize]| (0..4).map(|i| heard.contains(&i)).collect::<Vec<bool>>();
    config.hears = Some(vec![
        row(&[0, 1, 2]),
        row(&[0, 1, 2]),
        row(&[1, 2, 3]),
        row(&[2, 3]),
    ]);
    let mut rig = Rig::new(config, 1);
    rig.offer(0, 1460);
    rig.run(us(200));
    // In the data of station 1, which last from 131 to 355 us.
    rig.offer(4, 20);
    rig.offer(2, 1460);
    rig.run(us(3000));
    let rts = rig
        .log
        .ppdus
        .iter()
        .find(|p| p.kind == PpduKind::Rts)
        .unwrap();
    let ack = rig
        .log
        .ppdus
        .iter()
        .find(|p| p.kind == PpduKind::Ack)
        .unwrap();
    assert_eq!((ack.end, rts.nav), (us(399), us(399)));
    let second = rig.log.ppdus.iter().find(|p| p.from == StationId(2));
    let start = second.unwrap().start;
    assert!(start >= us(399 + 43), "{start:?}");
}

/// As many ACKs as may ride in an answer are reserved for, whether they do or not, which binds the
/// sender, too: its TXNAV. 64 of 4 bytes: an ACK of 270 bytes at 24 Mbit/s, 20 + 4 ceil(2182 / 96) = 112 us.
#[test]
fn data_reserve_an_answer_full_of_acks() {
    let reserved = us(267 + 16 + 112);
    let second = |port, seed| {
        let mut config = cell(2, Aggregation::NONE);
        config.ports[0].carries_acks = Some(CarriedAcks {
            reserve: true,
            ..CarriedAcks::HACK
        });
        let mut rig = Rig::new(config, seed);
        rig.offer(0, 1460);
        rig.run(us(100));
        rig.offer(port, 1460);
        rig.run(us(3000));
        let mut data = rig.log.ppdus.iter().filter(|p| p.kind == PpduKind::Data);
        assert_eq!(data.next().unwrap().nav, reserved);
        (data.next().unwrap().start - Instant::ZERO).as_micros()
    };
    for port in [0, 2] {
        assert!((1..9).all(|seed| (second(port, seed) - (395 + 43)) % 9 == 0));
    }
}

/// The NAV that an RTS has set does not keep its receiver from answering when it is repeated.
#[test]
fn a_repeated_rts_is_answered() {
    let mut config = cell(2, Aggregation::NONE);
    (config.ports[0].rts_from, config.ports[0].errors) = (Some(0), ErrorModel::Ber(4e-3));
    config.ports[1].errors = ErrorModel::Ber(4e-3);
    let mut rig = Rig::new(config, 1);
    (0..40).for_each(|_| rig.offer(0, 40));
    rig.run(us(400_000));
    let early = rig.log.ppdus.windows(3).filter(|w| {
        let kinds = [w[0].kind, w[1].kind, w[2].kind];
        kinds == [PpduKind::Rts, PpduKind::Rts, PpduKind::Cts] && w[1].end < w[0].nav
    });
    assert!(early.count() > 0);
}

/// A garbled answer is followed by an EIFS for the one that awaited it, too: the ACK
/// was there, and could not be read.
#[test]
fn a_garbled_answer_is_followed_by_an_eifs() {
    let mut config = cell(1, Aggregation::NONE);
    for port in &mut config.ports[..2] {
        port.errors = ErrorModel::Ber(1e-3);
    }
    config.ports[0].rts_from = None;
    let mut rig = Rig::new(config, 5);
    (0..200).for_each(|_| rig.offer(0, 20));
    rig.run(us(2_000_000));
    // Two of three ACKs are wrong less often than the data in front of them.
    let after = rig.log.ppdus.windows(3).filter(|w| {
        w[1].kind == PpduKind::Ack && w[2].bytes == w[0].bytes && w[2].kind == PpduKind::Data
    });
    // SIFS + ACK at 6 Mbit/s (44 us) + AIFS = 103 us.
    let waits: Vec<_> = after.map(|w| (w[2].start - w[1].end).as_micros()).collect();
    assert!(
        waits.iter().any(|w| w % 9 == 103 % 9 && *w >= 103),
        "{waits:?}"
    );
}

/// Two stations of equal strength are both captured: the AP answers one of them.
#[test]
fn nobody_sends_two_frames_at_once() {
    let mut config = cell(2, Aggregation::NONE);
    let place = |x: f64| Motion::Still(Position::new(x, 0.0, 0.0).unwrap());
    config.radio = Some(RadioConfig {
        channel: ChannelConfig {
            frequency_hz: 5.18e9,
            path_loss: PathLoss::LogDistance {
                exponent: 3.0,
                reference_m: 1.0,
                reference_db: 46.7,
            },
            shadowing_db: 0.0,
            fading: Fading::None,
        },
        stations: [0.0, -5.0, 5.0]
            .map(|x| (place(x), Radio::default()))
            .to_vec(),
        capture: Some(Capture::Ratio(0.0)),
    });
    let mut rig = Rig::new(config, 3);
    (0..40).for_each(|i| rig.offer(2 * (i % 2), 1460));
    assert_eq!(rig.run(us(100_000)).len(), 40);
    check(&rig, &|_, _| true, None);
}

/// A window that cannot be doubled within 16 bits.
#[test]
fn the_largest_window_stays() {
    let mut config = cell(2, Aggregation::NONE);
    for s in &mut config.stations {
        (s.categories[0].cw_min, s.categories[0].cw_max) = (40_000, u16::MAX);
        s.queue.lifetime = None;
    }
    let mut rig = Rig::new(config, 3);
    rig.offer(0, 1460);
    rig.offer(2, 1460);
    assert_eq!(rig.run(us(2_000_000)).len(), 2);
}

/// No byte, and the longest IP packet, which is longer than any MPDU and goes alone.
#[test]
fn packets_of_every_length_arrive() {
    for aggregation in [
        Aggregation::NONE,
        ampdu(65_535),
        Aggregation {
            amsdu: 7935,
            ..ampdu(65_535)
        },
    ] {
        let mut rig = Rig::new(cell(1, aggregation), 3);
        let sizes = [0, 65_535, 0, 65_535, 1, 11_454, 40];
        sizes.iter().for_each(|s| rig.offer(0, *s));
        let arrived: Vec<_> = rig.run(us(300_000)).iter().map(|a| a.1).collect();
        assert_eq!(arrived, [0, 1, 2, 3, 4, 5, 6]);
    }
}

/// Errors of data befall their acknowledgements only if the way back has errors, too.
#[test]
fn answers_go_through_the_errors_of_the_way_that_they_go() {
    let lost = |way: usize| {
        let mut config = cell(1, Aggregation::NONE);
        config.ports[way].errors = ErrorModel::Ber(2e-3);
        let mut rig = Rig::new(config, 3);
        (0..200).for_each(|_| rig.offer(0, 20));
        rig.run(us(2_000_000));
        let of = |kind| rig.log.ppdus.iter().filter(|p| p.kind == kind).count();
        let (data, acks) = (of(PpduKind::Data), of(PpduKind::Ack));
        (data - acks, acks)
    };
    // Of data of 54 bytes more than half are lost on the way there, and no answer: each MPDU that was
    // read is answered once.
    let (unread, answers) = lost(0);
    assert!(unread > 100, "{unread}");
    assert!(answers <= 200, "{answers}");
    // All are read, and a fifth of the ACKs of 14 bytes are lost, so that MPDUs come again.
    let (unread, answers) = lost(1);
    assert_eq!(unread, 0);
    assert!((210..300).contains(&answers), "{answers}");
}
