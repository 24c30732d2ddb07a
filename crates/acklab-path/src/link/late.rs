//! A caller who is late, as a clock on a wall always makes one.

use super::*;
use crate::ack_filter::registry::FILTERS;
use crate::impair::{Detour, JitterConfig, LossConfig, LossPlace, PausesConfig};
use crate::packet::{FlowId, PacketId};
use acklab_proto::datagram::Datagram;
use acklab_proto::registry::Params;
use acklab_proto::segment::{Ecn, Flags, Segment};
use acklab_units::SeqNum;
use proptest::prelude::*;
use std::vec::Vec;

/// Every packet is an acknowledgement, newer than the one before.
#[derive(Default)]
struct Driver {
    copies: u32,
    drops: Vec<(Instant, u32, DropReason)>,
}

impl PacketStore for Driver {
    fn datagram(&self, id: PacketId) -> Datagram {
        Datagram::Tcp(Segment {
            ack: SeqNum(id.0 % COPIES * 1448),
            flags: Flags::ACK,
            window: 1000,
            ..Segment::default()
        })
    }

    fn duplicate(&mut self, packet: Packet) -> Packet {
        self.copies += 1;
        let id = PacketId(COPIES * self.copies + packet.id.0);
        Packet { id, ..packet }
    }
}

impl LinkDriver for Driver {
    fn on_drop(&mut self, now: Instant, packet: Packet, reason: DropReason) {
        self.drops.push((now, packet.id.0, reason));
    }
}

/// Numbers of copies begin here.
const COPIES: u32 = 10_000;

fn at(ns: u64) -> Instant {
    Instant::from_nanos(ns)
}

/// Offers packets at these instants and asks `late(n)` after each instant that the link names. Returns
/// what arrived, with the instant at which the caller learned of it.
fn drive(
    link: &mut Link,
    driver: &mut Driver,
    offers: &[u64],
    late: impl Fn(usize) -> Span,
) -> Vec<(Instant, u32)> {
    let mut out = Vec::new();
    let mut asked = 0;
    let mut wake = |link: &mut Link, driver: &mut Driver, until: Instant| {
        while let Some(due) = link.next_wakeup() {
            let now = due.saturating_add(late(asked));
            if now > until {
                return;
            }
            asked += 1;
            while let Some(p) = link.advance(now, driver) {
                out.push((now, p.id.0));
            }
        }
    };
    for (id, now) in (0..).zip(offers) {
        wake(link, driver, at(*now));
        let packet = Packet {
            id: PacketId(id),
            size: 52,
            flow: FlowId(0),
            ecn: Ecn::Ect0,
        };
        link.offer(at(*now), packet, driver);
    }
    wake(link, driver, at(u64::MAX - 1));
    out
}

fn offers() -> impl Strategy<Value = Vec<u64>> {
    proptest::collection::vec(0u64..400_000, 1..200).prop_map(|gaps| {
        let sum = |at: &mut u64, gap| {
            *at += gap;
            Some(*at)
        };
        gaps.into_iter().scan(0, sum).collect()
    })
}

/// A stretch of the first tenth of a second.
fn stretch() -> impl Strategy<Value = (Instant, Instant)> {
    (0u64..100_000, 1u64..30_000).prop_map(|(from, length)| {
        let from = Instant::ZERO + Span::from_micros(from);
        (from, from + Span::from_micros(length))
    })
}

