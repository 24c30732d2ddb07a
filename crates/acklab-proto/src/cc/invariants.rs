//! Invariants of every loss- and delay-based controller under any order of facts.

use super::ack_clock::{self as clock, MSS, ack, at, init};
use super::registry::CONTROLLERS;
use super::{Ack, CongestionControl, RecoveryExit, RecoveryPhase, Rto};
use crate::registry::{Params, Value, find};
use acklab_units::Span;
use alloc::boxed::Box;
use alloc::vec::Vec;
use proptest::prelude::*;

/// Name and the one parameter that differs from the defaults.
const VARIANTS: &[(&str, &str, &str)] = &[
    ("newreno", "growth", "linux"),
    ("newreno", "growth", "abc"),
    ("newreno", "growth", "ns3"),
    ("newreno", "growth", "ns3-linux"),
    ("newreno", "growth", "ns2"),
    ("cubic", "hystart", "linux"),
    ("cubic", "hystart", "plusplus"),
    ("cubic", "variant", "ns3"),
    ("vegas", "variant", "linux"),
    ("vegas", "variant", "ns3"),
];

fn make((name, param, word): (&str, &str, &'static str)) -> Box<dyn CongestionControl> {
    let entry = find(CONTROLLERS, name).unwrap();
    let mut params = Params::defaults(entry.params);
    params
        .set(entry.params, param, Value::Choice(word))
        .unwrap();
    (entry.build)(&params, init(10))
}

#[derive(Clone, Debug)]
enum Fact {
    Ack { segments: u32, rtt_ms: u64 },
    Loss,
    Exit,
    Rto { first: bool },
    Spurious,
    Idle { ms: u64 },
    Sent { inflight: u64 },
}

fn facts() -> impl Strategy<Value = Vec<(u64, Fact)>> {
    let fact = prop_oneof![
        8 => (1u32..300, 1u64..500).prop_map(|(segments, rtt_ms)| Fact::Ack { segments, rtt_ms }),
        1 => Just(Fact::Loss),
        1 => Just(Fact::Exit),
        1 => any::<bool>().prop_map(|first| Fact::Rto { first }),
        1 => Just(Fact::Spurious),
        1 => (200u64..9_000).prop_map(|ms| Fact::Idle { ms }),
        2 => (0u64..3).prop_map(|inflight| Fact::Sent { inflight }),
    ];
    prop::collection::vec((0u64..300, fact), 1..200)
}

/// Time and offsets of a sender that only goes forward.
struct Sender {
    now_ms: u64,
    una: u64,
    phase: RecoveryPhase,
}

impl Sender {
    fn tell(&mut self, cc: &mut dyn CongestionControl, fact: &Fact) {
        match *fact {
            Fact::Ack { segments, rtt_ms } => {
                let cwnd = cc.cwnd();
                cc.on_ack(&Ack {
                    cwnd,
                    ..self.ack(segments, rtt_ms)
                });
            }
            Fact::Loss => {
                self.phase = RecoveryPhase::Recovery;
                cc.on_loss(&clock::loss(self.now_ms, clock::segments(cc)));
            }
            Fact::Exit => {
                cc.on_recovery_exit(&RecoveryExit {
                    from: self.phase,
                    ..clock::exit(self.now_ms)
                });
                self.phase = RecoveryPhase::Open;
            }
            Fact::Rto { first } => {
                self.phase = RecoveryPhase::Loss;
                cc.on_rto(&Rto {
                    snd_nxt: self.una + 50 * u64::from(MSS),
                    ..clock::rto(self.now_ms, first)
                });
            }
            Fact::Spurious => cc.on_spurious(&clock::spurious(self.now_ms)),
            Fact::Idle { ms } => cc.on_idle_restart(&clock::idle(ms, 200)),
            Fact::Sent { inflight } => {
                cc.on_sent(&clock::sent(self.now_ms, inflight, self.una / 1448 + 50));
            }
        }
    }

    fn ack(&mut self, segments: u32, rtt_ms: u64) -> Ack {
        self.una += u64::from(segments) * u64::from(MSS);
        Ack {
            now: at(self.now_ms),
            cc_rtt: Some(Span::from_millis(rtt_ms)),
            srtt: Span::from_millis(rtt_ms),
            phase: self.phase,
            may_grow: self.phase != RecoveryPhase::Recovery,
            snd_una: self.una,
            snd_nxt: self.una + 50 * u64::from(MSS),
            ..ack(0, segments)
        }
    }
}

proptest! {
    #[test]
    fn the_window_holds_a_segment_and_a_reduction_never_raises_it(facts in facts()) {
        for &variant in VARIANTS {
            let mut cc = make(variant);
            let mut sender = Sender { now_ms: 0, una: 0, phase: RecoveryPhase::Open };
            for (wait, fact) in &facts {
                sender.now_ms += wait;
                let before = cc.cwnd();
                sender.tell(&mut *cc, fact);
                let after = cc.cwnd();
                prop_assert!(after >= u64::from(MSS), "{variant:?} {fact:?}: {after}");
                if matches!(fact, Fact::Loss) {
                    prop_assert!(after <= before.max(2 * u64::from(MSS)), "{variant:?}");
                    // ns-2 has its threshold in whole packets, its window not.
                    let apart = if variant.2 == "ns2" { u64::from(MSS) } else { 0 };
                    prop_assert!(after.abs_diff(cc.ssthresh()) <= apart, "{variant:?}");
                }
                if matches!(fact, Fact::Rto { .. }) {
                    prop_assert_eq!(after, u64::from(MSS), "{:?}", variant);
                }
                if let Fact::Ack { segments, .. } = fact {
                    // Saved credit may add one.
                    let most = before + u64::from(*segments + 1) * u64::from(MSS);
                    prop_assert!(after <= most, "{variant:?}: {before} to {after}");
                }
            }
        }
    }

    /// An ACK of `n` segments never grows a Linux window more than `n` ACKs of one, nor much less.
    #[test]
    fn linux_slow_start_does_not_depend_on_the_ack_ratio(stretches in prop::collection::vec(1u32..200, 1..20)) {
        for variant in [VARIANTS[0], ("cubic", "hystart", "off"), VARIANTS[7]] {
            let (mut stretched, mut single) = (make(variant), make(variant));
            for &n in &stretches {
                stretched.on_ack(&ack(0, n));
                for _ in 0..n {
                    single.on_ack(&ack(0, 1));
                }
            }
            prop_assert_eq!(stretched.cwnd(), single.cwnd(), "{:?}", variant);
        }
    }
}
