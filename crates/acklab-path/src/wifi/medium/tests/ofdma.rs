//! Several stations at once: exchanges by hand, saturation against the standard's arithmetic, and what must hold.

use super::*;
use crate::wifi::phy::SigBMcs;
use proptest::prelude::*;

mod fallback;
mod units;

/// One stream over 20 MHz with 0.8 us: 86 Mbit/s with MCS 7.
fn he(mcs: u8) -> Mode {
    Mode::he(mcs, 1, Width::Mhz20, Guard::Ns800).unwrap()
}

const OFDMA: OfdmaConfig = OfdmaConfig {
    downlink: Some(DownlinkOfdma {
        answers: Answers::MuBar,
        answer_mcs: DownlinkOfdma::ANSWER_MCS,
    }),
    uplink: None,
    scheduler: Scheduler::RoundRobin,
    most_users: 9,
    plan: None,
    guard: Guard::Ns1600,
    sig_b: SigBMcs::new(0),
    falls_back: false,
};

const UPLINK: UplinkOfdma = UplinkOfdma {
    poll: Poll {
        every: Span::from_millis(10),
        always: true,
    },
    category: 0,
    random: None,
    mu_edca: None,
};

/// `n` stations with MCS 7 at 5 GHz.
fn he_cell(n: u16, ofdma: OfdmaConfig) -> MediumConfig {
    let mut config = cell(n, ampdu(6_500_631));
    for port in &mut config.ports {
        port.rate = RateConfig::Fixed(he(7));
        port.aggregation.window = 256;
    }
    config.ofdma = Some(ofdma);
    config
}

fn downloads(n: u32) -> Vec<u32> {
    (0..n).map(|i| 2 * i + 1).collect()
}

fn kinds(rig: &Rig) -> Vec<(u64, u64, &'static str, u16, u16)> {
    let at = |t: Instant| (t - Instant::ZERO).as_nanos();
    let all = rig.log.ppdus.iter();
    all.map(|p| (at(p.start), at(p.end), p.kind.name(), p.from.0, p.to.0))
        .collect()
}

/// Two packets for each of four stations, on 52 tones (MCS 7: 48 * 6 * 5/6 = 240 bits a symbol).
#[test]
fn a_download_for_four_by_hand() {
    for answers in [Answers::MuBar, Answers::Aggregated, Answers::Sequence] {
        let downlink = Some(DownlinkOfdma {
            answers,
            ..OFDMA.downlink.unwrap()
        });
        let mut rig = Rig::new(he_cell(4, OfdmaConfig { downlink, ..OFDMA }), 1);
        for p in downloads(4) {
            rig.offer(p, 1500);
            rig.offer(p, 1500);
        }
        let got = rig.run(us(5_000));
        // 20 + 4 + 8, HE-SIG-B of 18 + 2 * 52 = 122 bits -> 5 symbols of 4 us, 4, 7.2.
        let body = 43_000 + 63_200;
        // 1538 + 4 + 2 + 4 + 1538 = 3086 B, 24,710 bits -> 103 symbols of 13.6 us. A Trigger frame for one has
        // 16 + 8 + 9 + 4 = 37 B, with delimiter 41; 3088 + 41 = 3129 B -> 105 symbols.
        let symbols = if answers == Answers::Aggregated {
            105
        } else {
            103
        };
        let end = body + symbols * 13_600;
        let all = kinds(&rig);
        for (i, k) in all[..4].iter().enumerate() {
            assert_eq!(*k, (43_000, end, "data", 0, i as u16 + 1));
        }
        // 48 * 6 * 2/3 = 192 bits with MCS 5; 4 + 56 B, 502 bits -> 3 symbols of 14.4 us behind 48 us.
        let at_once = 48_000 + 43_200;
        let expected = match answers {
            // 64 B, 534 bits -> 6 symbols of 4 us at 24 Mbit/s, behind 20 us.
            Answers::MuBar => {
                let answer = end + 16_000 + 44_000 + 16_000;
                [
                    vec![(end + 16_000, end + 60_000, "trigger"); 4],
                    vec![(answer, answer + at_once, "block_ack"); 4],
                ]
                .concat()
            }
            Answers::Aggregated => vec![(end + 16_000, end + 16_000 + at_once, "block_ack"); 4],
            Answers::Sequence => {
                // 56 B: 470 bits -> 5 symbols, 40 us; 24 B: 214 bits -> 3 symbols, 32 us.
                let mut at = end + 16_000;
                let mut all = vec![(at, at + 40_000, "block_ack")];
                for _ in 0..3 {
                    at += 56_000;
                    all.push((at, at + 32_000, "bar"));
                    at += 48_000;
                    all.push((at, at + 40_000, "block_ack"));
                }
                all
            }
        };
        let rest: Vec<_> = all[4..].iter().map(|k| (k.0, k.1, k.2)).collect();
        assert_eq!(rest, expected, "{answers:?}");
        // The first MPDUs arrive with their last symbol: 16 + 8 * 1542 = 12352 bits, 6 of tail -> 52.
        let first = Instant::from_nanos(body + 52 * 13_600);
        assert_eq!((got[0].0, got[3].0), (first, first));
        assert_eq!(got.len(), 8);
        assert_eq!(rig.medium.inside(), 0);
        let last = expected.last().unwrap().1;
        for s in 0..5 {
            let row = rig
                .medium
                .station_airtime(StationId(s), Instant::from_nanos(last));
            let data = if s == 0 { end - 43_000 } else { 0 };
            assert_eq!(row.of(Use::Data).as_nanos(), data, "{s}");
        }
    }
}

