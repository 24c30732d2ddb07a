//! The engine against closed forms, conservation laws and itself.

use super::dumbbell::Dumbbell;
use super::window::{Window, WindowConfig};
use super::*;
use crate::plan::{
    AppPlan, DisciplinePlan, FlowPlan, ImpairPlan, JitterPlan, LinkPlan, LossPlan, PausesPlan,
    QueuePlan, WhenFull,
};
use acklab_path::impair::{Detour, LossPlace};
use acklab_path::packet::DropReason;
use acklab_path::qdisc::registry::DISCIPLINES;
use acklab_proto::registry::Params;
use acklab_units::{Rate, Span};
use proptest::prelude::*;

static GO: AtomicBool = AtomicBool::new(false);

/// Bytes of the IP packets that the fixed-window transport makes.
const FULL: u64 = 1500;
const BARE: u64 = 52;

pub(super) fn run(plan: &Plan, config: WindowConfig) -> RunResult {
    run_seed(plan, config, 1)
}

pub(super) fn run_seed(plan: &Plan, config: WindowConfig, seed: u64) -> RunResult {
    run_with(plan, seed, &GO, |_| Window::new(config)).unwrap()
}

pub(super) fn mbit(n: u64) -> Rate {
    Rate::from_bps(n * 1_000_000)
}

pub(super) fn ms(n: u64) -> Span {
    Span::from_millis(n)
}

/// A chain of nodes with the same links in both directions and one flow from end to end.
pub(super) fn chain(links: &[(Rate, Span)], app: AppPlan) -> Plan {
    let mut plan = Dumbbell::default().plan();
    plan.nodes = (0..=links.len()).map(|i| format!("n{i}")).collect();
    let template = plan.links[0].clone();
    let hop = |i: usize, there: bool| LinkPlan {
        name: format!("{i}{}", if there { '>' } else { '<' }),
        from: if there { i } else { i + 1 },
        to: if there { i + 1 } else { i },
        rate: links[i].0,
        delay: links[i].1,
        ..template.clone()
    };
    plan.links = (0..links.len())
        .flat_map(|i| [hop(i, true), hop(i, false)])
        .collect();
    let flow = &mut plan.flows[0];
    flow.src = 0;
    flow.dst = links.len();
    flow.forward = (0..links.len()).map(|i| 2 * i).collect();
    flow.reverse = (0..links.len()).rev().map(|i| 2 * i + 1).collect();
    flow.start = Instant::ZERO + ms(3);
    flow.start_jitter = Span::ZERO;
    flow.app = app;
    plan
}

pub(super) fn bulk(bytes: u64) -> AppPlan {
    AppPlan::Bulk {
        bytes: Some(bytes),
        until: None,
    }
}

/// Through a fast and then a slow link, and through a slow and then a fast one.
#[test]
fn a_train_crosses_two_hops_in_exactly_the_time_it_must_take() {
    let n = 40;
    let fast = (mbit(100), ms(2));
    let slow = (mbit(10), ms(5));
    let delays = ms(7);
    for (links, slow_first) in [([fast, slow], false), ([slow, fast], true)] {
        let r = run(&chain(&links, bulk(n * 1448)), WindowConfig::default());
        let expect = slow.0.serialisation(FULL) * n + fast.0.serialisation(FULL) + delays;
        assert_eq!(r.flows[0].completion, Some(expect), "{slow_first}");
        // The ACK of the last packet comes back behind no other.
        let way_back = slow.0.serialisation(BARE) + fast.0.serialisation(BARE) + delays;
        let queueing = r.links[0].stats.sojourn_max + r.links[2].stats.sojourn_max;
        let rtt = slow.0.serialisation(FULL) + fast.0.serialisation(FULL) + delays + way_back;
        let rtt_us = (rtt + queueing).as_nanos() / 1000;
        let measured = r.flows[0].min_rtt.unwrap().as_micros();
        assert!(
            measured <= rtt_us + 1 && measured >= rtt.as_micros(),
            "{measured} {rtt_us}"
        );
    }
}

#[test]
fn a_saturated_link_carries_exactly_its_rate() {
    let mut plan = Dumbbell::default().plan();
    // 10,000 packets of 1.2 ms each.
    plan.stop = Instant::ZERO + Span::from_secs(20);
    plan.measure_from = Instant::ZERO + Span::from_secs(8);
    let r = run(&plan, WindowConfig::default());
    let payload_bits = 10_000 * 1448 * 8;
    assert_eq!(r.flows[0].goodput_bps, f64::from(payload_bits) / 12.0);
    assert_eq!(r.links[0].stats.dropped(), 0);
    // Everything in the window that is not on its way waits at the bottleneck.
    assert!(r.links[0].stats.max_waiting > 20);
}

