//! A segment arrives (RFC 9293 section 3.10.7).

use super::{Connection, Role, State};
use crate::ack::AckReason;
use crate::endpoint::Event;
use crate::segment::{Flags, Segment};
use crate::tcp::config::EcnMode;
use crate::tcp::receiver::{Data, SynInfo, TimestampReply, Verdict};
use crate::tcp::sender::{AckInfo, ts_clock};
use acklab_units::{Instant, Span};

impl Connection {
    pub(super) fn arrive(&mut self, now: Instant, seg: &Segment) {
        match self.state {
            State::Closed => self.in_closed(seg),
            State::Listen => self.in_listen(now, seg),
            State::SynSent => self.in_syn_sent(now, seg),
            _ => self.synchronised(now, seg),
        }
    }

    /// Section 3.10.7.1: there is no connection, and whoever thinks so gets a reset.
    #[cold]
    fn in_closed(&mut self, seg: &Segment) {
        if seg.flags.contains(Flags::RST) {
            return;
        }
        let answer = if seg.flags.contains(Flags::ACK) {
            Segment {
                seq: seg.ack,
                flags: Flags::RST,
                ..Segment::default()
            }
        } else {
            Segment {
                ack: seg.seq + seg.seq_len(),
                flags: Flags::RST.with(Flags::ACK),
                ..Segment::default()
            }
        };
        self.refusal = Some(answer);
    }

    /// Section 3.10.7.2.
    #[cold]
    fn in_listen(&mut self, now: Instant, seg: &Segment) {
        let syn_only =
            seg.flags.contains(Flags::SYN) && !seg.flags.intersects(Flags::ACK.with(Flags::RST));
        if !syn_only {
            return;
        }
        let wants_ecn = seg.flags.contains(Flags::ECE.with(Flags::CWR));
        self.ecn = wants_ecn && self.cfg.ecn != EcnMode::Off;
        self.take_peer_syn(now, seg);
        self.state = State::SynReceived;
    }

    /// Section 3.10.7.3.
    #[cold]
    fn in_syn_sent(&mut self, now: Instant, seg: &Segment) {
        if !seg.flags.contains(Flags::ACK) {
            self.on_crossing_syn(now, seg);
            return;
        }
        let Some(ack) = self.expand_ack(seg) else {
            return;
        };
        let acceptable = seg.flags.contains(Flags::ACK) && ack == 1 && self.sender.nxt() >= 1;
        if !acceptable {
            return;
        }
        if seg.flags.contains(Flags::RST) {
            self.state = State::Closed;
            self.pending.end = Some(Event::Reset);
            return;
        }
        if !seg.flags.contains(Flags::SYN) {
            return;
        }
        let echo = seg.flags.contains(Flags::ECE) && !seg.flags.contains(Flags::CWR);
        self.ecn = echo && self.cfg.ecn == EcnMode::On;
        self.take_peer_syn(now, seg);
        self.deliver_ack(now, seg, 0, ack, true);
        self.enter(now, State::Established);
        self.receiver.on_rtt(self.sender.srtt());
        self.receiver.request_ack(AckReason::Control);
        // An application writes once it hears of the connection. Only what it wrote before can take the
        // ACK along (Linux `tcp_rcv_synsent_state_process`, RFC 9293 section 3.10.7.3).
        self.ends_handshake = self.sender.backlog() == 0;
    }

    /// Both ends open at once (section 3.5, figure 8): the SYNs have crossed. Ours goes out again,
    /// with the acknowledgement of the peer's.
    #[cold]
    fn on_crossing_syn(&mut self, now: Instant, seg: &Segment) {
        if !seg.flags.contains(Flags::SYN) || seg.flags.contains(Flags::RST) {
            return;
        }
        let wants_ecn = seg.flags.contains(Flags::ECE.with(Flags::CWR));
        self.ecn = wants_ecn && self.cfg.ecn == EcnMode::On;
        self.take_peer_syn(now, seg);
        self.sender.answer_syn(&mut self.stats);
        self.state = State::SynReceived;
    }