/// A station gets a BSRP, reports, is called and sends: the cycle of Eq. 1 in Shrestha et al.
#[test]
fn a_cycle_of_the_uplink_by_hand() {
    // What is told is 1536 B, with the overhead of two packets 1536 + 2 * 45 -> 13,030 bits -> 55 symbols.
    cycle_by_hand(1500, 55);
    // Told are 256 B, which with overhead would be 301; the least grant is 500 B: 4022 bits -> 17 symbols.
    cycle_by_hand(100, 17);
}

/// One packet of `size` bytes from each of four stations, for which the access point grants so many symbols.
fn cycle_by_hand(size: u32, symbols: u64) {
    let mut config = he_cell(
        4,
        OfdmaConfig {
            downlink: None,
            uplink: Some(UPLINK),
            ..OFDMA
        },
    );
    // Stations leave the air to the access point.
    (1..5).for_each(|s| config.stations[s].categories[0].aifsn = 200);
    config.stations[0].categories[0].cw_min = 0;
    let mut rig = Rig::new(config, 1);
    // The first poll is 10 ms after the start, at the slot boundary after that; packets come while it is on the
    // air, so that nobody sends them before.
    rig.run(us(10_010));
    for p in downloads(4) {
        rig.offer(p - 1, size);
    }
    let got = rig.run(us(11_500));
    let all = &kinds(&rig);
    // BSRP: 16 + 8 + 4 * 5 + 4 = 48 B, 406 bits -> 5 symbols of 4 us. Reports: 38 B, 326 bits on 52 tones with 240
    // -> 2 symbols of 14.4 us behind 48 us. Basic: 52 B, 438 bits -> 5. Multi-STA BlockAck, all of all:
    // 16 + 2 + 4 * 2 + 4 = 30 B, 262 bits -> 3 symbols.
    let mut at = all[0].0;
    for (kind, lasts) in [
        ("trigger", 40_000),
        ("buffer_status", 76_800),
        ("trigger", 40_000),
        ("data", 48_000 + symbols * 14_400),
        ("multi_block_ack", 32_000),
    ] {
        let now: Vec<_> = all.iter().filter(|k| k.0 == at).collect();
        assert_eq!(now.len(), 4, "{kind} at {at}: {all:?}");
        for k in now {
            assert_eq!((k.1 - k.0, k.2), (lasts, kind), "{all:?} {got:?}");
        }
        at += lasts + 16_000;
    }
    assert_eq!(got.len(), 4);
    let ap = rig.medium.station_stats(AP);
    assert_eq!((ap.polls, ap.triggers, ap.multi_user), (1, 1, 0));
}

/// Bytes per second in a cycle.
fn close(bytes: u64, seconds: f64, per_cycle: f64, cycle_us: f64) {
    let (rate, model) = (bytes as f64 / seconds, per_cycle / cycle_us * 1e6);
    assert!((rate / model - 1.0).abs() < 0.005, "{rate} against {model}");
}

/// AIFS 43 us and half of 15 slots; 398 symbols hold 11,937 B, seven MPDUs of 1504 B, which take 351; SIFS, MU-BAR
/// 44 us, SIFS, Block Acks 91.2 us.
#[test]
fn saturated_downlink() {
    let mut rig = Rig::new(he_cell(4, OFDMA), 3);
    let bytes: u64 = rig
        .saturate(&downloads(4), 1460, 40, us(5_000_000))
        .iter()
        .sum();
    let cycle = 43.0 + 67.5 + 63.2 + 351.0 * 13.6 + 16.0 + 44.0 + 16.0 + 91.2;
    close(bytes, 5.0, 4.0 * 7.0 * 1460.0, cycle);
}

