//! Invariants of the medium.

use super::*;
use crate::wifi::agreement::AddbaConfig;
use crate::wifi::mac::Recipient;
use alloc::collections::{BTreeMap, BTreeSet};
use proptest::prelude::*;

/// Sends a number of packets over each port while the channel errs, and looks at the outcome.
pub(super) fn deliver(
    config: MediumConfig,
    seed: u64,
    offers: &[(u64, u32, u32)],
    afterwards: Span,
) -> (Rig, Vec<(Instant, u32)>) {
    let mut rig = Rig::new(config, seed);
    let mut all = vec![];
    for (at, port, size) in offers {
        all.extend(rig.run(us(*at).max(rig.now)));
        rig.offer(*port, *size);
    }
    let end = rig.now + afterwards;
    all.extend(rig.run(end));
    (rig, all)
}

/// Whether each packet has arrived once, in the order of its port, or was dropped; how many did either.
pub(super) fn once_and_in_order(
    rig: &Rig,
    arrived: &[(Instant, u32)],
    offers: &[(u64, u32, u32)],
) -> Result<u64, TestCaseError> {
    let mut last: BTreeMap<u32, u32> = BTreeMap::new();
    for (_, id) in arrived {
        let port = offers[*id as usize].1;
        if let Some(before) = last.insert(port, *id) {
            prop_assert!(before < *id, "{id} after {before}");
        }
    }
    let mut seen: Vec<u32> = arrived.iter().map(|a| a.1).collect();
    seen.extend(rig.log.drops.iter().map(|d| d.0));
    let ended = seen.len() as u64;
    let distinct: BTreeSet<_> = seen.into_iter().collect();
    prop_assert_eq!(distinct.len() as u64, ended, "each once");
    Ok(ended)
}

fn aggregation() -> impl Strategy<Value = Aggregation> {
    (
        prop_oneof![Just(0u32), 2000u32..65_536],
        prop_oneof![Just(0u32), Just(3839), Just(7935)],
        prop_oneof![Just(64u16), Just(8), Just(256)],
    )
        .prop_map(|(ampdu, amsdu, window)| Aggregation {
            ampdu,
            amsdu,
            window,
            ..Aggregation::NONE
        })
}

