//! Radio channels: an access point, its stations, and how they use the air.

use super::lists::Pair;
use super::wifi_words::{
    AfterSilenceWord, BandWord, CategoryWord, CountsWord, DurationsWord, EdcaDefaultsWord,
    MissedWord, PreambleWord, ProtectionWord, RtsSpec, SlotsWord, Standard, TransmissionsOrNone,
    WidthWord,
};
use super::{
    AddbaSpec, ArpSpec, EdcaSpec, ErrorsWord, FiltersSpec, GuardTime, HackSpec, OfdmaSpec, OrNone,
    OrOff, Probability, Qty, RadioSpec, RateControlSpec, SpaceSpec, StationQueueSpec,
};
use acklab_units::{Bytes, Limit, Rate, Span};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use std::collections::BTreeMap;

/// A channel needs its stations, unless a preset says it.
pub(super) fn members() -> serde_json::Value {
    let members = json!({ "required": ["ap", "stations"] });
    json!({
        "if": { "not": {
            "required": ["topology"],
            "properties": { "topology": {
                "required": ["preset"],
                "properties": { "preset": { "enum": ["wlan", "wifi-dumbbell"] } },
            } },
        } },
        "then": { "properties": { "wifi": {
            "if": { "type": "array" },
            "then": { "items": members },
            "else": members,
        } } },
    })
}

