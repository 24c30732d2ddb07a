//! The tables of a run: what it left behind as columns, in the units that people read.
//!
//! Whoever shows results, in Python or in a web page, gets them from here. `docs/results.md` says
//! what each column means.

mod cells;
mod classes;
mod flows;
mod links;
mod media;
mod records;
mod reports;
mod saturation;
mod series;
mod table;

pub use classes::queues;
pub use saturation::saturation;
pub use table::{Column, Numbers, Table};

use crate::plan::Plan;
use crate::record::RunResult;

/// A table of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Which {
    /// One row per flow.
    Flows,
    /// One row per direction of a link.
    Links,
    /// Samples of the senders over time.
    Series,
    /// Samples of the queues over time.
    LinkSeries,
    /// One row per station of a radio channel.
    Stations,
    /// The uses of the time of radio channels.
    Airtime,
    /// How many MPDUs were sent at once.
    AmpduSizes,
    /// The counters of queue disciplines, by tin or class.
    QueueClasses,
    /// The events of the senders.
    Events,
    /// The lives of acknowledgements.
    Acks,
    /// The reports of TACK's receivers.
    Reports,
    /// The events of packets.
    Packets,
    /// The content of TACK's packets.
    TackContents,
    /// The PPDUs.
    Ppdus,
}

impl Which {
    /// All of them.
    pub const ALL: [Self; 14] = [
        Self::Flows,
        Self::Links,
        Self::Series,
        Self::LinkSeries,
        Self::Stations,
        Self::Airtime,
        Self::AmpduSizes,
        Self::QueueClasses,
        Self::Events,
        Self::Acks,
        Self::Reports,
        Self::Packets,
        Self::TackContents,
        Self::Ppdus,
    ];

    /// Its name, as results and folders have it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Flows => "flows",
            Self::Links => "links",
            Self::Series => "series",
            Self::LinkSeries => "link_series",
            Self::Stations => "stations",
            Self::Airtime => "airtime",
            Self::AmpduSizes => "ampdu_sizes",
            Self::QueueClasses => "queue_classes",
            Self::Events => "events",
            Self::Acks => "acks",
            Self::Reports => "reports",
            Self::Packets => "packets",
            Self::TackContents => "tack_contents",
            Self::Ppdus => "ppdus",
        }
    }

    /// The table of `result`, which is of a run of `plan`.
    pub fn of<'a>(self, result: &'a RunResult, plan: &'a Plan) -> Table<'a> {
        let (series, records) = (&result.series, &result.records);
        match self {
            Self::Flows => flows::flows(&result.flows),
            Self::Links => links::links(&result.links),
            Self::Series => series::of_flows(&series.flows, plan),
            Self::LinkSeries => series::of_links(&series.links, plan),
            Self::Stations => media::stations(&result.media, plan),
            Self::Airtime => media::airtime(&result.media),
            Self::AmpduSizes => media::ampdu_sizes(&result.media, plan),
            Self::QueueClasses => classes::queue_classes(&result.classes),
            Self::Events => records::events(&records.events, plan),
            Self::Acks => records::acks(&records.acks, plan),
            Self::Reports => reports::reports(&records.reports, plan),
            Self::Packets => records::packets(&records.packets, plan),
            Self::TackContents => reports::contents(&records.packets, plan),
            Self::Ppdus => media::ppdus(&records.ppdus, plan),
        }
    }
}