prop_compose! {
    fn configs()(
        rate in 1u64..20,
        loss in 0.0f64..0.3,
        before: bool,
        (jitter, detour, outage) in (0u64..5, proptest::option::of(stretch()), proptest::option::of(stretch())),
        pauses in proptest::option::of((1u64..5000, 1u64..50_000)),
        (reorder, duplicate) in (0.0f64..0.2, 0.0f64..0.2),
        order: bool,
    ) -> LinkConfig {
        LinkConfig {
            rate: Rate::from_bps(rate * 100_000),
            delay: Span::from_millis(5),
            overhead: 2,
            impair: ImpairConfig {
                loss: match outage {
                    None => LossConfig::Bernoulli(loss),
                    Some((from, until)) => LossConfig::Outage { from, until, every: None },
                },
                loss_place: if before { LossPlace::BeforeQueue } else { LossPlace::BehindQueue },
                ce: 0.0,
                jitter: JitterConfig::Uniform(Span::from_millis(jitter)),
                detour: detour.map(|(from, until)| Detour { from, until, extra: until - from }),
                pauses: pauses.map(|(length, gap)| PausesConfig {
                    length: Span::from_micros(length),
                    gap: Span::from_micros(gap),
                }),
                reorder: if order { 0.0 } else { reorder },
                reorder_delay: Span::from_millis(2),
                duplicate: if order { 0.0 } else { duplicate },
            },
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// However late calls come, a link loses the same packets at the same instants, and hands out
    /// the same in the same order; nobody learns of it later than at the call.
    #[test]
    fn what_is_due_happens_at_its_instant(
        config in configs(),
        offers in offers(),
        limit in 1u32..30,
        real: bool,
        filter in 0..=FILTERS.len(),
        lateness in proptest::collection::vec(prop_oneof![0u64..1000, 0u64..20_000_000], 1..20),
    ) {
        let link = || {
            let filter = FILTERS.get(filter).map(|f| (f.build)(&Params::defaults(f.params)));
            let queue = pfifo::Limit::Packets(limit).into();
            let queue = match real {
                true => Queue::Discipline(Box::new(pfifo::Pfifo::new(queue))),
                false => Queue::Pfifo(queue),
            };
            Link::new(&config, queue, filter, LinkStreams::new(11, "l"))
        };
        let (mut a, mut b) = (link(), link());
        let (mut punctual, mut late) = (Driver::default(), Driver::default());
        let on_time = drive(&mut a, &mut punctual, &offers, |_| Span::ZERO);
        let told = drive(&mut b, &mut late, &offers, |n| {
            Span::from_nanos(lateness[n % lateness.len()])
        });
        // A late report may come after later events.
        for drops in [&mut punctual.drops, &mut late.drops] {
            drops.sort_by_key(|d| (d.0, d.1));
        }
        prop_assert_eq!(punctual.drops, late.drops);
        prop_assert_eq!(a.stats(), b.stats());
        prop_assert_eq!(a.filter_stats(), b.filter_stats());
        let most = Span::from_nanos(*lateness.iter().max().unwrap());
        prop_assert_eq!(on_time.len(), told.len());
        for (due, seen) in on_time.iter().zip(&told) {
            prop_assert_eq!(due.1, seen.1);
            prop_assert!(due.0 <= seen.0 && seen.0 <= due.0 + most, "{due:?} {seen:?}");
        }
    }

    /// Packets that enter late, in the same order, leave late by no more, if nothing is full.
    #[test]
    fn lateness_does_not_grow(
        offers in offers(),
        rate in 1u64..20,
        real: bool,
        lateness in proptest::collection::vec(0u64..2_000_000, 1..20),
    ) {
        let most = *lateness.iter().max().unwrap();
        let mut last = 0;
        let entered: Vec<_> = offers.iter().enumerate().map(|(n, at)| {
            last = (at + lateness[n % lateness.len()]).max(last);
            last
        }).collect();
        let run = |offers: &[u64]| {
            let config = LinkConfig {
                rate: Rate::from_bps(rate * 100_000),
                delay: Span::from_millis(5),
                overhead: 2,
                impair: ImpairConfig::default(),
            };
            let queue = pfifo::Limit::Packets(u32::MAX).into();
            let queue = match real {
                true => Queue::Discipline(Box::new(pfifo::Pfifo::new(queue))),
                false => Queue::Pfifo(queue),
            };
            let mut link = Link::new(&config, queue, None, LinkStreams::new(11, "l"));
            drive(&mut link, &mut Driver::default(), offers, |_| Span::ZERO)
        };
        for (due, seen) in run(&offers).iter().zip(run(&entered)) {
            prop_assert_eq!(due.1, seen.1);
            prop_assert!(due.0 <= seen.0 && seen.0 <= due.0 + Span::from_nanos(most));
        }
    }
}