/// The stations contend no more once they were called. 377 symbols of 14.4 us hold seven MPDUs.
#[test]
fn saturated_uplink() {
    let mu_edca = Some(MuEdca {
        aifsn: 0,
        cw_min: 15,
        cw_max: 1023,
        timer: Span::from_secs(2),
    });
    let uplink = Some(UplinkOfdma { mu_edca, ..UPLINK });
    let config = OfdmaConfig {
        downlink: None,
        uplink,
        ..OFDMA
    };
    let mut rig = Rig::new(he_cell(4, config), 3);
    let ports = [0, 2, 4, 6];
    rig.saturate(&ports, 1460, 100, us(500_000));
    let bytes: u64 = rig.saturate(&ports, 1460, 0, us(5_500_000)).iter().sum();
    let cycle = 43.0 + 67.5 + 40.0 + 76.8 + 40.0 + 48.0 + 377.0 * 14.4 + 32.0 + 4.0 * 16.0;
    close(bytes, 5.0, 4.0 * 7.0 * 1460.0, cycle);
    for s in 1..5 {
        let stats = rig.medium.station_stats(StationId(s));
        assert!(stats.triggered > 900, "{stats:?}");
    }
}

/// Once the timer has run out stations contend again, with their own parameters.
#[test]
fn mu_edca_ends() {
    let next_after_call = |aifsn| {
        let mu_edca = Some(MuEdca {
            aifsn,
            cw_min: 0,
            cw_max: 0,
            timer: Span::from_millis(8),
        });
        let every = Span::from_millis(20);
        let poll = Poll {
            every,
            always: true,
        };
        let uplink = Some(UplinkOfdma {
            mu_edca,
            poll,
            ..UPLINK
        });
        let mut config = he_cell(
            2,
            OfdmaConfig {
                downlink: None,
                uplink,
                ..OFDMA
            },
        );
        // It waits 2311 us for the air, and is called before that.
        config.stations[1].categories[0].aifsn = 255;
        let mut rig = Rig::new(config, 5);
        rig.run(us(20_010));
        rig.offer(0, 1500);
        rig.run(us(20_600));
        assert_eq!(rig.medium.station_stats(StationId(1)).triggered, 1);
        let answered = rig.log.ppdus.last().unwrap().end;
        let called = rig.log.ppdus.len();
        rig.offer(0, 1500);
        rig.run(us(39_000));
        let alone = |p: &&Ppdu| p.kind == PpduKind::Data && p.from == StationId(1);
        let next = rig.log.ppdus[called..].iter().find(alone).unwrap();
        (next.start - answered).as_micros()
    };
    // Not before the timer, and then as long as it always waits.
    assert!(
        (8_000..8_010).contains(&next_after_call(0)),
        "{}",
        next_after_call(0)
    );
    // With the interframe space of 100 slots it waits from where the call had reserved the air to: the answer would
    // have been 12 us longer with a bitmap.
    assert!(
        (928..929).contains(&next_after_call(100)),
        "{}",
        next_after_call(100)
    );
}

/// Attempts and collisions of random access with a window that does not grow: an OBO of `o` is over at trigger
/// number max(1, ceil(o / units)), and others choose the same unit independently.
#[test]
fn random_access_by_its_closed_form() {
    let (n, units, ocw) = (12_u16, 4_u16, 15_u16);
    let random = Some(RandomAccess {
        units,
        ocw_min: ocw,
        ocw_max: ocw,
        for_data: true,
    });
    let uplink = Some(UplinkOfdma {
        random,
        poll: Poll {
            always: false,
            ..UPLINK.poll
        },
        ..UPLINK
    });
    let config = OfdmaConfig {
        downlink: None,
        uplink,
        most_users: units,
        ..OFDMA
    };
    let mut config = he_cell(n, config);
    (1..=usize::from(n)).for_each(|s| config.stations[s].categories[0].aifsn = 255);
    config.stations[0].categories[0].aifsn = 1;
    config.stations[0].categories[0].cw_min = 0;
    config.stations[0].categories[0].cw_max = 0;
    let mut rig = Rig::new(config, 9);
    let ports: Vec<u32> = (0..u32::from(n)).map(|i| 2 * i).collect();
    rig.run(us(11_000));
    rig.saturate(&ports, 1460, 50, us(40_000_000));
    let stats = (1..=n).map(|s| rig.medium.station_stats(StationId(s)));
    let (sent, collided) = stats.fold((0, 0), |a, s| {
        (a.0 + s.random_accesses, a.1 + s.random_collisions)
    });
    let triggers = rig.medium.station_stats(AP).triggers;
    let waits = |o: u16| f64::from(o.div_ceil(units).max(1));
    let mean = (0..=ocw).map(waits).sum::<f64>() / f64::from(ocw + 1);
    let tau = sent as f64 / triggers as f64 / f64::from(n);
    assert!(triggers > 20_000, "{triggers}");
    assert!(
        (tau * mean - 1.0).abs() < 0.01,
        "{tau} against {}",
        1.0 / mean
    );
    let p = collided as f64 / sent as f64;
    let model = 1.0 - libm::pow(1.0 - 1.0 / mean / f64::from(units), f64::from(n - 1));
    assert!((p / model - 1.0).abs() < 0.02, "{p} against {model}");
}

