//! A caller who is late, as a clock on a wall always makes one.

use super::*;
use alloc::collections::BTreeMap;
use proptest::prelude::*;

/// A caller of the medium: at the instants that it names, or some time after them.
struct Caller {
    rig: Rig,
    lateness: Vec<u64>,
    asked: usize,
}

impl Caller {
    fn new(config: MediumConfig, seed: u64, lateness: &[u64]) -> Self {
        Self {
            rig: Rig::new(config, seed),
            lateness: lateness.to_vec(),
            asked: 0,
        }
    }

    /// How late the next call is.
    fn late(&mut self) -> Span {
        self.asked += 1;
        let late = self.lateness.get(self.asked % self.lateness.len().max(1));
        Span::from_micros(late.copied().unwrap_or(0))
    }

    /// Everything that arrives before `end`, with the instant at which the caller learned of it: what is
    /// offered at an instant comes before what is due then.
    fn run(&mut self, end: Instant) -> Vec<(Instant, u32)> {
        let mut all = vec![];
        loop {
            while let Some(packet) = self.rig.medium.advance(self.rig.now, &mut self.rig.log) {
                all.push((self.rig.now, packet.id.0));
            }
            let Some(at) = self.rig.medium.next_wakeup().filter(|at| *at < end) else {
                return all;
            };
            let asked = at + self.late();
            if asked >= end {
                return all;
            }
            self.rig.now = asked.max(self.rig.now);
        }
    }

    fn deliver(&mut self, offers: &[(u64, u32, u32)]) -> Vec<(Instant, u32)> {
        let mut all = vec![];
        for (at, port, size) in offers {
            all.extend(self.run(us(*at)));
            self.rig.now = us(*at);
            self.rig.offer(*port, *size);
        }
        all.extend(self.run(us(30_000_000)));
        all
    }
}

proptest! {
    /// However late the calls come, the same PPDUs are on the air at the same instants, the same
    /// packets are lost, and arrivals are handed out in the same order, no later than the calls.
    #[test]
    fn what_is_due_happens_at_its_instant(
        stations in 1u16..8,
        limit in prop_oneof![Just(0u32), 2000u32..65_536],
        ber in prop_oneof![Just(0.0), Just(1e-5), Just(5e-5)],
        rts in prop::option::of(0u32..3000),
        reverse: bool,
        hidden: bool,
        hack: bool,
        lifetime in prop::option::of(200u64..20_000),
        seed: u64,
        offers in prop::collection::vec((0u64..400, 0u32..24, prop_oneof![40u32..1500, Just(52)]), 1..100),
        lateness in prop::collection::vec(prop_oneof![0u64..100, 0u64..20_000], 1..20),
    ) {
        let mut config = cell(stations, ampdu(limit));
        for p in &mut config.ports {
            (p.errors, p.rts_from, p.grants_reverse) = (ErrorModel::Ber(ber), rts, reverse);
            p.carries_acks = hack.then_some(CarriedAcks::HACK);
        }
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
        let mut punctual = Caller::new(config.clone(), seed, &[]);
        let mut late = Caller::new(config, seed, &lateness);
        let (on_time, told) = (punctual.deliver(&offers), late.deliver(&offers));
        prop_assert_eq!(&punctual.rig.log.ppdus, &late.rig.log.ppdus);
        prop_assert_eq!(&punctual.rig.log.drops, &late.rig.log.drops);
        prop_assert_eq!(&punctual.rig.log.left, &late.rig.log.left);
        let most = Span::from_micros(*lateness.iter().max().unwrap());
        prop_assert_eq!(on_time.len(), told.len());
        for (due, seen) in on_time.iter().zip(&told) {
            prop_assert_eq!(due.1, seen.1);
            prop_assert!(due.0 <= seen.0 && seen.0 <= due.0 + most, "{due:?} {seen:?}");
        }
    }
}

