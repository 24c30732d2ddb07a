//! Block ack agreements that a queue comes to first, and the management frames for that.
//!
//! Frames that set up agreements go before data and behind BlockAckReqs, the oldest first, as in ns-3's
//! `FcfsWifiQueueScheduler`. They have no packets, so that nothing of them is counted among those. They are
//! sent so often, and live as long, as MPDUs without an agreement; a request that is given up for either
//! reason counts as not answered (ns-3 forgets one whose lifetime ends, and then waits for ever).

use super::{OnDrop, Peer, TxQueue};
use crate::wifi::agreement::{
    ACTION, Action, AddbaConfig, Agreement, AgreementStats, Allowed, Kind,
};
use crate::wifi::mac::psdu::{Content, Outcome, Psdu};
use crate::wifi::mac::sizes::Limits;
use crate::wifi::mac::{PeerId, bitmap};
use acklab_units::Instant;
use alloc::vec::Vec;

/// A management frame that waits to be sent, or to be acknowledged.
#[derive(Clone, Copy, Debug)]
struct Due {
    peer: PeerId,
    action: Action,
    since: Instant,
    /// Transmissions that failed, and RTSs for it that nobody answered.
    retries: u8,
}

/// Agreements with all peers.
#[derive(Debug)]
pub(super) struct Agreements {
    config: AddbaConfig,
    by_peer: Vec<Agreement>,
    due: Vec<Due>,
    next_seq: u16,
    stats: AgreementStats,
}

impl Agreements {
    fn new(config: AddbaConfig) -> Self {
        Self {
            config,
            by_peer: Vec::new(),
            due: Vec::new(),
            next_seq: 0,
            stats: AgreementStats::default(),
        }
    }

    /// Whether a frame is due.
    pub fn any_due(&self) -> bool {
        !self.due.is_empty()
    }

    /// The frame that is due first to `peer`.
    fn due_to(&self, peer: PeerId) -> Option<Action> {
        let first = self.due.iter().find(|d| d.peer == peer);
        first.map(|d| d.action)
    }

    fn push(&mut self, now: Instant, peer: PeerId, (kind, start): (Kind, u16), token: Option<u8>) {
        let seq = self.next_seq;
        self.next_seq = bitmap::advance(seq, 1);
        self.due.push(Due {
            peer,
            action: Action {
                kind,
                seq,
                token: token.unwrap_or(seq as u8),
                start,
                repeated: false,
            },
            since: now,
            retries: 0,
        });
    }

    /// Whether `peer`, for which `packets` are there, is to be asked now.
    fn wants(&self, now: Instant, peer: PeerId, packets: u32) -> bool {
        let agreement = self.by_peer.get(usize::from(peer.0));
        agreement.is_some_and(|a| a.is_wanted(now, &self.config, packets))
    }
}

impl Peer {
    /// The sizes that may be sent at once from now on, as far as agreements allow.
    #[inline]
    pub fn limit(&mut self, limits: &Limits) {
        self.limits = *limits;
        if self.allowed != Allowed::Everything {
            self.limits.ampdu = 0;
        }
    }
}

impl TxQueue {
    /// Others may ask for agreements.
    pub fn may_be_asked(&mut self, config: AddbaConfig) {
        self.agreements
            .get_or_insert_with(|| Agreements::new(config).into());
    }

    /// A-MPDUs go to `peer` only after it has agreed to that.
    pub fn negotiate(&mut self, peer: PeerId, config: AddbaConfig) {
        self.know(peer);
        self.may_be_asked(config);
        let Some(all) = &mut self.agreements else {
            return;
        };
        let known = all.by_peer.len().max(usize::from(peer.0) + 1);
        all.by_peer.resize(known, Agreement::default());
        all.by_peer[usize::from(peer.0)] = Agreement::none();
        let p = &mut self.peers[usize::from(peer.0)];
        p.allowed = Allowed::Singles;
        p.limits.ampdu = 0;
    }

    /// Counters of agreements.
    pub fn agreements(&self) -> AgreementStats {
        let all = self.agreements.as_ref();
        all.map_or(AgreementStats::default(), |a| a.stats)
    }

    /// Whether a management frame is due.
    #[inline]
    pub(super) fn has_actions(&self) -> bool {
        self.agreements.as_ref().is_some_and(|a| a.any_due())
    }

    /// Whether one is due to `peer`.
    #[inline]
    pub(super) fn has_actions_for(&self, peer: PeerId) -> bool {
        let all = self.agreements.as_ref();
        all.is_some_and(|a| a.due_to(peer).is_some())
    }

    /// Gives up what has lived too long, before data do: what waited for it may have, too.
    #[cold]
    pub(super) fn expire_actions(&mut self, now: Instant, on_drop: OnDrop<'_>) {
        while let Some(deadline) = self.deadline(now)
            && let Some(old) = self.expired_action(deadline)
        {
            self.give_up_action(now, old, on_drop);
        }
    }

    /// The peer that a management frame is due to, if nothing goes before it.
    #[inline]
    pub(super) fn first_action(&self) -> Option<PeerId> {
        let first = self.agreements.as_ref()?.due.first()?.peer;
        // A BlockAckReq goes before everything else.
        (self.order.first_key() != Some(0)).then_some(first)
    }

    fn expired_action(&self, deadline: Instant) -> Option<Due> {
        let due = &self.agreements.as_ref()?.due;
        due.iter().find(|d| d.since < deadline).copied()
    }