/// Without an answer the OFDMA contention window doubles, up to its most; with one it begins anew (26.5.4.4).
#[test]
fn a_window_of_random_access_doubles_until_answered() {
    let random = Some(RandomAccess {
        units: 1,
        ocw_min: 7,
        ocw_max: 31,
        for_data: true,
    });
    let uplink = Some(UplinkOfdma { random, ..UPLINK });
    let mut rig = Rig::new(he_cell(1, OfdmaConfig { uplink, ..OFDMA }), 1);
    let mut rng = acklab_proto::rng::stream(1, "random access");
    let ofdma = rig.medium.ofdma.as_mut().unwrap();
    let mut windows = Vec::new();
    for answered in [true, false, false, false, true, false] {
        ofdma.after_random(0, answered, &mut rng);
        windows.push(ofdma.members[0].ocw);
    }
    assert_eq!(windows, [7, 15, 31, 31, 7, 15]);
}

/// Three stations have been served, two at a time; then a fourth, as fast as they, gets packets.
/// How many of the next `exchanges` serve it?
fn served_of(scheduler: Scheduler, waiting: u32, exchanges: usize) -> usize {
    let config = OfdmaConfig {
        scheduler,
        most_users: 2,
        ..OFDMA
    };
    let mut rig = Rig::new(he_cell(4, config), 5);
    rig.saturate(&downloads(3), 1460, 40, us(500_000));
    let before = rig.log.ppdus.len();
    for _ in 0..waiting {
        rig.offer(7, 1460);
    }
    rig.saturate(&downloads(4), 1460, 0, us(700_000));
    let all = kinds(&rig);
    let data = all[before..].iter().filter(|k| k.2 == "data");
    let pairs: Vec<_> = data.map(|k| k.4).collect();
    // The exchange that was under way does not count.
    pairs[2..2 + 2 * exchanges]
        .iter()
        .filter(|to| **to == 4)
        .count()
}

/// Round robin serves it in every second exchange, proportional fair in each until it has caught up with the others,
/// and by backlog it comes first only while more waits for it than for them.
#[test]
fn schedulers_choose_as_they_are_called() {
    assert_eq!(served_of(Scheduler::RoundRobin, 200, 6), 3);
    assert_eq!(served_of(Scheduler::ProportionalFair, 200, 6), 6);
    assert_eq!(served_of(Scheduler::Backlog, 200, 6), 6);
    assert_eq!(served_of(Scheduler::Backlog, 10, 6), 0);
}

fn random_access() -> impl Strategy<Value = Option<RandomAccess>> {
    prop::option::of(
        (1u16..6, 0u16..8, any::<bool>()).prop_map(|(units, ocw, for_data)| RandomAccess {
            units,
            ocw_min: ocw,
            ocw_max: 31,
            for_data,
        }),
    )
}

fn mu_edca() -> impl Strategy<Value = Option<MuEdca>> {
    prop::option::of((0u8..12, 1u64..20).prop_map(|(aifsn, ms)| MuEdca {
        aifsn,
        cw_min: 31,
        cw_max: 255,
        timer: Span::from_millis(ms),
    }))
}

