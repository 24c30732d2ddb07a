//! CAKE as a scenario configures it.

use super::isolation::{self, Isolation};
use super::overhead;
use super::tins::{self, Mode};
use crate::qdisc::cake::Cake;
use crate::qdisc::registry::{Build, Counts, INSIDE, Mistake, Room};
use crate::qdisc::shape::framing::Framing;
use acklab_proto::registry::{Entry, Kind, Param, Params, Value};
use acklab_proto::rng::{Rng, RngCore};
use acklab_units::{Rate, Span};
use alloc::boxed::Box;

/// `tc`'s names of the distances that its control law may be made for, with target and interval in
/// microseconds (iproute2 `tc/q_cake.c`, `presets`).
const DISTANCES: [(&str, u64, u64); 8] = [
    ("datacentre", 5, 100),
    ("lan", 50, 1000),
    ("metro", 500, 10_000),
    ("regional", 1500, 30_000),
    ("internet", 5000, 100_000),
    ("oceanic", 15_000, 300_000),
    ("satellite", 50_000, 1_000_000),
    ("interplanetary", 50_000_000, 1_000_000_000),
];

/// The memory is at most that of so many largest frames (`cake_init`).
const LIMIT: u32 = 10_240;

/// IP packets that Ethernet carries whatever the flows send, and its header, which Linux counts in the largest
/// frame (`psched_mtu`).
const MTU: u32 = 1500;
const HEADER: u32 = 14;

/// The registry's entry.
pub const ENTRY: Entry<Build> = Entry {
    name: "cake",
    aliases: &[],
    summary: "CAKE: shapes without bursts, sorts packets into tins by codepoint, shares the rate fairly among hosts and flows, and runs COBALT on each queue. Its ACK filter is a key of the link: `ack_filter = \"cake\"`.",
    source: "Hoiland-Jorgensen et al. 2018, Linux net/sched/sch_cake.c, tc-cake(8)",
    params: &[
        Param {
            name: "bandwidth",
            doc: "Rate of the shaper. none: no shaper, packets leave as fast as the line takes them (tc-cake(8), bandwidth and unlimited).",
            kind: Kind::OptRate,
            default: Value::Auto,
        },
        Param {
            name: "autorate_ingress",
            doc: "Sets the rate to 15/16 of the measured arrival rate, starting from `bandwidth` (tc-cake(8), autorate-ingress). CAKE measures only when the gap between two packets is longer than the mean gap, so evenly spaced packets, as an ideal bottleneck sends them, leave the rate unchanged.",
            kind: Kind::Bool,
            default: Value::Bool(false),
        },
        Param {
            name: "ingress",
            doc: "Charges the shaper for dropped packets too, because they have already crossed the bottleneck (tc-cake(8), ingress).",
            kind: Kind::Bool,
            default: Value::Bool(false),
        },
        Param {
            name: "distance",
            doc: "Round-trip times that the control law is tuned for (tc-cake(8)). internet: an interval of 100 ms and a target of 5 ms.",
            kind: Kind::Choice(&[
                "datacentre",
                "lan",
                "metro",
                "regional",
                "internet",
                "oceanic",
                "satellite",
                "interplanetary",
            ]),
            default: Value::Choice("internet"),
        },
        Param {
            name: "rtt",
            doc: "Interval of the control law, instead of that of `distance`; the target is a twentieth of it (tc-cake(8), rtt).",
            kind: Kind::OptSpan(Span::from_micros(20), Span::from_secs(1000)),
            default: Value::Auto,
        },
        tins::PARAM,
        isolation::PARAM,
        overhead::PARAMS[0],
        overhead::PARAMS[1],
        overhead::PARAMS[2],
        overhead::PARAMS[3],
        overhead::PARAMS[4],
        Param {
            name: "memlimit",
            doc: "Bytes of memory that waiting packets may occupy (tc-cake(8), memlimit). As in Linux, a packet of 1500 bytes occupies 2304. Default: what `bandwidth` carries in four intervals, at least 4 MiB and at most 10240 full frames (cake_reconfigure).",
            kind: Kind::AutoSize(crate::qdisc::fq_codel::LEAST_MEMORY as u64, u32::MAX as u64),
            default: Value::Auto,
        },
    ],
    build: Build {
        limit: INSIDE,
        counts: Counts::Memory,
        check,
        make: |values, room| Box::new(Cake::new(Config::from_values(values, &room), room.rng())),
    },
};

/// What the shaper of one with these parameters counts for an IP packet of a size, in bytes.
pub fn bytes_of(values: &Params) -> impl Fn(u32) -> u64 + use<> {
    let framing = overhead::from_values(values);
    move |size| framing.bytes(size)
}

