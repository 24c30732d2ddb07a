//! Nodes and preset networks.

use super::{OneOrMany, PresetLinkSpec};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

/// A node. It forwards whatever is not for itself.
#[derive(Deserialize, JsonSchema, Default, Debug)]
#[serde(deny_unknown_fields, default)]
#[schemars(extend("required" = ["name"]))]
pub(crate) struct NodeSpec {
    /// Unique name.
    #[schemars(length(min = 1))]
    pub(crate) name: Option<String>,
}

/// The keys that `preset` needs, and those that it does not have.
fn only(preset: &str, needed: &[&str], foreign: &[&str]) -> serde_json::Value {
    let foreign: Vec<_> = foreign
        .iter()
        .map(|key| json!({ "required": [key] }))
        .collect();
    json!({
        "if": { "properties": { "preset": { "const": preset } } },
        "then": { "required": needed, "not": { "anyOf": foreign } },
    })
}

/// A preset network.
#[derive(Deserialize, JsonSchema, Default, Debug)]
#[serde(deny_unknown_fields, default)]
#[schemars(
    extend("required" = ["preset"]),
    extend("allOf" = [
        only("dumbbell", &["bottleneck"], &["hops", "stations", "servers", "direction", "wire"]),
        only("parking-lot", &["bottleneck"], &["pairs", "stations", "servers", "direction", "wire"]),
        only("wlan", &[], &["pairs", "hops", "access", "receiver_access", "bottleneck"]),
        only("wifi-dumbbell", &[], &["hops", "stations", "servers", "direction", "wire", "bottleneck"]),
    ])
)]
pub(crate) struct TopologySpec {
    /// Which.
    pub(crate) preset: Option<Preset>,
    /// Dumbbells: number of sender-receiver pairs. Default: 1.
    #[schemars(range(min = 1, max = 1000))]
    #[serde(deserialize_with = "super::words::count")]
    pub(crate) pairs: Option<u32>,
    /// Parking lot: number of bottlenecks in a row. Default: 2.
    #[schemars(range(min = 1, max = 1000))]
    #[serde(deserialize_with = "super::words::count")]
    pub(crate) hops: Option<u32>,
    /// `wlan`: number of stations. Default: 1.
    #[schemars(range(min = 1, max = 5000))]
    #[serde(deserialize_with = "super::words::count")]
    pub(crate) stations: Option<u32>,
    /// `wlan`: one server for all stations, or one for each. Default: "one".
    pub(crate) servers: Option<ServersWord>,
    /// `wlan`: whether flows go from stations to servers or the other way. Default: "up".
    pub(crate) direction: Option<WayWord>,
    /// `wlan`: the link from the access point to the server; of several servers one for all, or a
    /// list with one for each. Default: unlimited rate, no delay.
    pub(crate) wire: Option<OneOrMany<PresetLinkSpec>>,
    /// Links from senders to routers: one for all, or a list with one per pair. Default:
    /// unlimited rate, no delay.
    pub(crate) access: Option<OneOrMany<PresetLinkSpec>>,
    /// Links from routers to receivers. Default: like `access`.
    pub(crate) receiver_access: Option<OneOrMany<PresetLinkSpec>>,
    /// Links between routers: one for all, or (parking lot) a list with one per hop.
    pub(crate) bottleneck: Option<OneOrMany<PresetLinkSpec>>,
}

/// A preset network.
#[derive(Deserialize, JsonSchema, Clone, Copy, PartialEq, Debug)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Preset {
    /// Senders s0, s1, ... - `left` - bottleneck - `right` - receivers d0, d1, ...
    Dumbbell,
    /// Routers r0 - r1 - ... - rN with a bottleneck between neighbours. The pair s0, d0 crosses
    /// all of them, the pair si, di the i-th only.
    ParkingLot,
    /// Stations sta0, sta1, ... - one radio channel - `ap` - servers. `[wifi]` says what the channel
    /// is like.
    Wlan,
    /// Senders s0, s1, ... - `sta` - one radio channel - `ap` - receivers d0, d1, ...
    WifiDumbbell,
}

/// How many servers stand behind an access point.
#[derive(Deserialize, JsonSchema, Clone, Copy, PartialEq, Debug)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum ServersWord {
    /// `server`, for all stations.
    One,
    /// `server0`, `server1`, ..., each with a wire of its own.
    Each,
}

/// Which way flows go by default.
#[derive(Deserialize, JsonSchema, Clone, Copy, PartialEq, Debug)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum WayWord {
    /// From stations to servers.
    Up,
    /// From servers to stations.
    Down,
}
