//! Where the time of each station goes: by hand, and a second time from what was on the air.

use super::*;
use proptest::prelude::*;

const SIFS: Span = Span::from_micros(16);

/// A station's row in microseconds, in the order of [`Use::OF_STATION`]: data, transport ACKs, MAC
/// ACKs, control, collision, noise, others, SIFS, contention, idle.
fn row(rig: &Rig, station: u16) -> [u64; 10] {
    let row = rig.medium.station_airtime(StationId(station), rig.now);
    Use::OF_STATION.map(|u| row.of(u).as_micros())
}

/// Everybody but the stations `a` and `b` hears everybody.
fn apart(n: u16, a: u16, b: u16) -> Option<Vec<Vec<bool>>> {
    let hears = |x, y| (x, y) != (a, b) && (x, y) != (b, a);
    Some(
        (0..n)
            .map(|x| (0..n).map(|y| hears(x, y)).collect())
            .collect(),
    )
}

/// Data of 224 us, SIFS of 16 us, ACK of 28 us behind an AIFS of 43 us; then the other station's,
/// whose packet came while it heard the first, so that it drew a backoff of some slots.
#[test]
fn two_exchanges() {
    let mut rig = Rig::new(cell(3, Aggregation::NONE), 1);
    rig.offer(0, 1460);
    rig.run(us(100));
    rig.offer(2, 1460);
    // In the middle of its data.
    let own = row(&rig, 1);
    assert_eq!(own, [57, 0, 0, 0, 0, 0, 0, 0, 43, 0]);
    assert_eq!(row(&rig, 2), [0, 0, 0, 0, 0, 0, 57, 0, 0, 43]);
    // In the middle of the SIFS: who is no part of the exchange keeps to its reservation.
    rig.run(us(271));
    assert_eq!(row(&rig, 0), [0, 0, 0, 0, 0, 0, 224, 4, 0, 43]);
    assert_eq!(row(&rig, 1), [224, 0, 0, 0, 0, 0, 0, 4, 43, 0]);
    assert_eq!(row(&rig, 2), [0, 0, 0, 0, 0, 0, 228, 0, 0, 43]);
    rig.run(us(2000));
    let second = rig.log.ppdus[2].start;
    let waited = (second - us(311)).as_micros();
    assert!(waited >= 43 && (waited - 43).is_multiple_of(9));
    let rest = 2000 - 311 - waited - 268;
    let heard = 224 + 16 + 28;
    assert_eq!(
        row(&rig, 0),
        [0, 0, 56, 0, 0, 0, 448, 32, 0, 43 + waited + rest]
    );
    // After the exchange its backoff has run out with nothing to send: idle.
    assert_eq!(
        row(&rig, 1),
        [224, 0, 0, 0, 0, 0, 28 + heard, 16, 43, waited + rest]
    );
    assert_eq!(
        row(&rig, 2),
        [224, 0, 0, 0, 0, 0, heard + 28, 16, waited, 43 + rest]
    );
    assert_eq!(
        row(&rig, 3),
        [0, 0, 0, 0, 0, 0, 2 * heard, 0, 0, 43 + waited + rest]
    );
}

/// Both send from 43 us to 267 us and do not hear each other; the AP hears both at once. Whoever
/// hears one of them can read that it reserves the air up to 311 us, which does not bind itself.
#[test]
fn hidden_stations_collide() {
    let mut config = cell(3, Aggregation::NONE);
    config.hears = apart(4, 1, 2);
    // The third hears the first and the AP.
    if let Some(hears) = &mut config.hears {
        (hears[3][2], hears[2][3]) = (false, false);
    }
    let mut rig = Rig::new(config, 1);
    rig.offer(0, 1460);
    rig.offer(2, 1460);
    rig.run(us(300));
    for station in [1, 2] {
        assert_eq!(row(&rig, station), [0, 0, 0, 0, 224, 0, 0, 0, 43 + 33, 0]);
    }
    assert_eq!(row(&rig, 0), [0, 0, 0, 0, 0, 0, 224, 0, 0, 43 + 33]);
    assert_eq!(row(&rig, 3), [0, 0, 0, 0, 0, 0, 224 + 33, 0, 0, 43]);
}

