//! Impairments at the near end of a line: packets are lost, or wait for the end of a pause.

use super::{ImpairConfig, LinkStreams, Loss, LossPlace, Pauses};
use acklab_units::Instant;

/// Loss before the queue, and what lets packets in.
#[derive(Clone, Debug)]
pub struct Entry {
    loss: Option<Loss>,
    /// The line has another one that lets packets out: they ask at different times.
    pauses: Option<Pauses>,
}

impl Entry {
    /// The impairments of `config`; `None` if nothing ever happens.
    pub fn new(config: &ImpairConfig, streams: &LinkStreams) -> Option<Self> {
        let here = config.loss_place == LossPlace::BeforeQueue;
        let loss = Loss::new(config.loss, streams.loss.clone()).filter(|_| here);
        let pauses = config
            .pauses
            .map(|p| Pauses::new(p, streams.pauses.clone()));
        (loss.is_some() || pauses.is_some()).then_some(Self { loss, pauses })
    }

    /// When a packet that arrives at `now` gets in, and never if it is lost. To be asked once per packet, in
    /// order.
    pub fn admits(&mut self, now: Instant) -> Option<Instant> {
        if self.loss.as_mut().is_some_and(|l| l.strikes(now)) {
            return None;
        }
        Some(match &mut self.pauses {
            None => now,
            Some(pauses) => pauses.passes(now),
        })
    }
}