    /// Everything the peer's SYN says.
    #[cold]
    fn take_peer_syn(&mut self, now: Instant, seg: &Segment) {
        self.irs = Some(seg.seq);
        let o = seg.syn;
        self.timestamps = self.cfg.timestamps && seg.timestamps.is_some();
        self.offer_scale = self.cfg.window_scaling && o.window_scale.is_some();
        self.offer_sack = self.cfg.sack && o.sack_permitted;
        self.peer_shift = if self.offer_scale {
            o.window_scale.unwrap_or(0).min(14)
        } else {
            0
        };
        let options = if self.timestamps { 12 } else { 0 };
        // RFC 9293 section 3.7.1: without the option, 536.
        let peer_mss = match (o.mss, self.cfg.dialect().mss_option) {
            (0, false) => self.cfg.segment + options,
            (0, true) => 536,
            (mss, _) => u32::from(mss),
        };
        let mss = self
            .cfg
            .segment
            .min(peer_mss.saturating_sub(options).max(1));
        self.sender
            .negotiate(mss, self.offer_sack, self.timestamps, self.ecn);
        if let Some(asker) = &mut self.asker {
            asker.on_peer_syn(seg.ask, mss);
        }
        self.receiver.on_peer_syn(
            now,
            SynInfo {
                timestamps: self.timestamps,
                ts_val: seg.timestamps.map_or(0, |t| t.val),
                sack: o.sack_permitted,
                window_scale: o.window_scale.filter(|_| self.offer_scale),
                mss: o.mss,
                ecn: self.ecn,
            },
        );
        if !seg.flags.contains(Flags::ACK) {
            // A SYN's window is never scaled.
            self.sender.set_window(u64::from(seg.window));
        }
    }

    /// Section 3.10.7.4.
    fn synchronised(&mut self, now: Instant, seg: &Segment) {
        let Some(irs) = self.irs else { return };
        if seg.flags.contains(Flags::RST) {
            self.on_reset(now, seg);
            return;
        }
        if seg.flags.contains(Flags::SYN) {
            self.on_late_syn(now, seg);
            return;
        }
        let Some(offset) = seg.seq.expand(irs, self.receiver.next_expected()) else {
            return;
        };
        let carries = seg.len > 0 || seg.flags.contains(Flags::FIN);
        let acceptable = if carries && self.state.may_receive() {
            self.take_data(now, seg, offset)
        } else if carries {
            self.receiver.request_challenge(now);
            true
        } else {
            let ts = seg.timestamps.map(|t| t.val).filter(|_| self.timestamps);
            self.receiver.on_empty(now, offset, ts) == Verdict::Accepted
        };
        if acceptable && seg.flags.contains(Flags::ACK) {
            self.take_ack(now, seg, offset, carries);
        }
        if self.receiver.fin_reached() && self.state.may_receive() {
            self.pending.peer_closed = true;
            let next = self.state.after_peer_fin();
            self.enter(now, next);
        }
    }

    /// Hands payload and FIN to the receiver. Returns whether the ACK may be looked at.
    fn take_data(&mut self, now: Instant, seg: &Segment, offset: u64) -> bool {
        let ts = seg.timestamps.filter(|_| self.timestamps);
        let outcome = self.receiver.on_data(
            now,
            Data {
                offset,
                len: seg.len,
                push: seg.flags.contains(Flags::PSH),
                fin: seg.flags.contains(Flags::FIN),
                ecn: seg.ecn,
                cwr: seg.flags.contains(Flags::CWR),
                ask: seg.ask,
                ts_val: ts.map(|t| t.val),
                reply: ts.filter(|t| t.ecr != 0).map(|t| TimestampReply {
                    ecr: t.ecr,
                    age: Span::from_millis(u64::from(ts_clock(now).wrapping_sub(t.ecr))),
                }),
            },
        );
        if seg.len > 0 {
            self.stats.data_segs_in += 1;
        }
        match outcome.verdict {
            Verdict::Duplicate => self.stats.duplicates_in += 1,
            Verdict::Accepted if outcome.newly_readable == 0 && seg.len > 0 => {
                self.stats.out_of_order_in += 1;
            }
            _ => {}
        }
        self.stats.bytes_received += outcome.newly_readable;
        self.pending.readable += outcome.newly_readable;
        matches!(outcome.verdict, Verdict::Accepted | Verdict::Duplicate)
    }