/// Data reserve the air for the longest answer, 64 ACKs of 4 bytes beside the 14 of an ACK: 20 + 4 *
/// ceil((16 + 2160 + 6) / 96) = 112 us, and the answer takes 28 us: 84 us bind the others in vain. Who
/// had them reserved goes on, or has nothing to go on with.
#[test]
fn a_reservation_binds_others() {
    for more in [false, true] {
        let mut config = cell(2, Aggregation::NONE);
        config.ports[0].carries_acks = Some(CarriedAcks {
            reserve: true,
            ..CarriedAcks::HACK
        });
        // Long enough that the second access lies behind it.
        config.stations[1].categories[0].aifsn = 15;
        let mut rig = Rig::new(config, 1);
        (0..=u32::from(more)).for_each(|_| rig.offer(0, 1460));
        let aifs = 16 + 15 * 9;
        let end = aifs + 224 + 16 + 28;
        rig.run(us(end + 70));
        let (contention, idle) = if more { (aifs + 70, 0) } else { (aifs, 70) };
        assert_eq!(row(&rig, 1), [224, 0, 0, 0, 0, 0, 28, 16, contention, idle]);
        assert_eq!(
            row(&rig, 2),
            [0, 0, 0, 0, 0, 0, 224 + 16 + 28 + 70, 0, 0, aifs]
        );
        rig.run(us(end + 90));
        assert_eq!(row(&rig, 2), [0, 0, 0, 0, 0, 0, 268 + 84, 0, 0, aifs + 6]);
    }
}

/// ACKs that are kept back for an answer wait for nothing: the station does not contend.
#[test]
fn who_keeps_acks_back_is_idle() {
    let mut config = cell(1, Aggregation::NONE);
    config.ports[1].carries_acks = Some(CarriedAcks {
        reserve: true,
        ..CarriedAcks::HACK
    });
    config.stations[0].categories[0].aifsn = 15;
    let mut rig = Rig::new(config, 1);
    rig.offer(1, 1460);
    rig.offer(1, 1460);
    let aifs = 16 + 15 * 9;
    let end = aifs + 224 + 16 + 28;
    rig.run(us(end));
    let before = row(&rig, 1);
    rig.offer(0, 52);
    rig.run(us(end + 100));
    let mut after = row(&rig, 1);
    assert_eq!(rig.log.ppdus.len(), 2);
    // Time that the data reserved counts as reserved for all but their sender.
    assert_eq!(after[6] - before[6], 84);
    assert_eq!(after[9] - before[9], 16);
    (after[6], after[9]) = (before[6], before[9]);
    assert_eq!(after, before);
}

/// Time that some of `spans` cover.
fn covered(mut spans: Vec<(Instant, Instant)>) -> Span {
    spans.sort_unstable();
    let (mut all, mut last) = (Span::ZERO, Instant::ZERO);
    for (a, b) in spans {
        all += b.max(last) - a.max(last);
        last = last.max(b);
    }
    all
}

/// Checks `row` by `ppdus` alone, for `who`, between exchanges, or while one waits in vain.
fn check_against(
    ppdus: &[Ppdu],
    hears: &dyn Fn(StationId, StationId) -> bool,
    who: StationId,
    row: &Airtime,
) {
    let own = |what: Use| {
        let booked = |p: &Ppdu| match what {
            Use::Collision if p.garbled => p.end - p.start,
            Use::Collision => p.spoilt,
            _ if p.garbled => Span::ZERO,
            Use::Noise if p.lost => p.end - p.start,
            _ if p.lost || p.use_of != what => Span::ZERO,
            _ => p.end - p.start - p.spoilt,
        };
        let own = ppdus.iter().filter(|p| p.from == who);
        own.map(booked).sum::<Span>()
    };
    for what in &Use::OF_STATION[..6] {
        assert_eq!(row.of(*what), own(*what), "{what:?} of {who:?}");
    }
    let sent: Span = Use::OF_STATION[..6].iter().map(|u| row.of(*u)).sum();
    let heard = ppdus.iter().filter(|p| p.from == who || hears(who, p.from));
    let heard: Vec<_> = heard.collect();
    let spans = heard.iter().map(|p| (p.start, p.end));
    let least = covered(spans.collect()) - sent;
    let spans = heard.iter().map(|p| (p.start, p.nav));
    let most = covered(spans.collect()) - sent;
    let others = row.of(Use::Others);
    assert!(
        least <= others && others <= most,
        "{who:?}: {least:?} <= {others:?} <= {most:?}"
    );
    // At most one SIFS follows a PPDU that was read.
    let read = ppdus.iter().filter(|p| !p.garbled && !p.lost).count() as u64;
    assert!(row.of(Use::Sifs) <= SIFS * read, "{who:?}");
}

