//! When a sender asks its peer for another acknowledgement rate, and for which.
//!
//! The rule belongs to the ACK policy ([`Asking`]); this is its clock. A request rides on new data,
//! whose payload makes room for it. At most one leaves per round trip (draft-ietf-quic-ack-frequency-14
//! section 8.1), and only when what is wanted has moved by more than a fifth (quinn,
//! `ack_frequency.rs`). A request whose segment is retransmitted counts as lost and is repeated.

use crate::ack::request::{AckOption, Asking, Count, Frequency, MAX_DELAY_US, MAX_RATE};
use crate::cc::RecoveryPhase;
use crate::stats::Snapshot;
use acklab_units::Span;

/// Segments per ACK while fewer are not asked for (RFC 5681 section 4.2).
const EAGER: u32 = 2;
/// States of slow start of the controllers that have no threshold, or none yet.
const SLOW_START: [&str; 3] = ["slow_start", "conservative_slow_start", "STARTUP"];
/// A change smaller than one part in so many is not worth a request (quinn: 20 %).
const WORTH: u32 = 5;

/// The sending end's state.
#[derive(Clone, Debug)]
pub(super) struct Asker {
    rule: Asking,
    /// The peer's SYN said that it honours requests.
    allowed: bool,
    /// Shortest delay that the peer keeps.
    peer_min_delay: Span,
    /// Full payload of a segment.
    mss: u32,
    /// The last request.
    last: Option<Wish>,
    sequence: u8,
    /// Where the segment with the last request began, until it is acknowledged.
    carried_at: Option<u64>,
    /// The next request may leave when this is acknowledged.
    round_end: u64,
}

/// Count and delay to ask for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Wish {
    count: u32,
    delay_us: u32,
}

impl Asker {
    /// By the rule of a policy.
    pub(super) fn new(rule: Asking) -> Self {
        Self {
            rule,
            allowed: false,
            peer_min_delay: Span::ZERO,
            mss: 1,
            last: None,
            sequence: 0,
            carried_at: None,
            round_end: 0,
        }
    }

    /// The option of this end's SYN.
    pub(super) const fn announcement(&self) -> AckOption {
        self.rule.announcement
    }

    /// The peer's SYN arrived with this option; segments have `mss` bytes of payload from now on.
    pub(super) fn on_peer_syn(&mut self, option: Option<AckOption>, mss: u32) {
        self.mss = mss;
        self.allowed = match (option, self.rule.announcement) {
            (Some(AckOption::TarrPermitted), AckOption::TarrPermitted) => true,
            (
                Some(AckOption::FrequencyPermitted { min_delay_us }),
                AckOption::FrequencyPermitted { .. },
            ) => {
                self.peer_min_delay = Span::from_micros(u64::from(min_delay_us));
                true
            }
            _ => false,
        };
    }

    /// The request that the next new segment should carry. `una`: everything below is acknowledged.
    pub(super) fn due(&mut self, sender: &Snapshot, una: u64) -> Option<AckOption> {
        if !self.allowed || una == 0 || una < self.round_end {
            return None;
        }
        let wish = self.wish(sender);
        let unasked = wish.count == EAGER && self.last.is_none();
        (!unasked && self.is_worth(wish)).then(|| self.option(wish))
    }

    /// The delay asked for last, once: when the request has been acknowledged. `una`: everything below is
    /// acknowledged.
    pub(super) fn agreed(&mut self, una: u64) -> Option<Span> {
        let last = self.last.filter(|last| last.delay_us > 0)?;
        self.carried_at.take_if(|start| *start < una)?;
        Some(Span::from_micros(u64::from(last.delay_us)))
    }

    /// The option that asks for an acknowledgement at once, if this end may and wants to ask.
    pub(super) fn immediate(&self) -> Option<AckOption> {
        (self.allowed && self.rule.immediate).then_some(match self.rule.announcement {
            AckOption::TarrPermitted => AckOption::Tarr { rate: 0 },
            _ => AckOption::Immediate,
        })
    }

    /// Full payload of a segment.
    pub(super) const fn mss(&self) -> u32 {
        self.mss
    }

    /// `request` left on the new segment that began at `start`; the next new one begins at `next`.
    pub(super) fn on_sent(&mut self, request: AckOption, start: u64, next: u64) {
        self.last = Some(match request {
            AckOption::Frequency(f) => {
                self.sequence = f.sequence;
                Wish {
                    count: u32::from(f.threshold) + 1,
                    delay_us: f.max_delay_us,
                }
            }
            AckOption::Tarr { rate } => Wish {
                count: u32::from(rate),
                delay_us: 0,
            },
            _ => return,
        });
        self.carried_at = Some(start);
        self.round_end = next;
    }

    /// The segment that begins at `start` was sent again, without its options.
    pub(super) fn on_retransmitted(&mut self, start: u64) {
        if self.carried_at == Some(start) {
            self.carried_at = None;
            // Not known to have arrived: any wish is worth a request again.
            self.last = Some(Wish {
                count: 0,
                delay_us: 0,
            });
        }
    }

    fn wish(&self, sender: &Snapshot) -> Wish {
        let window = (sender.cwnd / u64::from(self.mss)).clamp(1, u64::from(u16::MAX)) as u32;
        let most = match self.rule.announcement {
            AckOption::TarrPermitted => u32::from(MAX_RATE),
            _ => u32::from(u16::MAX),
        };
        let eager = (!self.rule.in_slow_start && in_slow_start(sender))
            || (!self.rule.in_recovery && in_recovery(sender));
        let count = match self.rule.count {
            _ if eager => EAGER,
            Count::Fixed(n) => n,
            Count::PerWindow(k) => window / k.max(1),
        };
        Wish {
            // More than a window would leave every acknowledgement to the timer.
            count: count.clamp(1, window.min(most)),
            delay_us: self.delay_us(sender.srtt),
        }
    }

    fn delay_us(&self, srtt: Span) -> u32 {
        if self.rule.announcement == AckOption::TarrPermitted {
            return 0;
        }
        let parts = u64::from(self.rule.parts.max(1));
        let delay = self.rule.max_delay.unwrap_or(srtt / parts);
        let us = delay.max(self.peer_min_delay).as_nanos() / 1000;
        us.min(u64::from(MAX_DELAY_US)) as u32
    }

    fn is_worth(&self, wish: Wish) -> bool {
        let moved = |was: u32, is: u32| was.abs_diff(is) > was / WORTH;
        self.last
            .is_none_or(|last| moved(last.count, wish.count) || moved(last.delay_us, wish.delay_us))
    }

    fn option(&self, wish: Wish) -> AckOption {
        match self.rule.announcement {
            AckOption::TarrPermitted => AckOption::Tarr {
                rate: wish.count as u8,
            },
            _ => AckOption::Frequency(Frequency {
                sequence: self.sequence.wrapping_add(1),
                threshold: (wish.count - 1) as u16,
                reordering: self.rule.reordering,
                max_delay_us: wish.delay_us,
            }),
        }
    }
}

/// A controller with a threshold is in slow start below it; one without has a state of that kind.
fn in_slow_start(sender: &Snapshot) -> bool {
    match sender.ssthresh {
        u64::MAX => SLOW_START.contains(&sender.state),
        threshold => sender.cwnd < threshold,
    }
}

fn in_recovery(sender: &Snapshot) -> bool {
    matches!(sender.phase, RecoveryPhase::Recovery | RecoveryPhase::Loss)
}