/// Whether each A-MPDU goes to who has sent a response before that could be read.
fn agreed_before_aggregates(ppdus: &[Ppdu]) -> bool {
    let mut agreed = BTreeSet::new();
    ppdus.iter().all(|p| {
        if p.kind == PpduKind::AddbaResponse && !p.garbled && !p.lost {
            agreed.insert((p.to, p.from));
        }
        p.mpdus < 2 || agreed.contains(&(p.from, p.to))
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    /// Every packet arrives once, in the order of its port, or is dropped; the air adds up.
    #[test]
    fn packets_are_conserved_and_stay_in_order(
        aggregation in aggregation(),
        stations in 1u16..12,
        ber in prop_oneof![Just(0.0), Just(1e-6), Just(1e-5), Just(5e-5)],
        rts in prop::option::of(0u32..3000),
        reverse: bool,
        hidden: bool,
        hack: bool,
        linux: bool,
        protected: bool,
        addba in prop::option::of(0u64..9000),
        lifetime in prop::option::of(200u64..20_000),
        seed: u64,
        offers in prop::collection::vec((0u64..400, 0u32..24, prop_oneof![40u32..1500, Just(52)]), 1..200),
    ) {
        let mut config = cell(stations, aggregation);
        let errors = ErrorModel::Ber(ber);
        for p in &mut config.ports {
            (p.errors, p.rts_from, p.grants_reverse) = (errors, rts, reverse);
        }
        if protected {
            config.phy = protection::phy();
        }
        if hack {
            let patience = Span::from_micros(seed % 3000);
            let carried = CarriedAcks { patience, ..CarriedAcks::HACK };
            config.ports.iter_mut().for_each(|p| p.carries_acks = Some(carried));
        }
        if linux {
            let kind = mac::Kind::PerStation(mac::StationsConfig::LINUX);
            config.stations.iter_mut().for_each(|s| s.queue.kind = kind);
        }
        config.addba = addba.map(|timeout| AddbaConfig {
            packets: 1 + (seed % 3) as u16,
            response_timeout: Span::from_micros(timeout),
            failed_timeout: Span::from_micros(timeout * 10),
        });
        if hidden {
            let n = usize::from(stations) + 1;
            config.hears = Some((0..n).map(|a| (0..n).map(|b| a == 0 || b == 0).collect()).collect());
        }
        let lifetime = lifetime.map(Span::from_micros);
        config.stations.iter_mut().for_each(|s| s.queue.lifetime = lifetime);
        let mut at = 0;
        let ports = 2 * u32::from(stations);
        let offers: Vec<_> = offers.iter().map(|(gap, port, size)| {
            at += gap;
            (at, port % ports, *size)
        }).collect();
        let (rig, arrived) = deliver(config, seed, &offers, Span::from_secs(20));
        let ended = once_and_in_order(&rig, &arrived, &offers)?;
        // Behind a gap of MPDUs that outlived themselves a recipient waits for the next that is sent, if
        // nobody has answered the BlockAckReq: the sender has nothing left for which it would ask again.
        let recipients = rig.medium.ports.iter().flat_map(|p| &p.recipients);
        let kept: u64 = recipients.map(Recipient::inside).sum();
        prop_assert_eq!(ended + kept, u64::from(rig.packets), "all of them");
        // And so it does behind an MPDU that was given up while only the recipient knew of the agreement.
        prop_assert!(kept == 0 || lifetime.is_some() || addba.is_some());
        prop_assert!(addba.is_none() || agreed_before_aggregates(&rig.log.ppdus));
        let longest = rig.log.left.iter().map(|l| l.1).max();
        prop_assert!(lifetime.is_none_or(|most| longest <= Some(most)), "{longest:?} {lifetime:?}");
        prop_assert_eq!(rig.medium.inside(), kept);
        let air = rig.medium.airtime(rig.now);
        prop_assert_eq!(Instant::ZERO + air.total(), rig.now);
        if !hidden {
            let quiet = [Use::Idle, Use::Contention, Use::Sifs].map(|u| air.of(u));
            let read = rig.log.ppdus.iter().filter(|p| !p.garbled);
            let busy: Span = read.map(|p| p.end - p.start).sum();
            let booked = air.total() - quiet.into_iter().sum() - air.of(Use::Collision);
            prop_assert_eq!(booked, busy, "every PPDU that could be read is booked");
        }
    }

    /// The same seed gives the same air.
    #[test]
    fn runs_repeat(seed: u64, n in 1u16..6) {
        let run = || {
            let mut rig = Rig::new(cell(n, ampdu(16_384)), seed);
            let ports: Vec<u32> = (0..2 * u32::from(n)).collect();
            rig.saturate(&ports, 1000, 3, us(30_000));
            rig.log.ppdus
        };
        prop_assert_eq!(run(), run());
    }
}

/// Five stations that do not hear each other, with and without RTS. Of an A-MPDU something arrives, of
/// a PPDU that cannot be parted nothing.
#[test]
fn hidden_stations_need_rts() {
    let rate = |limit, rts: Option<u32>, hidden: bool| {
        let mut config = cell(5, ampdu(limit));
        config.ports.iter_mut().for_each(|p| p.rts_from = rts);
        if hidden {
            let row = |a| (0..6).map(|b| a == 0 || b == 0 || a == b).collect();
            config.hears = Some((0..6).map(row).collect());
        }
        let mut rig = Rig::new(config, 9);
        let bytes: u64 = rig
            .saturate(&[0, 2, 4, 6, 8], 1460, 50, us(2_000_000))
            .iter()
            .sum();
        8.0 * bytes as f64 / 2e6
    };
    let all = |limit| {
        [(None, false), (None, true), (Some(0), true)].map(|(rts, hidden)| rate(limit, rts, hidden))
    };
    let shares = |[open, blind, guarded]: [f64; 3]| [blind / open, guarded / open];
    let (single, many) = (shares(all(0)), shares(all(65_535)));
    assert!(single[0] < 0.6 && single[1] > 0.65, "{single:?}");
    assert!(many[0] < 0.7 && many[1] > 1.0, "{many:?}");
    assert!(many[0] > single[0], "{many:?}, {single:?}");
}