#[test]
fn drop_tail_drops_what_does_not_fit() {
    // A burst of 30 into a queue of 10, behind one packet in service.
    let mut plan = chain(&[(mbit(10), ms(50))], bulk(30 * 1448));
    plan.links[0].queue = QueuePlan::Packets(10);
    plan.stop = Instant::ZERO + ms(100);
    let r = run(&plan, WindowConfig::default());
    let s = &r.links[0].stats;
    // FIN follows the data.
    assert_eq!((s.offered, s.dropped_for(DropReason::QueueFull)), (31, 20));
    assert_eq!(s.delivered, 11);
    plan.links[0].queue = QueuePlan::Bytes(10 * FULL + BARE);
    let s = run(&plan, WindowConfig::default()).links[0].stats;
    assert_eq!(
        (s.offered, s.delivered, s.max_waiting),
        (31, 12, 11),
        "FIN still fits"
    );
}

#[test]
fn lost_packets_are_sent_again_until_everything_has_arrived() {
    let mut plan = chain(&[(mbit(10), ms(5)), (mbit(20), ms(5))], bulk(1_000_000));
    plan.links[0].impair.loss = LossPlan::Bernoulli(0.02);
    plan.links[3].impair.loss = LossPlan::Periodic(50);
    let r = run(&plan, WindowConfig::default());
    assert_eq!(r.flows[0].received_bytes, 1_000_000);
    assert!(r.flows[0].completion.is_some());
    assert!(r.links[0].stats.dropped_for(DropReason::RandomLoss) > 5);
}

#[test]
fn an_exchange_takes_one_round_trip() {
    let app = AppPlan::RequestResponse {
        request: 100,
        response: 1000,
        think: ms(10),
        count: Some(5),
    };
    let r = run(&chain(&[(mbit(10), ms(20))], app), WindowConfig::default());
    let took = mbit(10).serialisation(BARE + 100) + mbit(10).serialisation(BARE + 1000) + ms(40);
    let f = &r.flows[0];
    assert_eq!(
        (f.exchanges, f.exchange_mean, f.exchange_max),
        (5, took, took)
    );
    assert_eq!(f.completion, Some(took * 5 + ms(10) * 4));
    assert_eq!(f.received_bytes, 5000);
}

#[test]
fn bursts_arrive_at_their_mean_rate() {
    let app = AppPlan::OnOff {
        rate: mbit(4),
        on: ms(100),
        off: ms(300),
        chunk: 1000,
        random: false,
        when_full: WhenFull::Keep,
    };
    let mut plan = chain(&[(mbit(10), ms(5))], app);
    plan.flows[0].start = Instant::ZERO;
    plan.stop = Instant::ZERO + Span::from_secs(4);
    let r = run(&plan, WindowConfig::default());
    // 50 kB in each of ten periods.
    assert_eq!(r.flows[0].received_bytes, 500_000);
}

#[test]
fn the_same_seed_gives_the_same_result_and_runs_do_not_disturb_each_other() {
    let mut plan = Dumbbell {
        flows: 5,
        length: Span::from_secs(5),
        ..Dumbbell::default()
    }
    .plan();
    plan.record.every = Some(ms(50));
    plan.links[0].impair.loss = LossPlan::Bernoulli(0.01);
    plan.links[0].impair.jitter = JitterPlan::Uniform(ms(2));
    let config = WindowConfig::default();
    let results: Vec<_> = std::thread::scope(|scope| {
        let runs: Vec<_> = [1, 1, 2]
            .map(|seed| {
                scope.spawn({
                    let plan = &plan;
                    move || run_seed(plan, config, seed)
                })
            })
            .into();
        runs.into_iter().map(|run| run.join().unwrap()).collect()
    });
    assert_eq!(results[0], results[1]);
    assert_ne!(results[0], results[2]);
}

#[test]
fn another_flow_does_not_move_the_draws_of_the_first() {
    let starts = |flows| {
        let plan = Dumbbell {
            flows,
            length: Span::from_secs(1),
            ..Dumbbell::default()
        }
        .plan();
        run(&plan, WindowConfig::default())
            .flows
            .iter()
            .map(|f| f.start)
            .collect::<Vec<_>>()
    };
    let (few, many) = (starts(2), starts(3));
    assert_eq!(few[..], many[..2]);
    assert!(
        many.iter()
            .all(|at| *at < Instant::ZERO + Span::from_secs(1))
    );
    assert!(many[0] != many[1] && many[1] != many[2]);
}

