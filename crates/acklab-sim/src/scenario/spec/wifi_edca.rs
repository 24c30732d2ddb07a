//! How stations of a radio channel contend, by access category.

use super::Qty;
use acklab_path::wifi::medium::AccessCategory;
use acklab_units::Span;
use schemars::JsonSchema;
use serde::Deserialize;

/// How stations contend: for the channel's access category, and for each by name.
#[derive(Deserialize, JsonSchema, Default, Clone, Copy, Debug)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct EdcaSpec {
    /// Slots after a SIFS, 1 to 15.
    #[schemars(range(min = 1, max = 15))]
    #[serde(deserialize_with = "super::words::count")]
    pub(crate) aifsn: Option<u32>,
    /// Smallest contention window, such as 15.
    #[schemars(range(min = 0, max = 32767))]
    #[serde(deserialize_with = "super::wifi_words::window")]
    pub(crate) cw_min: Option<u32>,
    /// Largest contention window, such as 1023.
    #[schemars(range(min = 0, max = 32767))]
    #[serde(deserialize_with = "super::wifi_words::window")]
    pub(crate) cw_max: Option<u32>,
    /// Longest transmission opportunity; "0 s" for one exchange.
    pub(crate) txop: Option<Qty<Span>>,
    /// AC_VO.
    pub(crate) voice: EdcaParams,
    /// AC_VI.
    pub(crate) video: EdcaParams,
    /// AC_BE.
    #[serde(rename = "best-effort")]
    pub(crate) best_effort: EdcaParams,
    /// AC_BK.
    pub(crate) background: EdcaParams,
}

/// How one access category contends.
#[derive(Deserialize, JsonSchema, Default, Clone, Copy, Debug)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct EdcaParams {
    /// Slots after a SIFS, 1 to 15.
    #[schemars(range(min = 1, max = 15))]
    #[serde(deserialize_with = "super::words::count")]
    pub(crate) aifsn: Option<u32>,
    /// Smallest contention window, such as 15.
    #[schemars(range(min = 0, max = 32767))]
    #[serde(deserialize_with = "super::wifi_words::window")]
    pub(crate) cw_min: Option<u32>,
    /// Largest contention window, such as 1023.
    #[schemars(range(min = 0, max = 32767))]
    #[serde(deserialize_with = "super::wifi_words::window")]
    pub(crate) cw_max: Option<u32>,
    /// Longest transmission opportunity; "0 s" for one exchange.
    pub(crate) txop: Option<Qty<Span>>,
}

impl EdcaSpec {
    /// The keys without the name of a category.
    pub(crate) fn own(&self) -> EdcaParams {
        EdcaParams {
            aifsn: self.aifsn,
            cw_min: self.cw_min,
            cw_max: self.cw_max,
            txop: self.txop,
        }
    }

    /// The keys under the name of `category`.
    pub(crate) fn of(&self, category: AccessCategory) -> EdcaParams {
        match category {
            AccessCategory::Voice => self.voice,
            AccessCategory::Video => self.video,
            AccessCategory::BestEffort => self.best_effort,
            AccessCategory::Background => self.background,
        }
    }
}