    /// The acknowledgement field.
    #[inline(always)]
    fn take_ack(&mut self, now: Instant, seg: &Segment, offset: u64, carries: bool) {
        let Some(ack) = self.expand_ack(seg) else {
            return;
        };
        if ack > self.sender.nxt() {
            // It acknowledges what was never sent.
            self.receiver.request_challenge(now);
            return;
        }
        if ack < self.sender.una() && seg.sack.is_empty() {
            return;
        }
        if self.state == State::SynReceived && ack >= 1 {
            self.enter(now, State::Established);
            self.receiver.on_established(now);
        }
        self.deliver_ack(now, seg, offset, ack, carries);
        self.receiver.on_rtt(self.sender.srtt());
    }

    #[inline(always)]
    fn deliver_ack(&mut self, now: Instant, seg: &Segment, offset: u64, ack: u64, carries: bool) {
        let mut blocks = [(0u64, 0u64); 4];
        let mut n = 0;
        for b in seg.sack.as_slice() {
            let near = self.sender.nxt();
            if let (Some(s), Some(e)) =
                (b.start.expand(self.iss, near), b.end.expand(self.iss, near))
                && s < e
                && e <= self.sender.nxt()
            {
                blocks[n] = (s, e);
                n += 1;
            }
        }
        // The window of a SYN is never scaled (RFC 7323 section 2.2).
        let shift = if seg.flags.contains(Flags::SYN) {
            0
        } else {
            self.peer_shift
        };
        let info = AckInfo {
            seq: offset,
            ack,
            window: u64::from(seg.window) << shift,
            blocks: &blocks[..n],
            tsecr: seg
                .timestamps
                .filter(|_| self.timestamps)
                .map(|t| t.ecr)
                .filter(|e| *e != 0),
            ece: seg.flags.contains(Flags::ECE) && !seg.flags.contains(Flags::SYN),
            carries_data: carries,
        };
        self.sender.on_ack(now, &self.cfg, &info, &mut self.stats);
    }

    #[inline(always)]
    fn expand_ack(&self, seg: &Segment) -> Option<u64> {
        seg.ack.expand(self.iss, self.sender.una())
    }

    /// RFC 5961 section 3: only a RST at exactly the expected number resets; one elsewhere in the
    /// window is challenged.
    #[cold]
    fn on_reset(&mut self, now: Instant, seg: &Segment) {
        let Some(irs) = self.irs else { return };
        let next = self.receiver.next_expected();
        let Some(offset) = seg.seq.expand(irs, next) else {
            return;
        };
        if offset == next {
            self.state = State::Closed;
            self.pending.end = Some(Event::Reset);
        } else if offset > next && offset < self.receiver.window_edge() {
            self.receiver.request_challenge(now);
        }
    }

    /// The SYN-ACK of an end that opened at the same time as ours, the SYN-ACK again (our ACK of it
    /// was lost), a retransmitted SYN, or a stray.
    #[cold]
    fn on_late_syn(&mut self, now: Instant, seg: &Segment) {
        if Some(seg.seq) != self.irs {
            return;
        }
        if self.state != State::SynReceived {
            self.receiver.request_challenge(now);
        } else if self.role == Role::Active
            && seg.flags.contains(Flags::ACK)
            && self.expand_ack(seg) == Some(1)
        {
            self.take_ack(now, seg, 0, true);
        }
        // Otherwise the timer repeats our SYN-ACK.
    }
}
