//! The behaviours of a stack that no key sets: the profile chooses all of them at once, here and nowhere else.
//! The code asks for a behaviour by its name, never for the profile.

use super::config::{Profile, Reduction};
use super::ns3;
use crate::registry::Value;
use crate::segment::OptionLayout;

/// The ways of one stack.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Dialect {
    /// The stack whose rules the sending half follows.
    pub sender: SenderRules,
    /// How the window of that half can come down in fast recovery.
    pub reductions: &'static [Reduction],
    /// How the options of a segment are laid out.
    pub option_layout: OptionLayout,
    /// The SYN has the option for the segment size (RFC 9293 section 3.7.1). Otherwise both
    /// ends are configured alike.
    pub mss_option: bool,
    /// The sending half can ask its peer to acknowledge otherwise (TARR, ACK frequency).
    pub asks_for_acks: bool,
    /// An acknowledgement that is due leaves before data that could carry it.
    pub acks_before_data: bool,
    /// How many ticks a timestamp may lie back before the segment counts as old (PAWS, RFC 7323
    /// section 5); without a number there is no such test.
    pub paws_tolerance: Option<u32>,
    /// RACK ignores a SACKed retransmission if the timestamp that the ACK echoes is from before it (RFC 8985
    /// section 6.2 step 2). Above a gap each ACK's is, because receivers echo what they had before the gap
    /// (RFC 7323 section 4.3). Linux asks the echo for what is acknowledged cumulatively only
    /// (`tcp_clean_rtx_queue`, not `tcp_sacktag_one`), and so finds retransmissions that are lost.
    pub sacks_need_echo: bool,
    /// SACK blocks grow by the segments reported, not by what is held.
    pub blocks_by_segment: bool,
    /// How the receive buffer becomes a window.
    pub receive_buffer: ReceiveBuffer,
    /// The send buffer counts the memory of segments and grows with the window
    /// (`tcp_sndbuf_expand`); else it is so many bytes of payload.
    pub send_buffer_of_memory: bool,
    /// A long write sets PSH on its way (`forced_push`).
    pub forced_push: bool,
    /// The first repetitions of a SYN come without back-off (`tcp_syn_linear_timeouts`).
    pub linear_syn_timeouts: bool,
    /// On a link between such ends alone, what arrives as a service begins finds the queue as it
    /// was before.
    pub arrivals_first: bool,
    /// Name of the receiver policy.
    pub ack_policy: &'static str,
    /// Defaults of that policy's parameters, where it has them.
    pub ack_params: &'static [(&'static str, Value)],
    /// Defaults of a controller's parameters, where it has them.
    pub cc_params: &'static [(&'static str, Value)],
}

/// The stack whose rules a sending half follows: its loss detection, recovery, timers and RTT samples.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SenderRules {
    /// Linux's, with the settings that turn it into the RFCs'.
    Linux,
    /// ns-3's (`TcpSocketBase`).
    Ns3,
}

/// How a receive buffer becomes a window.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ReceiveBuffer {
    /// It grows with the rate, and out-of-order data takes room (Linux `tcp_rcv_space_adjust`).
    Autotuned,
    /// A fixed number of bytes.
    Fixed {
        /// The right edge moves in steps of a segment or half the buffer (RFC 9293 section
        /// 3.8.6.2.2).
        stepped: bool,
    },
}

impl Profile {
    /// The ways of this profile's stack.
    pub const fn dialect(self) -> &'static Dialect {
        match self {
            Self::Linux => &LINUX,
            Self::Ns3 => &ns3::DIALECT,
            Self::Rfc => &RFC,
        }
    }
}

/// Linux 6.12 to 6.18.
const LINUX: Dialect = Dialect {
    sender: SenderRules::Linux,
    reductions: &[Reduction::Prr, Reduction::Classic],
    option_layout: OptionLayout::Aligned,
    mss_option: true,
    asks_for_acks: true,
    acks_before_data: false,
    paws_tolerance: Some(1),
    sacks_need_echo: false,
    blocks_by_segment: false,
    receive_buffer: ReceiveBuffer::Autotuned,
    send_buffer_of_memory: true,
    forced_push: true,
    linear_syn_timeouts: true,
    arrivals_first: false,
    ack_policy: "linux",
    ack_params: &[],
    cc_params: &[],
};

/// The RFCs.
const RFC: Dialect = Dialect {
    paws_tolerance: Some(0),
    sacks_need_echo: true,
    receive_buffer: ReceiveBuffer::Fixed { stepped: true },
    send_buffer_of_memory: false,
    forced_push: false,
    linear_syn_timeouts: false,
    ack_policy: "delayed",
    ..LINUX
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tcp::config::{AckChoice, TcpConfig};

    #[test]
    fn every_stack_has_a_receiver_policy_and_keeps_to_its_own_ways() {
        for profile in [Profile::Linux, Profile::Ns3, Profile::Rfc] {
            let d = profile.dialect();
            assert!(AckChoice::named(d.ack_policy).is_some(), "{profile:?}");
            assert!(d.reductions.contains(&TcpConfig::new(profile).reduction));
            let half = d.reductions.contains(&Reduction::Ns3Prr);
            assert_eq!(half, d.sender == SenderRules::Ns3, "{profile:?}");
            assert_eq!(d.linear_syn_timeouts, profile == Profile::Linux);
            assert_eq!(d.mss_option, profile != Profile::Ns3);
        }
    }
}