#[test]
fn watching_changes_nothing() {
    let mut plan = Dumbbell {
        flows: 2,
        length: Span::from_secs(5),
        ..Dumbbell::default()
    }
    .plan();
    plan.links[0].impair.reorder = 0.01;
    plan.links[0].impair.reorder_delay = ms(3);
    let unwatched = run(&plan, WindowConfig::default());
    plan.record.every = Some(ms(1));
    let watched = run(&plan, WindowConfig::default());
    assert_eq!(watched.flows, unwatched.flows);
    assert_eq!(watched.links, unwatched.links);
    assert_eq!(unwatched.series.links.time_ns.len(), 0);
    assert_eq!(watched.series.links.time_ns.len(), 5001 * plan.links.len());
    let s = &watched.series.flows;
    assert!(s.len() > 2 * 4000 && s.states() == ["fixed_window"]);
    assert_eq!(s.times().last(), Some(plan.stop));
}

#[test]
fn a_run_can_be_stopped() {
    let plan = Dumbbell::default().plan();
    let stop = AtomicBool::new(true);
    let config = WindowConfig::default();
    let stopped = run_with(&plan, 1, &stop, |_| Window::new(config)).unwrap_err();
    assert!(stopped.at < plan.stop);
}

/// Keeps what it hears, and stops the run at the third look.
#[derive(Debug, Default)]
struct Looks(std::sync::Mutex<Vec<Instant>>);

impl Watch for Looks {
    fn stops(&self, at: Instant) -> bool {
        let mut looks = self.0.lock().unwrap();
        looks.push(at);
        looks.len() == 3
    }
}

#[test]
fn whoever_looks_hears_the_time_that_a_run_has_reached() {
    let plan = Dumbbell::default().plan();
    let looks = Looks::default();
    let config = WindowConfig::default();
    let stopped = run_with(&plan, 1, &looks, |_| Window::new(config)).unwrap_err();
    let looks = looks.0.into_inner().unwrap();
    assert!(looks.is_sorted() && looks[0] > Instant::ZERO && looks[0] < looks[2]);
    assert_eq!(looks[2..], [stopped.at]);
}

fn impairments() -> impl Strategy<Value = ImpairPlan> {
    let loss = prop_oneof![
        3 => Just(LossPlan::None),
        1 => (0.0f64..0.1).prop_map(LossPlan::Bernoulli),
        1 => (0u64..100).prop_map(LossPlan::Periodic),
        1 => Just(LossPlan::GilbertElliott { p: 0.01, r: 0.3, loss_good: 0.0, loss_bad: 0.8 }),
        1 => (0u64..2000, 1u64..1000).prop_map(|(from, length)| {
            let from = Instant::ZERO + ms(from);
            LossPlan::Outage { from, until: from + ms(length), every: None }
        }),
    ];
    let pauses = prop::option::weighted(0.3, (1u64..5, 1u64..50)).prop_map(|p| {
        p.map(|(length, gap)| PausesPlan {
            length: ms(length),
            gap: ms(gap),
            of: "l0".into(),
        })
    });
    let detour = prop::option::weighted(0.3, (0u64..2000, 1u64..1000, 1u64..200)).prop_map(|d| {
        d.map(|(from, length, extra)| Detour {
            from: Instant::ZERO + ms(from),
            until: Instant::ZERO + ms(from + length),
            extra: ms(extra),
        })
    });
    (
        loss,
        0u64..4,
        0.0f64..0.1,
        0u64..5,
        0.0f64..0.1,
        pauses,
        detour,
    )
        .prop_map(
            |(loss, jitter, reorder, held, duplicate, pauses, detour)| ImpairPlan {
                detour,
                ce: 0.0,
                loss,
                loss_place: match jitter {
                    0 | 3 => LossPlace::BehindQueue,
                    _ => LossPlace::BeforeQueue,
                },
                pauses,
                jitter: match jitter {
                    0 => JitterPlan::None,
                    3 => JitterPlan::LogNormal {
                        median: ms(1),
                        p99: ms(8),
                        max: ms(30),
                    },
                    n => JitterPlan::Uniform(ms(n)),
                },
                reorder: if held > 2 { reorder } else { 0.0 },
                reorder_delay: ms(held),
                duplicate: if held % 2 == 0 { duplicate } else { 0.0 },
            },
        )
}

