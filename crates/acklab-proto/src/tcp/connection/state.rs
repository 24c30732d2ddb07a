//! The connection states of RFC 9293 section 3.3.2.

/// The end that opens.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Role {
    /// Sends the SYN.
    Active,
    /// Waits for it.
    Passive,
}

/// State of a connection, with the names of the RFC.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
#[repr(u8)]
pub enum State {
    /// No connection.
    Closed,
    /// Waiting for a SYN.
    Listen,
    /// SYN sent.
    SynSent,
    /// SYN received, SYN-ACK sent.
    SynReceived,
    /// Open.
    Established,
    /// FIN sent, not acknowledged.
    FinWait1,
    /// FIN acknowledged, the peer may still send.
    FinWait2,
    /// The peer has closed, we have not.
    CloseWait,
    /// Both have sent FIN, ours is not acknowledged.
    Closing,
    /// The peer closed first, our FIN is not acknowledged.
    LastAck,
    /// Waiting for stray segments to die.
    TimeWait,
}

impl State {
    /// Whether the application may hand over data.
    pub fn may_write(self) -> bool {
        matches!(
            self,
            Self::Closed
                | Self::Listen
                | Self::SynSent
                | Self::SynReceived
                | Self::Established
                | Self::CloseWait
        )
    }

    /// Whether data may still arrive.
    pub fn may_receive(self) -> bool {
        matches!(
            self,
            Self::SynReceived | Self::Established | Self::FinWait1 | Self::FinWait2
        )
    }

    /// Whether both SYNs have been exchanged.
    pub fn synchronised(self) -> bool {
        !matches!(self, Self::Closed | Self::Listen | Self::SynSent)
    }

    /// The state that follows once our FIN was sent or acknowledged.
    #[must_use]
    pub fn after(self, fin_sent: bool, fin_acked: bool) -> Self {
        match (self, fin_sent, fin_acked) {
            (Self::Established, true, _) => Self::FinWait1.after(fin_sent, fin_acked),
            (Self::CloseWait, true, _) => Self::LastAck.after(fin_sent, fin_acked),
            (Self::FinWait1, _, true) => Self::FinWait2,
            (Self::Closing, _, true) => Self::TimeWait,
            (Self::LastAck, _, true) => Self::Closed,
            _ => self,
        }
    }

    /// The state that follows the peer's FIN.
    #[must_use]
    pub fn after_peer_fin(self) -> Self {
        match self {
            Self::SynReceived | Self::Established => Self::CloseWait,
            Self::FinWait1 => Self::Closing,
            Self::FinWait2 => Self::TimeWait,
            _ => self,
        }
    }
}