/// Declares a table with keys of its own and those that say how data are sent. (serde cannot flatten
/// a struct and refuse unknown keys at the same time.)
macro_rules! with_way_keys {
    ($(#[$doc:meta])* $name:ident { $($(#[$field_doc:meta])* $field:ident: $ty:ty,)* }) => {
        $(#[$doc])*
        #[derive(Deserialize, JsonSchema, Default, Clone, Debug)]
        #[serde(deny_unknown_fields, default)]
        pub(crate) struct $name {
            $($(#[$field_doc])* pub(crate) $field: $ty,)*
            /// Width of the channel. Default: "20 MHz".
            pub(crate) width: Option<WidthWord>,
            /// Guard interval of n, ac and ax. Default: "800 ns".
            pub(crate) guard_interval: Option<Qty<GuardTime>>,
            /// Modulation and coding of n (0 to 31, 8 for each stream), ac and ax. Default: 7.
            #[schemars(range(min = 0, max = 31))]
            #[serde(deserialize_with = "super::wifi_words::mcs")]
            pub(crate) mcs: Option<u32>,
            /// Spatial streams of n, ac and ax. Default: 1, or what the MCS of n says.
            #[schemars(range(min = 1, max = 8))]
            #[serde(deserialize_with = "super::words::count")]
            pub(crate) streams: Option<u32>,
            /// The rate of b, a and g; of n, ac and ax instead of `mcs`. Default: the highest.
            pub(crate) rate: Option<Qty<Rate>>,
            /// Longest A-MPDU, or "off". Default: the longest that standard and block ack window
            /// allow ("65535 B" for n), off for b, a and g.
            pub(crate) ampdu: Option<OrOff<Bytes>>,
            /// Longest A-MSDU, or "off". Default: "off".
            pub(crate) amsdu: Option<OrOff<Bytes>>,
            /// The limit that the receiver of these data announces: the longest A-MSDU of n ("3839 B"
            /// or "7935 B"), the longest MPDU of ac and ax ("3895 B", "7991 B" or "11454 B"). Default: the
            /// most.
            pub(crate) receiver_amsdu: Option<Qty<Bytes>>,
            /// Longest MPDU. Default: what the standard has, for n in A-MPDUs "4095 B".
            pub(crate) max_mpdu: Option<Qty<Bytes>>,
            /// MPDUs that may be unacknowledged under a block ack agreement. Default: 64, for ax 256.
            #[schemars(range(min = 1, max = 256))]
            #[serde(deserialize_with = "super::words::count")]
            pub(crate) block_ack_window: Option<u32>,
            /// From which length on frames are announced by an RTS, "always", or "off". Default:
            /// "off".
            pub(crate) rts: Option<RtsSpec>,
            /// How the mode is chosen: always that of `mcs` or `rate`, or among all of the standard
            /// with this width and guard interval and up to so many streams. Default: "fixed".
            pub(crate) rate_control: Option<RateControlSpec>,
            /// Probability that a bit is wrong, whatever the signal. Default: 0.
            pub(crate) bit_error_rate: Option<Probability>,
            /// Errors of MPDUs that do not collide, instead of `bit_error_rate`. Default: "snr"
            /// if the channel has a `space`, otherwise "none".
            pub(crate) errors: Option<ErrorsWord>,
            /// The answers to these data carry the TCP ACKs that wait for the way back (TCP/HACK): in
            /// `down` the Block Acks of stations carry ACKs of downloads, in `up` those of the access
            /// point ACKs of uploads. Default: false.
            pub(crate) hack: Option<HackSpec>,
        }

        impl $name {
            /// How data are sent.
            pub(crate) fn way(&self) -> WayKeys {
                WayKeys {
                    width: self.width,
                    guard_interval: self.guard_interval,
                    mcs: self.mcs,
                    streams: self.streams,
                    rate: self.rate,
                    ampdu: self.ampdu,
                    amsdu: self.amsdu,
                    receiver_amsdu: self.receiver_amsdu,
                    max_mpdu: self.max_mpdu,
                    block_ack_window: self.block_ack_window,
                    rts: self.rts,
                    rate_control: self.rate_control.clone(),
                    bit_error_rate: self.bit_error_rate,
                    errors: self.errors,
                    hack: self.hack,
                }
            }
        }
    };
}

/// The keys that say how data are sent, from any of the tables that have them.
#[derive(Clone, Default, Debug)]
pub(crate) struct WayKeys {
    pub(crate) width: Option<WidthWord>,
    pub(crate) guard_interval: Option<Qty<GuardTime>>,
    pub(crate) mcs: Option<u32>,
    pub(crate) streams: Option<u32>,
    pub(crate) rate: Option<Qty<Rate>>,
    pub(crate) ampdu: Option<OrOff<Bytes>>,
    pub(crate) amsdu: Option<OrOff<Bytes>>,
    pub(crate) receiver_amsdu: Option<Qty<Bytes>>,
    pub(crate) max_mpdu: Option<Qty<Bytes>>,
    pub(crate) block_ack_window: Option<u32>,
    pub(crate) rts: Option<RtsSpec>,
    pub(crate) rate_control: Option<RateControlSpec>,
    pub(crate) bit_error_rate: Option<Probability>,
    pub(crate) errors: Option<ErrorsWord>,
    pub(crate) hack: Option<HackSpec>,
}

/// The keys that say how a station queues, contends and transmits, from any of the tables that have
/// them.
#[derive(Clone, Default, Debug)]
pub(crate) struct SideKeys {
    pub(crate) queue: Option<Qty<Limit>>,
    pub(crate) qdisc: Option<StationQueueSpec>,
    pub(crate) device_queue: Option<u32>,
    pub(crate) edca: Option<EdcaSpec>,
    pub(crate) radio: Option<RadioSpec>,
}

/// The keys of a station from a table that has them.
macro_rules! side_keys {
    ($($name:ident)*) => {
        $(impl $name {
            /// How a station queues, contends and transmits.
            pub(crate) fn side(&self) -> SideKeys {
                SideKeys {
                    queue: self.queue,
                    qdisc: self.qdisc.clone(),
                    device_queue: self.device_queue,
                    edca: self.edca,
                    radio: self.radio,
                }
            }
        })*
    };
}

side_keys!(WifiSpec WifiSideSpec WifiStationSpec);

with_way_keys! {
    /// A radio channel. Keys here hold for all stations; `up`, `down` and `station` override it.
    WifiSpec {
        /// Unique name. Default: "wifi", "wifi1", ... by position.
        #[schemars(length(min = 1))]
        name: Option<String>,
        /// Node that is the access point. A preset says it itself.
        ap: Option<String>,
        /// Nodes that are its stations. A preset says it itself.
        #[schemars(length(min = 1, max = 5000))]
        #[serde(deserialize_with = "super::lists::names")]
        stations: Option<Vec<String>>,
        /// Amendment of 802.11. Default: "n".
        standard: Option<Standard>,
        /// Frequency band: b and g are for 2.4 GHz only, a and ac for 5 GHz only. Default: "2.4 GHz"
        /// for b and g, otherwise "5 GHz".
        band: Option<BandWord>,
        /// Rates of control responses. Default: the mandatory ones of the band.
        #[schemars(length(min = 1))]
        #[serde(deserialize_with = "super::lists::rates")]
        basic_rates: Option<Vec<Qty<Rate>>>,
        /// Every control response at this rate. Default: as the standard says, by the basic rates.
        control_rate: Option<Qty<Rate>>,
        /// Every RTS at this rate; its CTS answers by the basic rates, or at `control_rate`. Default:
        /// `control_rate`, otherwise as fast as the answer to the data.
        rts_rate: Option<Qty<Rate>>,
        /// In front of what is sent at 2, 5.5 and 11 Mbit/s. Default: "long".
        preamble: Option<PreambleWord>,
        /// Length of a slot: at 2.4 GHz "20 us" where stations of 802.11b are near. Default: "9 us", for b
        /// "20 us".
        slot_time: Option<Qty<Span>>,
        /// The protection before OFDM at 2.4 GHz where stations of 802.11b are near. Default: "none".
        protection: Option<ProtectionWord>,
        /// At which of 1, 2, 5.5 and 11 Mbit/s that is sent, and RTS with it. Default: the fastest of them that
        /// is a basic rate.
        protection_rate: Option<Qty<Rate>>,
        /// How long PPDUs last where that is a choice. Default: "standard".
        durations: Option<DurationsWord>,
        /// From antenna to antenna. Default: "0 s".
        propagation: Option<Qty<Span>>,
        /// How slots are counted. Default: "dcf" for b, a and g, otherwise "edca".
        slots: Option<SlotsWord>,
        /// Stations wait for an EIFS after what they could not read. Default: true.
        eifs: Option<bool>,
        /// From when on a station counts slots whose transmission was not answered. Default: "quiet".
        after_silence: Option<AfterSilenceWord>,
        /// Access category of flows that do not say theirs. Default: "best-effort".
        category: Option<CategoryWord>,
        /// The unit that counts against the limit of a queue with `qdisc = "shared"`, and of a device below a
        /// discipline; queues per station count packets. Default: "mpdus".
        queue_counts: Option<CountsWord>,
        /// Transmissions of an MPDU without block ack agreement; failures after which the contention
        /// window starts anew. Default: 7.
        #[schemars(range(min = 1, max = 255))]
        #[serde(deserialize_with = "super::words::count")]
        retry_limit: Option<u32>,
        /// Transmissions of an MPDU under a block ack agreement. Default: until its lifetime ends.
        #[schemars(range(min = 1, max = 255))]
        #[serde(deserialize_with = "super::words::count")]
        block_ack_retry_limit: Option<u32>,
        /// Transmissions of a BlockAckReq, or "none": without limit, as in ns-3, until what it asks for
        /// has lived too long. Default: `retry_limit`.
        block_ack_request_limit: Option<TransmissionsOrNone>,
        /// How long a packet may stay in a station, sent or not; or "none". Default: "500 ms".
        lifetime: Option<OrNone<Span>>,
        /// The step after an A-MPDU without an answer. Default: "request".
        missed_block_ack: Option<MissedWord>,
        /// Pairs of stations that do not hear each other; everybody else does, wherever they are.
        /// Default: with a `space` whoever is too weak, otherwise none.
        #[schemars(inner(length(min = 2, max = 2)))]
        #[serde(deserialize_with = "super::lists::pairs")]
        hidden: Option<Vec<Pair>>,
        /// Stations and access point ask for each other's addresses before they send (ARP), and how.
        /// Default: false, they know them from the start; true if the profile of `[tcp]` is "ns3".
        arp: Option<ArpSpec>,
        /// Stations set up block ack agreements before they send A-MPDUs (ADDBA), and how. Default: false, they
        /// have them from the start; true if the profile of `[tcp]` is "ns3".
        addba: Option<AddbaSpec>,
        /// The access point sends to several stations at once and lets several send to it at once (802.11ax), and
        /// how. Default: false.
        ofdma: Option<OfdmaSpec>,
        /// Stations grant the reverse direction to the access point. Default: false.
        reverse_grant: Option<bool>,
        /// Most that waits in each station, the access point included. Default: "500 packets"; per
        /// station "8192 packets" (mac80211), those of all receivers together; in a discipline what that
        /// has on a link.
        queue: Option<Qty<Limit>>,
        /// How packets wait in each station, the access point included: in one queue for all receivers (`shared`), in
        /// one queue for each receiver (`per-station`), or in a queue discipline, of which each access category has its
        /// own. Default: "shared".
        qdisc: Option<StationQueueSpec>,
        /// MPDUs that wait in the device of a station below a discipline, unseen by it. Default: 123 (ath9k's ATH_MAX_QDEPTH).
        #[schemars(range(min = 1, max = 65_535))]
        #[serde(deserialize_with = "super::words::count")]
        device_queue: Option<u32>,
        /// How stations contend. Default: as the standard says for the category.
        edca: Option<EdcaSpec>,
        /// The edition of the standard whose defaults of `edca` hold. Default: "2012".
        edca_defaults: Option<EdcaDefaultsWord>,
        /// Radios of stations in space.
        radio: Option<RadioSpec>,
        /// Where stations are, so that their signals matter. Default: nowhere, and all hear all.
        space: Option<SpaceSpec>,
        /// The transmissions of stations, and their queues.
        up: WifiSideSpec,
        /// The transmissions of the access point, and its queue.
        down: WifiSideSpec,
        /// Single stations, by name.
        station: BTreeMap<String, WifiStationSpec>,
    }
}

with_way_keys! {
    /// The transmissions of one side of a radio channel: the stations or the access point.
    WifiSideSpec {
        /// ACK filter in front of the queue, or a list in the order in which an ACK meets them.
        ack_filter: Option<FiltersSpec>,
        /// Whoever sends here lets the receiver send data in turn. Default: false; of stations what
        /// the channel says.
        reverse_grant: Option<bool>,
        /// Most that waits in each station.
        queue: Option<Qty<Limit>>,
        /// How packets wait in the access point (`down`) or in the stations (`up`). Default: the channel's `qdisc`.
        qdisc: Option<StationQueueSpec>,
        /// MPDUs that wait in each device below a discipline, unseen by it. Default: 123 (ath9k's ATH_MAX_QDEPTH).
        #[schemars(range(min = 1, max = 65_535))]
        #[serde(deserialize_with = "super::words::count")]
        device_queue: Option<u32>,
        /// How stations contend.
        edca: Option<EdcaSpec>,
        /// Their radios.
        radio: Option<RadioSpec>,
    }
}

with_way_keys! {
    /// One station: what it and the access point send each other, and its queue.
    WifiStationSpec {
        /// Most that waits in it.
        queue: Option<Qty<Limit>>,
        /// How packets wait in this station. Default: the `qdisc` of its side, or else of the channel.
        qdisc: Option<StationQueueSpec>,
        /// MPDUs that wait in its device below a discipline, unseen by it. Default: 123 (ath9k's ATH_MAX_QDEPTH).
        #[schemars(range(min = 1, max = 65_535))]
        #[serde(deserialize_with = "super::words::count")]
        device_queue: Option<u32>,
        /// How it contends.
        edca: Option<EdcaSpec>,
        /// Its radio.
        radio: Option<RadioSpec>,
        /// The transmissions of the station.
        up: WifiWaySpec,
        /// The access point's transmissions to it.
        down: WifiWaySpec,
    }
}

with_way_keys! {
    /// One way between a station and the access point.
    WifiWaySpec {
        /// ACK filter in front of the queue, or a list in the order in which an ACK meets them.
        ack_filter: Option<FiltersSpec>,
        /// Whoever sends here lets the receiver send data in turn.
        reverse_grant: Option<bool>,
    }
}
