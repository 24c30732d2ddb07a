//! How an access point serves several stations at once.

use crate::wifi::phy::{Guard, RuPlan, SigBMcs};
use acklab_units::Span;

/// OFDMA of 802.11ax (clause 26.5): the access point sends to several stations at once, and calls several to
/// send to it at once.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OfdmaConfig {
    /// HE MU PPDUs to several stations; `None` = none are sent.
    pub downlink: Option<DownlinkOfdma>,
    /// Trigger frames that call for HE TB PPDUs; `None` = none are sent.
    pub uplink: Option<UplinkOfdma>,
    /// The stations that are served.
    pub scheduler: Scheduler,
    /// Most stations that are served at once.
    pub most_users: u16,
    /// The resource units, the largest of which are used where there are fewer stations; `None` = equal ones.
    pub plan: Option<RuPlan>,
    /// Guard interval of HE TB PPDUs, 1.6 or 3.2 us (9.3.1.22).
    pub guard: Guard,
    /// How HE-SIG-B is sent; `None` = in the MCS of its slowest user, 5 at most, as in ns-3's
    /// `WifiTxVector::GetSigBMode`.
    pub sig_b: Option<SigBMcs>,
    /// Stations have the whole channel one after the other where more arrives in that way: downlink the access
    /// point sends to one of them, uplink it calls nobody and they contend.
    pub falls_back: bool,
}

/// HE MU PPDUs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DownlinkOfdma {
    /// How they are acknowledged.
    pub answers: Answers,
    /// Highest MCS of Block Acks in HE TB PPDUs.
    pub answer_mcs: u8,
}

impl DownlinkOfdma {
    /// Highest MCS of Block Acks in HE TB PPDUs: the `MaxBlockAckMcs` of ns-3's `WifiDefaultAckManager`.
    pub const ANSWER_MCS: u8 = 5;
}

/// How data for several stations are acknowledged (26.4.4).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Answers {
    /// One station after the other: the first at once, the others when a BlockAckReq asks them. ns-3's
    /// `DL_MU_BAR_BA_SEQUENCE`.
    Sequence,
    /// All at once, called by an MU-BAR Trigger frame. `DL_MU_TF_MU_BAR`.
    MuBar,
    /// All at once, called by a Trigger frame in the data of each. `DL_MU_AGGREGATE_TF`.
    #[default]
    Aggregated,
}

/// HE TB PPDUs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct UplinkOfdma {
    /// When the access point asks what stations have (BSRP). It always learns from reports in their data.
    pub poll: Poll,
    /// Access category, by number, under which the access point contends for Trigger frames.
    pub category: u8,
    /// Resource units that belong to nobody.
    pub random: Option<RandomAccess>,
    /// How stations contend that were called.
    pub mu_edca: Option<MuEdca>,
}

/// When an access point asks stations for their buffer status (26.5.2).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Poll {
    /// When for that long it has called nobody, and nobody's data said that there is more.
    pub every: Span,
    /// Before each call for data as well.
    pub always: bool,
}

/// Uplink OFDMA random access, UORA (26.5.4).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RandomAccess {
    /// Resource units for it in a Trigger frame.
    pub units: u16,
    /// Smallest OFDMA contention window, OCWmin.
    pub ocw_min: u16,
    /// Largest, OCWmax.
    pub ocw_max: u16,
    /// They are in Trigger frames that call for data; otherwise in those that ask for buffer status.
    pub for_data: bool,
}

/// How a station contends after it was called and has sent data (26.2.7), until its MU EDCA timer runs out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MuEdca {
    /// AIFSN; 0 = it does not contend.
    pub aifsn: u8,
    /// Smallest contention window.
    pub cw_min: u16,
    /// Largest.
    pub cw_max: u16,
    /// How long, since it was last called.
    pub timer: Span,
}

/// Which stations an access point serves when more have data than it can serve at once.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Scheduler {
    /// Those who have waited longest, as many as fill the channel with equal resource units.
    #[default]
    RoundRobin,
    /// Those who are fast now, compared to what they have got: rate over mean throughput (Kelly 1998; Tse's
    /// proportional fair).
    ProportionalFair,
    /// Those who have most, and so many of them that most arrives in the time it takes.
    Backlog,
}
