//! Resource units of several sizes: who gets which (26.5.1.3 and 26.5.2.2.4 leave it to the access point).
//!
//! Of those whom the scheduler serves, whoever has most gets the largest unit. Equal ones stay in its order.

use super::super::Medium;
use super::state::Ofdma;
use crate::wifi::phy::{Mode, Ru, SigBUsers, Width};
use core::cmp::Reverse;

impl Ofdma {
    /// The resource unit of user number `k`: `equal` unless the channel has units of several sizes.
    pub(super) fn unit_of(&self, k: usize, equal: Ru) -> Ru {
        let planned = self.config.plan.as_ref();
        let own = planned.and_then(|plan| plan.sorted().get(k).copied());
        own.unwrap_or(equal)
    }

    /// Whether the channel is divided for that width.
    pub(super) fn divides(&self, width: Width) -> bool {
        self.config.plan.is_none_or(|plan| plan.width() == width)
    }

    /// The users of HE-SIG-B in front of data for `n` stations.
    pub(super) fn sig_b_users(&self, width: Width, n: u32) -> SigBUsers {
        let planned = self.config.plan.filter(|plan| plan.width() == width);
        planned.map_or_else(|| SigBUsers::even(width, n), |plan| plan.sig_b())
    }

    /// The order of those who are ready becomes that of the units, if these differ.
    pub(super) fn order_by_backlog(&mut self, m: &Medium, direction: usize, category: u8) {
        if self.config.plan.is_some() {
            let mut ready = core::mem::take(&mut self.ready);
            ready.sort_by_key(|i| Reverse(self.backlog(m, *i, direction, category)));
            self.ready = ready;
        }
    }

    /// Of those who are ready, the one who is last by the turn.
    pub(super) fn last_in_turn(&self, direction: usize) -> Option<usize> {
        let (turn, n) = (self.turns[direction], self.members.len());
        match self.config.plan {
            None => self.ready.last().copied(),
            Some(_) => self
                .ready
                .iter()
                .copied()
                .max_by_key(|i| (i + n - turn) % n),
        }
    }

    /// `mode` on the smallest unit, on which a Block Ack takes longest.
    pub(super) fn on_smallest(&self, mode: Mode) -> Mode {
        let smallest = self
            .config
            .plan
            .as_ref()
            .and_then(|p| p.sorted().last().copied());
        let on_ru = smallest.and_then(|ru| mode.on_ru(ru).ok());
        on_ru.unwrap_or(mode)
    }
}