/// Time in a SIFS of an exchange of `who`, where nobody can spoil it: there is one between each two
/// PPDUs of an exchange.
fn gaps(ppdus: &[Ppdu], who: StationId) -> Span {
    let follows = |p: &&Ppdu| {
        let before = |o: &Ppdu| o.holder == p.holder && p.start == o.end + SIFS;
        (p.from == who || p.to == who) && ppdus.iter().any(before)
    };
    SIFS * ppdus.iter().filter(follows).count() as u64
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Whoever hears whom, whatever is sent and however: a row sums to the time that has passed, at
    /// any instant, and agrees with what was on the air.
    #[test]
    fn rows_sum_to_the_time_that_has_passed(
        stations in 1u16..6,
        audible in prop_oneof![Just(u32::MAX), any::<u32>()],
        ber in prop_oneof![Just(0.0), Just(2e-5), Just(1e-3)],
        rts in prop::option::of(0u32..3000),
        reverse: bool,
        hack: bool,
        linux: bool,
        txop in prop_oneof![Just(0u64), 400u64..4000],
        silence in prop_oneof![Just(AfterSilence::Quiet), Just(AfterSilence::Timeout), Just(AfterSilence::Everybody)],
        limit in prop_oneof![Just(0u32), 2000u32..20_000],
        delay in prop_oneof![Just(0u64), Just(1u64)],
        seed: u64,
        offers in prop::collection::vec((0u64..400, 0u32..12, 0u8..2, 40u32..1500), 1..150),
    ) {
        let mut config = cell(stations, ampdu(limit));
        for p in &mut config.ports {
            (p.errors, p.rts_from, p.grants_reverse) = (ErrorModel::Ber(ber), rts, reverse);
            p.carries_acks = hack.then_some(CarriedAcks { reserve: seed % 2 == 0, ..CarriedAcks::HACK });
        }
        let urgent = EdcaConfig { txop: Span::from_micros(txop), ..EdcaConfig::standard(AccessCategory::Voice) };
        for s in &mut config.stations {
            s.categories.insert(0, urgent);
            if linux {
                s.queue.kind = mac::Kind::PerStation(mac::StationsConfig::LINUX);
            }
        }
        (config.after_silence, config.propagation) = (silence, Span::from_micros(delay));
        let hears = move |a: StationId, b: StationId| {
            let (low, high) = (a.0.min(b.0), a.0.max(b.0));
            a == AP || b == AP || a == b || audible >> ((low * 5 + high) % 32) & 1 == 1
        };
        let open = audible == u32::MAX;
        let ids = || (0..=stations).map(StationId);
        config.hears = (!open).then(|| ids().map(|a| ids().map(|b| hears(a, b)).collect()).collect());
        let mut rig = Rig::new(config, seed);
        let rows = |rig: &Rig| ids().map(|s| rig.medium.station_airtime(s, rig.now)).collect::<Vec<_>>();
        let mut before = rows(&rig);
        for (gap, port, category, size) in &offers {
            rig.run(rig.now + Span::from_micros(*gap));
            rig.offer_as(port % (2 * u32::from(stations)), *size, *category);
            let after = rows(&rig);
            for (a, b) in before.iter().zip(&after) {
                prop_assert_eq!(Instant::ZERO + b.total(), rig.now);
                for what in [Use::Others, Use::Sifs, Use::Contention, Use::Idle] {
                    prop_assert!(a.of(what) <= b.of(what), "time is not taken back");
                }
            }
            before = after;
        }
        rig.run(rig.now + Span::from_millis(100));
        while !rig.medium.air.is_free() || rig.medium.in_sifs > 0 {
            rig.run(rig.now + Span::from_micros(10));
        }
        let air = rig.medium.airtime(rig.now);
        for (who, row) in ids().zip(rows(&rig)) {
            prop_assert_eq!(Instant::ZERO + row.total(), rig.now);
            check_against(&rig.log.ppdus, &hears, who, &row);
            let own = |u| row.of(u);
            if open {
                prop_assert_eq!(own(Use::Sifs), gaps(&rig.log.ppdus, who));
                prop_assert!(air.of(Use::Idle) <= own(Use::Idle) + own(Use::Others));
                // Nothing is reserved in vain or not at all: the medium waits when its stations do.
                if ber == 0.0 && !hack && !reverse && txop == 0 && delay == 0 {
                    let waits = |a: &Airtime| a.of(Use::Idle) + a.of(Use::Contention);
                    prop_assert_eq!(waits(&air), waits(&row), "{:?}", who);
                }
            }
        }
    }
}