fn ofdma() -> impl Strategy<Value = OfdmaConfig> {
    let answers = prop_oneof![
        Just(Answers::Sequence),
        Just(Answers::MuBar),
        Just(Answers::Aggregated)
    ];
    let scheduler = prop_oneof![
        Just(Scheduler::RoundRobin),
        Just(Scheduler::ProportionalFair),
        Just(Scheduler::Backlog)
    ];
    let downlink = prop::option::of(answers).prop_map(|answers| {
        answers.map(|answers| DownlinkOfdma {
            answers,
            answer_mcs: 5,
        })
    });
    let uplink = prop::option::of((random_access(), mu_edca(), 5u64..15, any::<bool>()));
    let uplink = uplink.prop_map(|uplink| {
        uplink.map(|(random, mu_edca, every, always)| UplinkOfdma {
            poll: Poll {
                every: Span::from_millis(every),
                always,
            },
            category: 0,
            random,
            mu_edca,
        })
    });
    let shape = (6u16..10, any::<bool>(), prop::option::of(units::plans()));
    (downlink, uplink, scheduler, shape).prop_map(|(downlink, uplink, scheduler, shape)| {
        let (most_users, falls_back, plan) = shape;
        // Units for anybody are of one size.
        let random = uplink.is_some_and(|u| u.random.is_some());
        let plan = plan.filter(|_| !random);
        OfdmaConfig {
            downlink,
            uplink,
            scheduler,
            most_users: plan.map_or(most_users, |plan| plan.listed().len() as u16),
            plan,
            falls_back,
            ..OFDMA
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    /// Every packet arrives once, in the order of its port, or is dropped; the air adds up. (Everything else that
    /// must hold is asserted at each delivery.)
    #[test]
    fn packets_are_conserved_and_stay_in_order(
        ofdma in ofdma(),
        stations in 1u16..12,
        ber in prop_oneof![Just(0.0), Just(1e-6), Just(2e-5)],
        hidden: bool,
        linux: bool,
        addba: bool,
        txop in prop_oneof![Just(0u64), Just(2528), Just(400)],
        lifetime in prop::option::of(2000u64..20_000),
        seed: u64,
        offers in prop::collection::vec((0u64..400, 0u32..24, prop_oneof![40u32..1500, Just(52)]), 1..300),
    ) {
        let mut config = he_cell(stations, ofdma);
        config.ports.iter_mut().for_each(|p| p.errors = ErrorModel::Ber(ber));
        if linux {
            let kind = mac::Kind::PerStation(mac::StationsConfig::LINUX);
            config.stations.iter_mut().for_each(|s| s.queue.kind = kind);
        }
        config.addba = addba.then_some(crate::wifi::agreement::AddbaConfig::NS3_VHT);
        if hidden {
            let n = usize::from(stations) + 1;
            config.hears = Some((0..n).map(|a| (0..n).map(|b| a == 0 || b == 0).collect()).collect());
        }
        for s in &mut config.stations {
            s.queue.lifetime = lifetime.map(Span::from_micros);
            s.categories[0].txop = Span::from_micros(txop);
        }
        let mut at = 0;
        let offers: Vec<_> = offers.iter().map(|(gap, port, size)| {
            at += gap;
            (at, port % (2 * u32::from(stations)), *size)
        }).collect();
        let (rig, arrived) = invariants::deliver(config, seed, &offers, Span::from_secs(1));
        let ended = invariants::once_and_in_order(&rig, &arrived, &offers)?;
        prop_assert_eq!(ended + rig.medium.inside(), u64::from(rig.packets), "all of them");
        prop_assert!(rig.medium.inside() == 0 || lifetime.is_some() || addba, "{}", rig.medium.inside());
        let air = rig.medium.airtime(rig.now);
        prop_assert_eq!(Instant::ZERO + air.total(), rig.now);
        // Parts of a transmission begin and end together, and what the access point sends fits into the channel.
        let parts = rig.log.ppdus.iter().filter(|p| p.users > 1);
        for p in parts {
            let same = |o: &&Ppdu| (o.start, o.end, o.users) == (p.start, p.end, p.users);
            let all = rig.log.ppdus.iter().filter(same);
            prop_assert_eq!(all.clone().count(), usize::from(p.users));
            if p.from == AP && p.mode.is_partial() {
                let tones: u32 = all.filter_map(|p| p.mode.ru()).map(|ru| ru.tones()).sum();
                prop_assert!(tones <= 242, "{tones} tones in 20 MHz");
            }
        }
    }

    /// The same seed gives the same air.
    #[test]
    fn runs_repeat(ofdma in ofdma(), seed: u64, n in 1u16..6) {
        let run = || {
            let mut rig = Rig::new(he_cell(n, ofdma), seed);
            let ports: Vec<u32> = (0..2 * u32::from(n)).collect();
            rig.saturate(&ports, 1000, 3, us(30_000));
            rig.log.ppdus
        };
        prop_assert_eq!(run(), run());
    }
}
