//! Properties that hold for all parameters and arrival patterns.

use super::super::testing::{self, Arrival, at, packet};
use super::*;
use acklab_units::SeqNum;
use proptest::prelude::*;

fn arrivals() -> impl Strategy<Value = Vec<Arrival>> {
    testing::arrivals(0..3_000, 3)
}

fn options() -> impl Strategy<Value = Options> {
    let timeout = prop_oneof![
        Just(None),
        (1u64..8_000).prop_map(|us| Some(Span::from_micros(us)))
    ];
    let flags = (any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>());
    (1u32..12, timeout, flags, any::<bool>(), 1u32..20).prop_map(
        |(ratio, timeout, (rearm, burst, dup, sack), per_flow, capacity)| Options {
            ratio,
            timeout,
            rearm,
            release: if burst { Release::Burst } else { Release::Last },
            rules: Rules {
                pass_duplicates: dup,
                pass_sack: sack,
                pass_handshake: true,
            },
            per_flow,
            sleeps: false,
            capacity,
        },
    )
}

/// Plays arrivals and timers; checks what must hold after each step.
struct Play {
    filter: Aggregate,
    segments: Vec<Segment>,
    flows: Vec<u32>,
    now: u64,
    out: Vec<Verdict>,
}

impl Play {
    fn new(options: Options) -> Self {
        let mut filter = Aggregate::new(&Params::defaults(PARAMS));
        filter.options = options;
        Self {
            filter,
            segments: Vec::new(),
            flows: Vec::new(),
            now: 0,
            out: Vec::new(),
        }
    }

    fn timers(&mut self, until: u64) {
        while let Some(t) = self.filter.next_wakeup().filter(|t| *t <= at(until)) {
            self.filter.on_wakeup(t, &mut self.out);
            assert!(self.filter.next_wakeup() != Some(t), "a timer that spins");
        }
        self.now = until;
    }

    fn arrive(&mut self, (gap, flow, segment): &Arrival) {
        self.timers(self.now + gap);
        let id = self.segments.len() as u32;
        self.segments.push(*segment);
        self.flows.push(*flow);
        let p = packet(id, *flow);
        self.filter
            .on_packet(at(self.now), p, segment, &mut self.out);
        let s = self.filter.stats;
        assert_eq!(s.seen, s.forwarded + s.dropped + u64::from(s.held));
        let timer = self.filter.next_wakeup();
        let waits = s.held > 0 && self.filter.options.timeout.is_some();
        assert_eq!(timer.is_some(), waits);
        if !segment.is_pure_ack() {
            let last = self.out.last();
            assert_eq!(last, Some(&Verdict::Forward(p, ForwardReason::Untouchable)));
        }
    }

    fn all(options: Options, arrivals: &[Arrival]) -> Self {
        let mut play = Self::new(options);
        arrivals.iter().for_each(|a| play.arrive(a));
        play
    }
}

fn id(verdict: &Verdict) -> u32 {
    match verdict {
        Verdict::Forward(p, _) | Verdict::Drop(p, _) => p.id.0,
        Verdict::DropQueued(i) | Verdict::Replace { queued: i, .. } => i.0,
    }
}

proptest! {
    #[test]
    fn each_packet_has_one_fate_and_order_is_kept(o in options(), a in arrivals()) {
        let play = Play::all(o, &a);
        let mut fates: Vec<u32> = play.out.iter().map(id).collect();
        fates.sort_unstable();
        fates.dedup();
        prop_assert_eq!(fates.len(), play.out.len(), "a packet judged twice");
        prop_assert_eq!(fates.len() + play.filter.stats.held as usize, a.len());
        for flow in 0..3 {
            let on: Vec<u32> = super::super::testing::forwarded(&play.out)
                .into_iter()
                .filter(|i| play.flows[*i as usize] == flow)
                .collect();
            prop_assert!(on.is_sorted(), "flow {}: {:?}", flow, on);
        }
    }

    #[test]
    fn only_plain_acks_are_lost(o in options(), a in arrivals()) {
        let play = Play::all(o, &a);
        for v in &play.out {
            if let Verdict::Drop(p, _) = v {
                prop_assert!(play.segments[p.id.0 as usize].is_pure_ack());
            }
        }
    }

    #[test]
    fn what_is_thinned_is_covered_by_what_follows(o in options(), a in arrivals()) {
        let play = Play::all(Options { per_flow: true, capacity: 1_000, ..o }, &a);
        let number = |i: u32| play.segments[i as usize].ack;
        let mut uncovered: [Option<SeqNum>; 3] = [None; 3];
        for v in &play.out {
            let flow = &mut uncovered[play.flows[id(v) as usize] as usize];
            match v {
                Verdict::Drop(p, why) => {
                    prop_assert_eq!(*why, DropReason::AckThinned);
                    let n = number(p.id.0);
                    *flow = Some(flow.map_or(n, |u| if u.before(n) { n } else { u }));
                }
                _ => {
                    if let Some(n) = flow.take() {
                        prop_assert!(!number(id(v)).before(n), "{:?} < {:?}", number(id(v)), n);
                    }
                }
            }
        }
    }

    #[test]
    fn with_a_timeout_nothing_waits_for_ever(o in options(), a in arrivals()) {
        let timeout = o.timeout.unwrap_or(Span::from_millis(5));
        let mut play = Play::all(Options { timeout: Some(timeout), ..o }, &a);
        play.timers(play.now + timeout.as_micros());
        prop_assert_eq!(play.filter.stats.held, 0);
        prop_assert_eq!(play.filter.next_wakeup(), None);
        prop_assert!(play.filter.timers.next().is_none(), "timers pile up");
    }

    #[test]
    fn ratio_1_changes_nothing(o in options(), a in arrivals()) {
        let play = Play::all(Options { ratio: 1, ..o }, &a);
        let on = super::super::testing::forwarded(&play.out);
        prop_assert_eq!(on, (0..a.len() as u32).collect::<Vec<_>>());
    }
}