    /// So many MPDUs are there for `peer`, packets that were never sent counted singly.
    fn there_for(&self, peer: PeerId) -> u32 {
        let p = &self.peers[usize::from(peer.0)];
        self.waiting_of(peer) + u32::from(p.originator.in_window())
    }

    /// The management frame that goes to `peer` before anything else, if one does: one that is due, or a
    /// request that has to be made.
    #[cold]
    pub(super) fn next_action(&self, now: Instant, peer: PeerId) -> Option<Action> {
        let all = self.agreements.as_ref()?;
        let originator = &self.peers.get(usize::from(peer.0))?.originator;
        if originator.bar().is_some() && self.stations.is_none() {
            return None;
        }
        let wanted = || {
            all.wants(now, peer, self.there_for(peer))
                .then_some(Action {
                    kind: Kind::Request,
                    seq: all.next_seq,
                    token: all.next_seq as u8,
                    start: originator.start(),
                    repeated: false,
                })
        };
        all.due_to(peer).or_else(wanted)
    }

    /// Fills `psdu` with the management frame that goes to `peer` before anything else. Says whether there is
    /// one.
    #[cold]
    pub(super) fn build_action(
        &mut self,
        now: Instant,
        peer: PeerId,
        psdu: &mut Psdu,
        on_drop: OnDrop<'_>,
    ) -> bool {
        let Some(action) = self.next_action(now, peer) else {
            return false;
        };
        if !self.has_actions_for(peer) {
            self.ask(now, peer, action);
        }
        psdu.content = Content::Action(action);
        psdu.bytes = ACTION;
        self.on_air = Some(peer);
        self.rekey(peer);
        self.schedule(now, on_drop);
        self.check();
        true
    }

    /// Requests an agreement of `peer` by `action`; what waits for it waits for the answer.
    fn ask(&mut self, now: Instant, peer: PeerId, action: Action) {
        if let Some(all) = &mut self.agreements {
            all.by_peer[usize::from(peer.0)].ask(&mut all.stats);
            all.push(now, peer, (action.kind, action.start), None);
        }
        self.peers[usize::from(peer.0)].allowed = Allowed::Nothing;
        self.with_stations(|_, s| s.take_back(peer.0));
    }

    /// A management frame was sent to `peer`, or announced, with that `outcome`.
    #[cold]
    pub(super) fn on_action_over(
        &mut self,
        now: Instant,
        (peer, action): (PeerId, Action),
        outcome: Outcome,
        on_drop: OnDrop<'_>,
    ) {
        let limit = self.config.retry_limit;
        let Some(all) = &mut self.agreements else {
            return;
        };
        let is_it = |d: &Due| d.peer == peer && d.action.seq == action.seq;
        // A response may have been replaced by one to a later request.
        let Some(at) = all.due.iter().position(is_it) else {
            return;
        };
        if outcome == Outcome::Ack {
            all.due.remove(at);
            return;
        }
        let due = &mut all.due[at];
        due.retries = due.retries.saturating_add(1);
        due.action.repeated |= outcome == Outcome::Nothing;
        if due.retries >= limit {
            let due = *due;
            self.give_up_action(now, due, on_drop);
        }
    }

    /// A management frame is sent no more.
    #[cold]
    fn give_up_action(&mut self, now: Instant, due: Due, on_drop: OnDrop<'_>) {
        if let Some(all) = &mut self.agreements {
            all.due
                .retain(|d| d.peer != due.peer || d.action.seq != due.action.seq);
        }
        if due.action.kind == Kind::Request {
            self.on_no_response(now, due.peer, on_drop);
        }
    }

    /// `peer` has not answered in time. If its answer is still waited for, data go to it singly again.
    #[cold]
    pub fn on_no_response(&mut self, now: Instant, peer: PeerId, on_drop: OnDrop<'_>) {
        let Some(all) = &mut self.agreements else {
            return;
        };
        let Some(agreement) = all.by_peer.get_mut(usize::from(peer.0)) else {
            return;
        };
        if agreement.on_failure(now, &all.config, &mut all.stats) {
            self.resume(now, peer, Allowed::Singles, on_drop);
        }
    }

    /// `peer` has agreed: what may be sent to it at once is `limits`.
    #[cold]
    pub fn on_agreed(&mut self, now: Instant, peer: PeerId, limits: &Limits, on_drop: OnDrop<'_>) {
        let Some(all) = &mut self.agreements else {
            return;
        };
        if all.by_peer[usize::from(peer.0)].on_response(now, &mut all.stats) {
            self.peers[usize::from(peer.0)].limits = *limits;
            self.resume(now, peer, Allowed::Everything, on_drop);
        }
    }

    /// Data go to `peer` again.
    fn resume(&mut self, now: Instant, peer: PeerId, allowed: Allowed, on_drop: OnDrop<'_>) {
        self.peers[usize::from(peer.0)].allowed = allowed;
        self.rekey(peer);
        self.schedule(now, on_drop);
        self.check();
    }

    /// `request` of `peer` has to be answered. An answer to an older one is not sent any more
    /// (`SendAddBaResponse`).
    #[cold]
    pub fn respond(&mut self, now: Instant, peer: PeerId, request: Action) {
        self.know(peer);
        if let Some(all) = &mut self.agreements {
            all.due
                .retain(|d| d.peer != peer || d.action.kind != Kind::Response);
            let what = (Kind::Response, request.start);
            all.push(now, peer, what, Some(request.token));
        }
    }
}