fn check(values: &Params) -> Option<Mistake> {
    if values.span("rtt").is_some() && values.choice("distance") != "internet" {
        let message = "`rtt` and `distance` both set the interval";
        let hint = "leave one of them out";
        return Some(Mistake::in_key("rtt", message, hint));
    }
    None
}

/// The configuration of a CAKE.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Config {
    pub rate: Option<Rate>,
    pub autorate: bool,
    pub ingress: bool,
    /// Target and interval where a frame takes no time.
    pub law: (Span, Span),
    pub mode: Mode,
    pub isolation: Isolation,
    pub framing: Framing,
    memlimit: Option<u64>,
    /// Bytes of the largest frame that the device takes.
    pub frame: u32,
}

impl Config {
    /// The parameters of a scenario.
    pub fn from_values(values: &Params, room: &Room) -> Self {
        // A stream of its own: what the laws draw does not depend on it.
        let mut rng: Rng = room.inside("hash", room.limit).rng();
        Self {
            rate: values.rate("bandwidth").filter(|r| !r.is_unlimited()),
            autorate: values.bool("autorate_ingress"),
            ingress: values.bool("ingress"),
            law: law(values),
            mode: Mode::from_values(values),
            isolation: Isolation::from_values(values, rng.next_u32()),
            framing: overhead::from_values(values),
            memlimit: values.size("memlimit"),
            frame: room.packet.max(MTU) + HEADER,
        }
    }

    /// Bytes of memory that packets may take at that rate (`cake_reconfigure`).
    pub fn memory(&self, rate: Option<Rate>) -> u64 {
        const LEAST: u64 = 4 << 20;
        let packets = u64::from(LIMIT) * u64::from(self.frame);
        let by_rate = rate.map_or(u64::MAX, |r| (r.bytes_in(self.law.1) * 4).max(LEAST));
        self.memlimit.unwrap_or_else(|| by_rate.min(packets))
    }
}

fn law(values: &Params) -> (Span, Span) {
    if let Some(interval) = values.span("rtt") {
        return (interval / 20, interval);
    }
    let word = values.choice("distance");
    let distance = DISTANCES.iter().find(|d| d.0 == word);
    let (_, target, interval) = distance.unwrap_or(&DISTANCES[4]);
    (Span::from_micros(*target), Span::from_micros(*interval))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(set: &[(&str, Value)]) -> Config {
        let mut values = Params::defaults(ENTRY.params);
        for (name, value) in set {
            values.set(ENTRY.params, name, *value).unwrap();
        }
        Config::from_values(&values, &Room::new(ENTRY.build.limit, 1, "q"))
    }

    #[test]
    fn the_target_is_a_twentieth_of_the_interval() {
        for (word, target, interval) in DISTANCES {
            let (t, i) = config(&[("distance", Value::Choice(word))]).law;
            assert_eq!((t.as_micros(), i.as_micros()), (target, interval));
            assert_eq!(i / 20, t, "{word}");
        }
        let law = config(&[("rtt", Value::Span(Span::from_millis(40)))]).law;
        assert_eq!(law, (Span::from_millis(2), Span::from_millis(40)));
    }

    /// Linux goes by the device, not by what the flows send: `cake_set_rate` takes `psched_mtu`.
    #[test]
    fn the_largest_frame_is_the_devices() {
        let frame = |packet| {
            let room = Room::new(ENTRY.build.limit, 1, "q").before(None, Some(packet));
            Config::from_values(&Params::defaults(ENTRY.params), &room).frame
        };
        assert_eq!((frame(576), frame(1500), frame(9000)), (1514, 1514, 9014));
    }

    #[test]
    fn memory_follows_rate_and_interval() {
        let mbit = |n: u64| Some(Rate::from_bps(n * 1_000_000));
        let c = config(&[]);
        assert_eq!(c.memory(mbit(10)), 4 << 20);
        // tc-cake(8): 100 Mbit/s, 100 ms: 5000000 bytes.
        assert_eq!(c.memory(mbit(100)), 5_000_000);
        assert_eq!(c.memory(None), 10_240 * 1514);
        let set = config(&[("memlimit", Value::Size(acklab_units::Bytes(100_000)))]);
        assert_eq!(set.memory(mbit(100)), 100_000);
    }

    #[test]
    fn two_intervals_are_a_mistake() {
        let mut values = Params::defaults(ENTRY.params);
        values
            .set(ENTRY.params, "rtt", Value::Span(Span::from_millis(40)))
            .unwrap();
        assert_eq!(check(&values), None);
        values
            .set(ENTRY.params, "distance", Value::Choice("lan"))
            .unwrap();
        assert!(check(&values).is_some());
    }
}
