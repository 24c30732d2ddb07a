//! Kinds of packets for the thinning queue, judged by the packets before them in their flows.

use super::super::dsack::reports_duplicate;
use acklab_proto::segment::{Flags, SackBlocks, Segment};
use acklab_units::SeqNum;

/// The flags that turn an acknowledgement into a message about congestion.
const ECHO: Flags = Flags(Flags::ECE.0 | Flags::CWR.0);

/// How a packet is treated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// Not a pure acknowledgement: data, SYN (unless it is thinned), FIN, RST.
    Other,
    /// A pure acknowledgement that says more than the next one would repeat.
    More,
    /// A pure acknowledgement whose number is no news, and which may not be thinned.
    Duplicate,
    /// A pure acknowledgement like any other.
    Plain,
}

/// Which acknowledgements are left alone.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Rules {
    /// Those that do not advance the acknowledgement number.
    pub(super) pass_duplicates: bool,
    /// Those whose SACK blocks differ from the ones before, and DSACKs.
    pub(super) pass_sack: bool,
    /// The SYN-ACK of the handshake.
    pub(super) pass_handshake: bool,
}

/// Memory of a flow: the last thing said about each subject.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Memory {
    highest: Option<SeqNum>,
    echo: u8,
    sack: SackBlocks,
}

impl Memory {
    /// Judges the next packet of the flow and remembers it.
    pub(super) fn classify(&mut self, segment: &Segment, rules: Rules) -> Kind {
        let kind = self.judge(segment, rules);
        self.remember(segment);
        kind
    }

    /// A persistent ECE is said once per acknowledgement until the sender answers with CWR (RFC
    /// 3168 section 6.1.3); every ACK of such a run says the same, so only its ends are news.
    fn judge(&self, segment: &Segment, rules: Rules) -> Kind {
        if !rules.pass_handshake && is_syn_ack(segment) {
            Kind::Plain
        } else if !segment.is_pure_ack() {
            Kind::Other
        } else if segment.flags.0 & ECHO.0 != self.echo
            || (rules.pass_sack && self.says_new_sack(segment))
        {
            Kind::More
        } else if rules.pass_duplicates && !self.advances(segment.ack) {
            Kind::Duplicate
        } else {
            Kind::Plain
        }
    }

    fn advances(&self, ack: SeqNum) -> bool {
        self.highest.is_none_or(|h| h.before(ack))
    }

    fn says_new_sack(&self, segment: &Segment) -> bool {
        segment.sack != self.sack || reports_duplicate(segment)
    }

    /// Acknowledgements on data count, too. A SYN begins a new connection, and its ECE and CWR are
    /// about the negotiation (RFC 3168 section 6.1.1).
    fn remember(&mut self, segment: &Segment) {
        if segment.flags.contains(Flags::SYN) {
            *self = Self::default();
            return;
        }
        if segment.flags.contains(Flags::ACK) {
            if self.advances(segment.ack) {
                self.highest = Some(segment.ack);
            }
            self.echo = segment.flags.0 & ECHO.0;
            self.sack = segment.sack;
        }
    }
}

/// Whether the segment is the second of the handshake.
fn is_syn_ack(segment: &Segment) -> bool {
    segment.flags.contains(Flags::SYN.with(Flags::ACK)) && segment.len == 0
}

#[cfg(test)]
mod tests {
    use super::super::super::testing::{ack, data, flagged, sack};
    use super::*;

    const THIN: Rules = Rules {
        pass_duplicates: false,
        pass_sack: false,
        pass_handshake: true,
    };
    const PASS: Rules = Rules {
        pass_duplicates: true,
        pass_sack: true,
        pass_handshake: true,
    };

    fn kinds(rules: Rules, segments: &[Segment]) -> std::vec::Vec<Kind> {
        let mut memory = Memory::default();
        segments.iter().map(|s| memory.classify(s, rules)).collect()
    }

    #[test]
    fn a_run_of_ece_is_news_at_its_ends() {
        let ece = |n| flagged(n, Flags::ECE);
        let run = [ack(1), ece(2), ece(3), ece(4), ack(5), ack(6)];
        use Kind::{More, Plain};
        assert_eq!(kinds(THIN, &run), [Plain, More, Plain, Plain, More, Plain]);
    }

    #[test]
    fn an_echo_that_rode_on_data_is_no_news() {
        let mut carrier = data(10);
        carrier.flags = carrier.flags.with(Flags::ECE);
        let run = [carrier, flagged(11, Flags::ECE)];
        assert_eq!(kinds(THIN, &run), [Kind::Other, Kind::Plain]);
    }

    #[test]
    fn ecn_setup_on_a_syn_is_not_an_echo() {
        let mut syn = flagged(0, Flags::SYN.with(Flags::ECE).with(Flags::CWR));
        syn.seq = SeqNum(7);
        assert_eq!(kinds(THIN, &[syn, ack(1)]), [Kind::Other, Kind::Plain]);
    }

    #[test]
    fn duplicates_and_old_numbers_pass_if_asked() {
        let run = [ack(10), ack(10), ack(9), ack(11)];
        use Kind::{Duplicate, Plain};
        assert_eq!(kinds(THIN, &run), [Plain; 4]);
        assert_eq!(kinds(PASS, &run), [Plain, Duplicate, Duplicate, Plain]);
    }

    #[test]
    fn a_sack_change_is_more_if_asked() {
        let run = [
            ack(10),
            sack(10, &[(20, 30)]),
            sack(10, &[(20, 40)]),
            sack(10, &[(20, 40)]),
            ack(40),
        ];
        use Kind::{Duplicate, More, Plain};
        assert_eq!(kinds(THIN, &run), [Plain; 5]);
        assert_eq!(kinds(PASS, &run), [Plain, More, More, Duplicate, More]);
    }

    #[test]
    fn a_dsack_repeats_nothing() {
        let below = sack(10, &[(5, 8)]);
        let inside = sack(10, &[(20, 22), (20, 40)]);
        let sideways = sack(10, &[(50, 60), (20, 40)]);
        assert!(reports_duplicate(&below) && reports_duplicate(&inside));
        assert!(!reports_duplicate(&sideways) && !reports_duplicate(&ack(1)));
        assert_eq!(kinds(PASS, &[below, below]), [Kind::More, Kind::More]);
    }

    #[test]
    fn everything_that_is_not_a_pure_ack_is_other() {
        for f in [Flags::FIN, Flags::RST, Flags::SYN, Flags::URG] {
            assert_eq!(kinds(THIN, &[flagged(1, f)]), [Kind::Other], "{f:?}");
        }
        assert_eq!(kinds(THIN, &[data(1)]), [Kind::Other]);
    }
}
