//! Putting segments together: the sender's half, the acknowledging half, the options.

use super::{Connection, State};
use crate::ack::request::AckOption;
use crate::datagram::Datagram;
use crate::segment::{Ecn, Flags, SackBlock, SackBlocks, Segment, SynOptions, Timestamps};
use crate::tcp::config::EcnMode;
use crate::tcp::receiver::SackExtents;
use crate::tcp::sender::{Outgoing, ts_clock};
use acklab_units::Instant;

/// Bytes of the timestamps option with its padding.
const TIMESTAMPS_LEN: u32 = 12;

impl Connection {
    /// A datagram from the start: a segment that became one later would be moved once more.
    #[inline(always)]
    pub(super) fn next_datagram(&mut self, now: Instant) -> Option<Datagram> {
        if self.refusal.is_some() {
            self.stats.segs_out += 1;
            return self.refusal.take().map(Datagram::Tcp);
        }
        if core::mem::take(&mut self.reset_pending) {
            return Some(Datagram::Tcp(self.reset()));
        }
        if matches!(self.state, State::Closed | State::Listen) {
            return None;
        }
        let acks_first = self.acks_before_data && self.sender.nxt() > 0;
        let acks_first = acks_first || self.ends_handshake;
        if acks_first && self.receiver.ack_pending().is_some() {
            return Some(self.pure_ack(now));
        }
        if self.state != State::TimeWait {
            let ask = if self.asker.is_some() {
                self.request_due()
            } else {
                None
            };
            if let Some(out) = self.sender.poll_transmit(now, &self.cfg, &mut self.stats) {
                if self.asker.is_some() {
                    return Some(self.asking(now, out, ask));
                }
                return Some(self.with_sender_half(now, out));
            }
        }
        self.receiver.ack_pending()?;
        Some(self.pure_ack(now))
    }

    /// Apart from the common way: there, a datagram that may still change would be moved once more.
    #[inline(never)]
    fn asking(&mut self, now: Instant, out: Outgoing, ask: Option<AckOption>) -> Datagram {
        let datagram = self.with_sender_half(now, out);
        self.with_request(datagram, out, ask)
    }

    #[inline(always)]
    fn pure_ack(&mut self, now: Instant) -> Datagram {
        let seq = self.iss.at(self.sender.nxt());
        self.ends_handshake = false;
        self.stats.segs_out += 1;
        self.stats.acks_out += 1;
        let seg = Segment {
            seq,
            layout: self.option_layout,
            ..Segment::default()
        };
        let seg = self.with_ack_half(now, seg);
        self.receiver.on_ack_sent(now, false);
        Datagram::Tcp(seg)
    }

    #[inline(always)]
    fn with_sender_half(&mut self, now: Instant, out: Outgoing) -> Datagram {
        let mut flags = Flags::default();
        for (on, flag) in [
            (out.syn, Flags::SYN),
            (out.fin, Flags::FIN),
            (out.push, Flags::PSH),
            (out.cwr, Flags::CWR),
        ] {
            if on {
                flags = flags.with(flag);
            }
        }
        let seg = Segment {
            seq: self.iss.at(out.start),
            len: out.len,
            flags,
            ecn: if out.ect { Ecn::Ect0 } else { Ecn::NotEct },
            layout: self.option_layout,
            ..Segment::default()
        };
        if out.syn {
            return Datagram::Tcp(self.syn(now, seg));
        }
        let seg = self.with_ack_half(now, seg);
        self.receiver.on_ack_sent(now, out.len > 0 || out.fin);
        Datagram::Tcp(seg)
    }

    /// The same with acknowledgement, window, SACK blocks and timestamps.
    #[inline(always)]
    fn with_ack_half(&mut self, now: Instant, seg: Segment) -> Segment {
        let f = self.receiver.ack_fields();
        let echo = if f.ece { Flags::ECE } else { Flags::default() };
        Segment {
            ack: self.irs.map(|i| i.at(f.ack)).unwrap_or_default(),
            window: f.window_field,
            flags: seg.flags.with(Flags::ACK).with(echo),
            timestamps: self.timestamps.then(|| Timestamps {
                val: ts_clock(f.clock.unwrap_or(now)),
                ecr: f.ts_ecr,
            }),
            sack: match &f.sack {
                None => SackBlocks::EMPTY,
                Some(extents) => self.on_wire(extents),
            },
            ..seg
        }
    }

    /// These blocks by sequence numbers. Not inlined: most segments have none.
    #[inline(never)]
    fn on_wire(&self, extents: &SackExtents) -> SackBlocks {
        let mut blocks = SackBlocks::EMPTY;
        if let Some(irs) = self.irs {
            for b in extents.as_slice() {
                blocks.push(SackBlock {
                    start: irs.at(b.start),
                    end: irs.at(b.end),
                });
            }
        }
        blocks
    }

    #[cold]
    fn syn(&mut self, now: Instant, base: Segment) -> Segment {
        let answer = self.irs.is_some();
        let shift = self
            .receiver
            .offered_window_scale()
            .filter(|_| self.offer_scale);
        let mut seg = Segment {
            window: self.receiver.syn_window(),
            syn: SynOptions {
                mss: self.offered_mss(),
                window_scale: shift,
                sack_permitted: self.offer_sack,
            },
            ask: self.asker.as_ref().map(|asker| asker.announcement()),
            ..base
        };
        let mut ecr = 0;
        if answer {
            let f = self.receiver.syn_ack_fields();
            ecr = f.ts_ecr;
            seg.ack = self.irs.map(|i| i.at(f.ack)).unwrap_or_default();
            seg.window = f.window_field;
            seg.flags = seg.flags.with(Flags::ACK);
            self.receiver.on_ack_sent(now, false);
            if self.ecn {
                seg.flags = seg.flags.with(Flags::ECE);
            }
        } else if self.cfg.ecn == EcnMode::On {
            seg.flags = seg.flags.with(Flags::ECE).with(Flags::CWR);
        }
        if self.timestamps {
            seg.timestamps = Some(Timestamps {
                val: ts_clock(now),
                ecr,
            });
        }
        seg
    }

    /// Zero stands for a SYN without the option.
    fn offered_mss(&self) -> u16 {
        if !self.cfg.dialect().mss_option {
            return 0;
        }
        let options = if self.cfg.timestamps {
            TIMESTAMPS_LEN
        } else {
            0
        };
        (self.cfg.segment + options).min(u32::from(u16::MAX)) as u16
    }

    #[cold]
    fn reset(&mut self) -> Segment {
        self.stats.segs_out += 1;
        Segment {
            seq: self.iss.at(self.sender.nxt()),
            flags: Flags::RST,
            ..Segment::default()
        }
    }
}