/// Fates of packets that enter at those instants, by number: instants of arrival, and losses.
fn outcome(
    config: &MediumConfig,
    seed: u64,
    offers: &[(Instant, u32, u32)],
) -> (BTreeMap<u32, Instant>, Vec<(u32, DropReason)>) {
    let mut rig = Rig::new(config.clone(), seed);
    let mut arrived = BTreeMap::new();
    let mut note = |rig: &mut Rig, end| {
        arrived.extend(rig.run(end).into_iter().map(|(at, packet)| (packet, at)));
    };
    for (at, port, size) in offers {
        note(&mut rig, *at);
        rig.offer(*port, *size);
    }
    note(&mut rig, us(60_000_000));
    (arrived, rig.log.drops)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Packets that are *offered* late, in their order, by one who is alone on the air and sends one at a time (two
    /// that enter at one instant go by the numbers of their addressees): the same are lost, and
    /// none arrives later than by the longest of the delays up to it and a slot, for who finds the air idle sends
    /// at the next boundary. Others have no such bound: with A-MPDUs the next one can be missed, and two who
    /// contend can collide for a nanosecond.
    #[test]
    fn a_sender_that_is_alone_and_late_is_late_by_a_slot_more(
        stations in 1u16..5,
        down: bool,
        ber in prop_oneof![Just(0.0), Just(1e-5), Just(1e-4)],
        rts in prop::option::of(0u32..1500),
        seed: u64,
        offers in prop::collection::vec((prop_oneof![1u64..50_000, 1u64..1_500_000], 0u32..4, 40u32..1500), 1..80),
        lateness in prop::collection::vec(prop_oneof![0u64..2000, 0u64..5_000_000], 1..20),
    ) {
        let mut config = cell(stations, Aggregation::NONE);
        for p in &mut config.ports {
            (p.errors, p.rts_from) = (ErrorModel::Ber(ber), rts);
        }
        // A lifetime would make losses depend on the clock.
        config.stations.iter_mut().for_each(|s| s.queue.lifetime = None);
        let port = |n: u32| if down { 2 * (n % u32::from(stations)) + 1 } else { 0 };
        let mut at = us(100);
        let offers: Vec<_> = offers.iter().map(|(gap, n, size)| {
            at += Span::from_nanos(*gap);
            (at, port(*n), *size)
        }).collect();
        let (mut last, mut longest) = (Instant::ZERO, Span::ZERO);
        let later: Vec<_> = offers.iter().enumerate().map(|(n, (at, port, size))| {
            last = (last + Span::from_nanos(1)).max(*at + Span::from_nanos(lateness[n % lateness.len()]));
            (last, *port, *size)
        }).collect();
        let ((due, lost), (seen, gone)) = (outcome(&config, seed, &offers), outcome(&config, seed, &later));
        prop_assert_eq!(lost, gone);
        prop_assert_eq!(due.len(), seen.len());
        let slot = config.phy.slot();
        for (n, (at, late)) in (0..).zip(offers.iter().zip(&later)) {
            longest = longest.max(late.0 - at.0);
            if let Some(due) = due.get(&n) {
                prop_assert!(seen[&n] < *due + longest + slot, "{n}: {due:?} {:?} {longest:?}", seen[&n]);
            }
        }
    }
}

/// Two who contend: at the same boundary they collide, a nanosecond later the second finds the air busy.
#[test]
fn who_contends_can_lose_more_than_the_lateness() {
    let config = cell(2, Aggregation::NONE);
    let boundary = Instant::ZERO + config.phy.aifs(3) + config.phy.slot() * 100;
    let before = |ns| Instant::from_nanos(boundary.as_nanos() - ns);
    let arrives =
        |second: Instant| outcome(&config, 1, &[(before(10), 0, 1500), (second, 2, 1500)]).0;
    let (prompt, late) = (arrives(before(1)), arrives(boundary));
    let moved = |n: u32| prompt[&n].max(late[&n]) - prompt[&n].min(late[&n]);
    assert!(
        moved(0).max(moved(1)) > Span::from_micros(200),
        "{prompt:?} {late:?}"
    );
}
