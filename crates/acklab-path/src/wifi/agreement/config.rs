//! How agreements are set up.

use acklab_units::Span;

/// How stations come to block ack agreements.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AddbaConfig {
    /// MPDUs, sent or not, that are there for a recipient before it gets a request.
    pub packets: u16,
    /// From the acknowledgement of a request on, how long the response is waited for.
    pub response_timeout: Span,
    /// After an attempt that failed, how long none is made; MPDUs go singly meanwhile.
    pub failed_timeout: Span,
}

impl AddbaConfig {
    /// ns-3.44 for HT stations: `NeedSetupBlockAck` wants more than one packet, `QosTxop` has an
    /// `AddBaResponseTimeout` of 5 ms and a `FailedAddBaTimeout` of 200 ms.
    pub const NS3_HT: Self = Self {
        packets: 2,
        response_timeout: Span::from_millis(5),
        failed_timeout: Span::from_millis(200),
    };

    /// The same for VHT and HE stations, which ask as soon as there is a packet.
    pub const NS3_VHT: Self = Self {
        packets: 1,
        ..Self::NS3_HT
    };
}
