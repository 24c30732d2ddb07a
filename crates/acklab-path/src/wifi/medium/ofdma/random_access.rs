//! Random access to resource units, UORA (26.5.4): an OFDMA backoff that counts resource units instead of slots.

use super::super::draw;
use super::{Ofdma, RandomAccess};
use acklab_proto::rng::Rng;

impl Ofdma {
    /// Everybody begins with a backoff from the smallest window.
    pub(super) fn draw_all(&mut self, random: RandomAccess, rng: &mut Rng) {
        for member in &mut self.members {
            member.ocw = random.ocw_min;
            member.obo = draw(rng, member.ocw) as u16;
        }
    }

    /// A station has heard a Trigger frame with random-access resource units and has something to send: which of
    /// them it takes, if its backoff is over.
    pub(super) fn take_random(&mut self, member: usize, rng: &mut Rng) -> Option<u16> {
        let (first, units) = self.random_units;
        let member = &mut self.members[member];
        if member.obo > units {
            member.obo -= units;
            return None;
        }
        member.obo = 0;
        Some(first + draw(rng, units - 1) as u16)
    }

    /// It has sent there, and was answered or not.
    pub(in crate::wifi::medium) fn after_random(
        &mut self,
        member: usize,
        answered: bool,
        rng: &mut Rng,
    ) {
        let Some(random) = self.config.uplink.and_then(|u| u.random) else {
            return;
        };
        let member = &mut self.members[member];
        member.ocw = match answered {
            true => random.ocw_min,
            false => (member.ocw * 2 + 1).min(random.ocw_max),
        };
        member.obo = draw(rng, member.ocw) as u16;
    }
}
