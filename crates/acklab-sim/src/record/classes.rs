//! Queue disciplines, their tins and classes in numbers.

use crate::network::Air;
use crate::plan::Plan;
use acklab_path::link::Link;
use acklab_path::qdisc::classes::Row;

/// A CAKE, a tin or a class, at the end of the run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClassSummary {
    /// Where its discipline stands: the name of a link, or channel, station and access category
    /// (`wlan/ap/best-effort`).
    pub place: String,
    /// Its counters.
    pub row: Row,
}

impl ClassSummary {
    /// Of every discipline of a run.
    pub(crate) fn all(plan: &Plan, links: &[Link], media: &[Air]) -> Vec<Self> {
        let on_links = plan.links.iter().zip(links);
        let on_links = on_links.flat_map(|(of, link)| placed(of.name.clone(), link.classes()));
        on_links.chain(on_air(plan, media)).collect()
    }
}

fn placed(place: String, rows: Vec<Row>) -> impl Iterator<Item = ClassSummary> {
    rows.into_iter().map(move |row| ClassSummary {
        place: place.clone(),
        row,
    })
}

fn on_air(plan: &Plan, media: &[Air]) -> impl Iterator<Item = ClassSummary> {
    let disciplines = plan.media.iter().zip(media).flat_map(|(of, air)| {
        let each = of.disciplines.iter();
        each.flat_map(move |d| (0..).zip(&of.access).map(move |c| (of, air, d, c)))
    });
    disciplines.flat_map(|(of, air, d, (category, access))| {
        let node = &plan.nodes[of.nodes[usize::from(d.station.0)]];
        let place = format!("{}/{node}/{}", of.name, access.name());
        placed(place, air.medium.classes(d.station, category))
    })
}
