//! Impairments at the far end of a line: packets are lost, or marked.

use super::{Chance, ImpairConfig, LinkStreams, Loss, LossPlace};
use crate::packet::Packet;
use acklab_units::Instant;

/// The fate of a packet at the far end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fate {
    /// It arrived as it was.
    Passed,
    /// It arrived, and is marked with CE now.
    Marked,
    /// It is gone.
    Lost,
}

/// Loss and marking at random; the two are independent of each other.
#[derive(Clone, Debug)]
pub struct FarEnd {
    loss: Option<Loss>,
    ce: Chance,
}

impl FarEnd {
    /// The impairments of `config`; `None` if nothing ever happens.
    pub fn new(config: &ImpairConfig, streams: &LinkStreams) -> Option<Self> {
        let here = config.loss_place == LossPlace::BehindQueue;
        let loss = Loss::new(config.loss, streams.loss.clone()).filter(|_| here);
        (loss.is_some() || config.ce > 0.0).then(|| Self {
            loss,
            ce: Chance::new(config.ce, streams.ce.clone()),
        })
    }

    /// Judges the next packet, which arrives at `now`. To be asked once per packet. A mark is drawn for every packet,
    /// lost and not ECN-capable ones too, so that the same numbers are hit whatever they are.
    pub fn judge(&mut self, now: Instant, packet: &mut Packet) -> Fate {
        let lost = self.loss.as_mut().is_some_and(|l| l.strikes(now));
        let struck = self.ce.strikes();
        if lost {
            Fate::Lost
        } else if struck && packet.mark() {
            Fate::Marked
        } else {
            Fate::Passed
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::impair::LossConfig;
    use crate::packet::{FlowId, PacketId};
    use acklab_proto::segment::Ecn;
    use std::vec::Vec;

    fn fates(config: ImpairConfig, codepoints: &[Ecn]) -> Vec<Fate> {
        let mut end = FarEnd::new(&config, &LinkStreams::new(5, "l")).unwrap();
        let mut judge = |ecn: &Ecn| {
            let mut packet = Packet {
                id: PacketId(0),
                size: 1500,
                flow: FlowId(0),
                ecn: *ecn,
            };
            let fate = end.judge(Instant::ZERO, &mut packet);
            let marked = fate == Fate::Marked;
            assert_eq!(packet.ecn, if marked { Ecn::Ce } else { *ecn });
            fate
        };
        codepoints.iter().map(&mut judge).collect()
    }

    fn numbers(fates: &[Fate], of: Fate) -> Vec<usize> {
        (0..fates.len()).filter(|i| fates[*i] == of).collect()
    }

    #[test]
    fn marks_have_their_frequency_and_spare_those_who_cannot_bear_them() {
        let config = ImpairConfig {
            ce: 0.01,
            ..ImpairConfig::default()
        };
        let capable = fates(config, &[Ecn::Ect0; 100_000]);
        let marked = numbers(&capable, Fate::Marked);
        // Mean 1000, standard deviation 31.
        assert!((874..=1126).contains(&marked.len()), "{}", marked.len());
        let others = fates(config, &[Ecn::NotEct; 100_000]);
        assert_eq!(numbers(&others, Fate::Passed).len(), 100_000);
        // Every second packet capable: of the same draws, those that hit a capable one.
        let mixed: Vec<_> = (0..100_000)
            .map(|i| [Ecn::Ect0, Ecn::NotEct][i % 2])
            .collect();
        let even: Vec<_> = marked.into_iter().filter(|i| i % 2 == 0).collect();
        assert_eq!(numbers(&fates(config, &mixed), Fate::Marked), even);
    }

    #[test]
    fn marking_leaves_the_losses_where_they_are() {
        let lossy = ImpairConfig {
            loss: LossConfig::Bernoulli(0.1),
            ..ImpairConfig::default()
        };
        let both = ImpairConfig { ce: 0.5, ..lossy };
        let codepoints = [Ecn::Ect0; 1000];
        assert_eq!(
            numbers(&fates(lossy, &codepoints), Fate::Lost),
            numbers(&fates(both, &codepoints), Fate::Lost)
        );
    }

    #[test]
    fn nothing_to_happen_is_no_component() {
        let streams = LinkStreams::new(1, "l");
        assert!(FarEnd::new(&ImpairConfig::default(), &streams).is_none());
    }
}