fn applications() -> impl Strategy<Value = AppPlan> {
    prop_oneof![
        (1u64..400_000).prop_map(bulk),
        Just(AppPlan::Bulk {
            bytes: None,
            until: Some(Instant::ZERO + ms(700)),
        }),
        (1u64..5000, 1u64..20_000).prop_map(|(request, response)| AppPlan::RequestResponse {
            request,
            response,
            think: ms(5),
            count: None,
        }),
        Just(AppPlan::OnOff {
            rate: mbit(3),
            on: ms(20),
            off: ms(30),
            chunk: 900,
            random: true,
            when_full: WhenFull::Drop,
        }),
    ]
}

/// Each discipline over some of the queues in packets, half of them over a device.
fn discipline(queue: u32) -> Option<DisciplinePlan> {
    // Even numbers are packets; one in four of those is drop-tail without a discipline.
    let which = (queue / 2)
        .checked_sub(1)
        .filter(|_| queue.is_multiple_of(2) && !queue.is_multiple_of(8))?;
    let entry = &DISCIPLINES[which as usize % DISCIPLINES.len()];
    Some(DisciplinePlan {
        entry,
        params: Params::defaults(entry.params),
        device: queue / 8 % 2 * 3,
    })
}

prop_compose! {
    /// A ring of `n` nodes; flows go around it in both directions, so links are shared by data
    /// and ACKs of different flows at different hops.
    pub(crate) fn rings()(n in 2usize..6)(
        links in proptest::collection::vec(
            (1u64..40, 0u64..20, 1u32..60, impairments()), 2 * n),
        flows in proptest::collection::vec(
            (0..n, 1..n, applications(), 0u64..500), 1..6),
        n in Just(n),
    ) -> Plan {
        let mut plan = Dumbbell::default().plan();
        let link = plan.links[0].clone();
        let flow = plan.flows[0].clone();
        plan.nodes = (0..n).map(|i| format!("n{i}")).collect();
        plan.stop = Instant::ZERO + Span::from_secs(2);
        // 0..n go clockwise from node i, n..2n counter-clockwise to node i.
        plan.links = links.into_iter().enumerate().map(|(i, (rate, delay, queue, impair))| {
            let (a, b) = (i % n, (i + 1) % n);
            let (from, to) = if i < n { (a, b) } else { (b, a) };
            LinkPlan {
                name: format!("l{i}"), from, to,
                rate: mbit(rate),
                delay: ms(delay),
                queue: if queue % 2 == 0 {
                    QueuePlan::Packets(queue)
                } else {
                    QueuePlan::Bytes(u64::from(queue) * 1500)
                },
                discipline: discipline(queue),
                impair,
                ..link.clone()
            }
        }).collect();
        plan.flows = flows.into_iter().enumerate().map(|(i, (src, hops, app, start))| {
            let around: Vec<_> = (0..hops).map(|h| (src + h) % n).collect();
            FlowPlan {
                name: format!("f{i}"), src, app,
                dst: (src + hops) % n,
                reverse: around.iter().rev().map(|l| l + n).collect(),
                forward: around,
                start: Instant::ZERO + ms(start),
                ..flow.clone()
            }
        }).collect();
        plan
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    /// Links, queues and the arena check their books at every step in this build; here the whole
    /// network is balanced at the end, and nobody got more than a link can carry.
    #[test]
    fn nothing_appears_or_vanishes(plan in rings(), seed in 0u64..1000) {
        let mut engine = Engine::new(&plan, seed, |_| Window::new(WindowConfig::default()), Nothing);
        engine.run(plan.stop, &GO).unwrap();
        engine.network.check();
        let r = engine.finish(&plan);
        for (link, plan) in r.links.iter().zip(&plan.links) {
            let s = &link.stats;
            prop_assert_eq!(s.offered + s.duplicated, s.delivered + s.dropped() + link.inside);
            prop_assert!(link.utilisation <= 1.0);
            let carried = plan.rate.bytes_in(Span::from_secs(2)) + FULL;
            prop_assert!(s.duplicated > 0 || s.delivered_bytes <= carried);
        }
        for (flow, plan) in r.flows.iter().zip(&plan.flows) {
            if let AppPlan::Bulk { bytes: Some(bytes), .. } = plan.app {
                prop_assert!(flow.received_bytes <= bytes);
                prop_assert_eq!(flow.completion.is_some(), flow.received_bytes == bytes);
            }
        }
    }

    #[test]
    fn runs_repeat_byte_for_byte(plan in rings(), seed in 0u64..1000) {
        let (a, b) = (run_seed(&plan, WindowConfig::default(), seed),
                      run_seed(&plan, WindowConfig::default(), seed));
        prop_assert_eq!(format!("{a:?}"), format!("{b:?}"));
    }
}
