//! Messages about mistakes of meaning. Each test shows the whole text.

use super::{DUMBBELL, toml, toml_with};
use crate::plan::QueuePlan;

/// The text of everything wrong with the dumbbell after some `old` was replaced.
pub(super) fn wrong(old: &str, new: &str) -> String {
    assert!(DUMBBELL.contains(old), "{old} is not in the scenario");
    match toml(&DUMBBELL.replacen(old, new, 1)) {
        Ok(_) => panic!("{new} was accepted"),
        Err(e) => e.to_string(),
    }
}

pub(super) fn set(key: &str, value: &str) -> String {
    match toml_with(DUMBBELL, &[(key, value)]) {
        Ok(_) => panic!("{key} = {value} was accepted"),
        Err(e) => e.to_string(),
    }
}

/// Message and help without the place, which other tests look at.
pub(super) fn told(key: &str, value: &str) -> String {
    let text = set(key, value);
    let place = |l: &&str| l.starts_with("  in ") || l.starts_with("  because of ");
    let lines: Vec<_> = text.lines().filter(|l| !place(l)).collect();
    lines
        .join("|")
        .replace("error: ", "")
        .replace("  help: ", "")
}

#[test]
fn impossible_values_are_told_what_is_possible() {
    assert_eq!(
        told("topology.bottleneck.rate", "0 bit/s"),
        "nothing gets through at this rate|write a rate above zero, such as \"10 Mbit/s\", or \"unlimited\""
    );
    assert_eq!(
        told("topology.bottleneck.queue", "0 packets"),
        "a queue of size 0 drops every packet|write at least \"1 packet\"; the packet in transmission does not count"
    );
    assert_eq!(
        told("topology.bottleneck.loss", "1.5"),
        "1.5 is not a probability|write a number from 0 to 1: 0.01 is one packet in a hundred"
    );
    assert_eq!(
        told("topology.bottleneck.duplicate", "-1"),
        "-1 is not a probability|write a number from 0 to 1: 0.01 is one packet in a hundred"
    );
    assert_eq!(
        told("tcp.segment", "0"),
        "out of range|write a whole number from 1 to 65455"
    );
    assert_eq!(
        told("flow.1.tcp.segment", "65456"),
        "out of range|write a whole number from 1 to 65455"
    );
    assert_eq!(
        told("tcp.min_rto", "1 h"),
        "min_rto is 3600 s and max_rto is 120 s|the shortest timeout cannot be longer than the longest"
    );
    assert_eq!(
        told("flow.0.start", "2 min"),
        "the run ends at 62 s|write an earlier time; it counts from the start of the run"
    );
    assert_eq!(
        told("warmup", "60 s"),
        "the warm-up takes the whole run|write less than the duration, which is 60 s"
    );
    assert_eq!(
        told("topology.hops", "2"),
        "`hops` does not fit this preset|a dumbbell has one bottleneck; it has `pairs`; `hops` is for preset = \"parking-lot\""
    );
}

#[test]
fn a_queue_in_bytes_holds_the_largest_packet_that_crosses_it() {
    assert_eq!(
        told("topology.bottleneck.queue", "1 B"),
        "a packet of 1500 bytes crosses this queue and never fits|write at least \"1500 B\", or a limit in packets"
    );
    assert_eq!(
        told("topology.bottleneck.reverse.queue", "51 B"),
        "a packet of 52 bytes crosses this queue and never fits|write at least \"52 B\", or a limit in packets"
    );
    let loads = |pairs: &[(&str, &str)]| toml_with(DUMBBELL, pairs).is_ok();
    let queue = |limit| ("topology.bottleneck.queue", limit);
    assert!(loads(&[queue("1500 B")]) && !loads(&[queue("1499 B")]));
    let bare = ("tcp.timestamps", "false");
    assert!(loads(&[queue("1488 B"), bare]) && !loads(&[queue("1487 B"), bare]));
    assert!(loads(&[("topology.bottleneck.reverse.queue", "52 B")]));
    let small = ("tcp.segment", "500");
    assert!(loads(&[queue("552 B"), small]));
    // Answers come back.
    let asks = (
        "flow.0.app",
        "{ kind = 'request-response', response = '9 kB' }",
    );
    let back = ("topology.bottleneck.reverse.queue", "1499 B");
    assert!(!loads(&[asks, back]) && loads(&[asks, (back.0, "1500 B")]));
}

#[test]
fn a_marking_threshold_is_below_the_queue_and_above_a_packet() {
    assert_eq!(
        told("topology.bottleneck.mark", "40 packets"),
        "the threshold is not below the queue's limit, so the queue would never mark|write less than the queue holds, which is \"40 packets\""
    );
    assert_eq!(
        told("topology.bottleneck.mark", "1499 B"),
        "a packet of 1500 bytes crosses this queue and is always marked|write at least \"1500 B\", or a limit in packets"
    );
    assert_eq!(
        told("topology.bottleneck.mark", "0 packets"),
        "a threshold of nothing marks everything|write at least \"1 packet\"; the packet in transmission does not count"
    );
    // The way back has the threshold from the way there; that its queue is shorter is no mistake.
    let pairs = [
        ("topology.bottleneck.mark", "39 packets"),
        ("topology.bottleneck.reverse.queue", "10 packets"),
    ];
    assert!(toml_with(DUMBBELL, &pairs).is_ok());
}

/// The profile chooses the sending half; a reduction of the other half is none of its own.
#[test]
fn a_reduction_belongs_to_the_sender_of_the_profile() {
    let with = |profile, reduction| {
        let pairs = [("tcp.profile", profile), ("tcp.reduction", reduction)];
        toml_with(DUMBBELL, &pairs)
    };
    for profile in ["linux", "rfc"] {
        assert!(with(profile, "prr").is_ok() && with(profile, "classic").is_ok());
        let text = with(profile, "ns3-prr").err().unwrap().to_string();
        let message = format!("the sender of profile \"{profile}\" has no such reduction");
        assert!(text.contains(&message), "{text}");
        assert!(text.contains("tcp.reduction = \"ns3-prr\""), "{text}");
        let right = "write \"prr\" or \"classic\"; the sender that has it comes with its profile: \
                     tcp = { profile = \"ns3\", reduction = \"ns3-prr\" }";
        assert!(text.contains(right), "{text}");
    }
    // The message's example is valid, and is the profile's own value.
    let shown = toml_with(
        DUMBBELL,
        &[("tcp", r#"{ profile = "ns3", reduction = "ns3-prr" }"#)],
    );
    let plain = toml_with(DUMBBELL, &[("tcp.profile", "ns3")]);
    assert_eq!(shown.unwrap().resolved, plain.unwrap().resolved);
    for reduction in ["prr", "classic"] {
        let text = with("ns3", reduction).err().unwrap().to_string();
        assert!(text.contains("write \"ns3-prr\"; "), "{text}");
    }
    // It stands for all flows, and one has another profile.
    let pairs = [("tcp.reduction", "classic"), ("flow.1.tcp.profile", "ns3")];
    let text = toml_with(DUMBBELL, &pairs).err().unwrap().to_string();
    assert!(text.contains("tcp.reduction = \"classic\""), "{text}");
    let own = ("flow.1.tcp.reduction", "ns3-prr");
    assert!(toml_with(DUMBBELL, &[pairs[0], pairs[1], own]).is_ok());
}

#[test]
fn a_discipline_and_what_waits_must_fit_together() {
    let to_codel = ("topology.bottleneck.qdisc", "codel");
    let both = |key: &str, value: &str| {
        let pairs = [to_codel, (key, value)];
        toml_with(DUMBBELL, &pairs).err().map(|e| e.to_string())
    };
    let text = told("topology.bottleneck.qdisc", "blue");
    assert!(
        text.starts_with(
            "there is no queue discipline called `blue`|the names are `pfifo`, `bfifo`, "
        ),
        "{text}"
    );
    assert!(text.contains("`codel`, `fq-codel`, `fq_codel`"), "{text}");
    let text = both("topology.bottleneck.queue", "64 KiB").unwrap();
    assert!(text.contains("`codel` counts packets"), "{text}");
    assert!(text.contains("such as \"1000 packets\""), "{text}");
    let text = both("topology.bottleneck.mark", "20 packets").unwrap();
    assert!(
        text.contains("`codel` marks by rules of its own, not from a length on"),
        "{text}"
    );
    assert_eq!(both("topology.bottleneck.device_queue", "100"), None);
    assert_eq!(
        told("topology.bottleneck.device_queue", "100"),
        "two drop-tail queues in a row are one longer queue|leave it out and make `queue` longer, or write another `qdisc`"
    );
    let text = both("topology.bottleneck.device_queue", "65536").unwrap();
    assert!(
        text.contains("too many packets for the queue of a device"),
        "{text}"
    );
}

/// `bfifo` is drop-tail in bytes. Its default is a thousand full frames, and it needs no discipline.
#[test]
fn bfifo_counts_bytes() {
    let plan = |queue: Option<&str>| {
        let text = DUMBBELL.replace("queue = \"40 packets\"", "qdisc = \"bfifo\"");
        let pair = queue.map(|q| ("topology.bottleneck.queue", q));
        toml_with(&text, pair.as_slice()).map(|s| s.plan)
    };
    for (written, limit) in [(None, 1_514_000), (Some("64 KiB"), 65_536)] {
        let plan = plan(written).unwrap();
        let link = plan.links.iter().find(|l| l.name == "left->right").unwrap();
        assert_eq!(link.queue, QueuePlan::Bytes(limit), "{}", link.name);
        assert!(link.discipline.is_none());
    }
    let text = plan(Some("40 packets")).err().unwrap().to_string();
    assert!(text.contains("`bfifo` counts bytes"), "{text}");
    assert!(
        text.contains("write a number of bytes, such as \"1514 kB\""),
        "{text}"
    );
}

#[test]
fn a_trace_is_a_file_in_mahimahis_format() {
    let trace = |file: &str| {
        told(
            "topology.bottleneck.rate",
            &format!("{{ trace = '{file}' }}"),
        )
    };
    let format = "mahimahi's format: one whole number of milliseconds per line, ascending; \
                  each is a chance to deliver 1504 bytes";
    assert_eq!(
        trace("nowhere"),
        "cannot read the trace: no such file|names of files count from the scenario's folder; a trace is a regular file of 64 MiB at most"
    );
    assert_eq!(trace("empty"), format!("the trace is empty|{format}"));
    assert_eq!(
        trace("back"),
        format!("line 2 of the trace is earlier than the line before|{format}")
    );
    assert_eq!(
        told("topology.bottleneck.rate", "{ file = 'x' }"),
        "unknown key `file`|the keys here are `trace`"
    );
}

#[test]
fn a_receive_buffer_holds_a_segment() {
    let said = "a segment of 1448 bytes does not fit into 1447 bytes|\
                the receive buffer must hold a segment: write at least \"1448 B\"";
    assert_eq!(told("tcp.recv_buffer", "1447 B"), said);
    assert_eq!(told("flow.1.tcp.recv_buffer", "1447 B"), said);
    assert!(toml_with(DUMBBELL, &[("tcp.recv_buffer", "1448 B")]).is_ok());
    let both = [("tcp.recv_buffer", "600 B"), ("tcp.segment", "600")];
    assert!(toml_with(DUMBBELL, &both).is_ok());
}

#[test]
fn series_have_an_end() {
    // 62 s of 2 flows and 2 * 5 directions.
    assert_eq!(
        told("sample_every", "1 us"),
        "this would be 744 million samples of 12 flows and directions of links|\
         write \"1 ms\" or more, or \"off\"; a run keeps 20 million samples"
    );
    assert!(toml_with(DUMBBELL, &[("sample_every", "1 ms")]).is_ok());
    let long = [("duration", "12 h"), ("sample_every", "1 ms")];
    let text = toml_with(DUMBBELL, &long).unwrap_err().to_string();
    assert!(text.contains("write \"26 ms\" or more"), "{text}");
    let kept = [("duration", "12 h"), ("sample_every", "26 ms")];
    assert!(toml_with(DUMBBELL, &kept).is_ok());
}

#[test]
fn what_to_record_is_checked() {
    let said = "there is no link and no node called `left->rigth`|did you mean `left->right`?";
    assert_eq!(told("record.packets", "[\"left->rigth\"]"), said);
    let said = "samples need a distance|write a time such as \"100 ms\", or \"off\" for no series";
    assert_eq!(told("record.every", "0 s"), said);
    assert_eq!(told("sample_every", "0 s"), said);
    let twice = [("record.every", "1 s"), ("sample_every", "1 s")];
    let text = toml_with(DUMBBELL, &twice).unwrap_err().to_string();
    assert!(text.contains("leave one of them out"), "{text}");
    assert!(told("record.packets", "3").contains("a list of nodes and links"));
    // The run ends at 62 s.
    let said = "the run is over by then|write an earlier time: the run ends at \"62 s\"";
    assert_eq!(told("record.from", "62 s"), said);
    let empty = [("record.from", "3 s"), ("record.until", "3 s")];
    let text = toml_with(DUMBBELL, &empty).unwrap_err().to_string();
    assert!(text.contains("nothing would be kept"), "{text}");
    assert!(text.contains("after \"3 s\""), "{text}");
    let part = [("record.from", "3 s"), ("record.until", "100 s")];
    let resolved = toml_with(DUMBBELL, &part).unwrap().resolved;
    assert!(
        resolved.contains("from = \"3 s\"\nuntil = \"100 s\""),
        "{resolved}"
    );
}

#[test]
fn one_name_of_the_sampling_distance_is_as_good_as_the_other() {
    let every = |key| toml_with(DUMBBELL, &[(key, "20 ms")]).unwrap().resolved;
    assert_eq!(every("record.every"), every("sample_every"));
    assert!(every("record.every").contains("every = \"20 ms\""));
}

#[test]
fn a_name_is_a_folders_name() {
    let hint = "it names the result folder: write letters, digits, `-`, `_`";
    for (name, message) in [
        ("''", "the name is empty"),
        ("..", "this is no name but a place"),
        ("../x", "a name cannot have path separators"),
        ("/etc", "a name cannot have path separators"),
        ("'a\\b'", "a name cannot have path separators"),
        ("\"a\\u0007\"", "a name cannot have control characters"),
    ] {
        assert_eq!(told("name", name), format!("{message}|{hint}"), "{name}");
    }
}

#[test]
fn parameters_are_checked_against_their_block() {
    assert_eq!(
        told("flow.0.cc", "{ name = 'cubic', beta = 2 }"),
        "out of range for `beta`|write a number from 0.1 to 0.9"
    );
    assert_eq!(
        told("flow.0.cc", "{ name = 'cubic', hystart = 'off' }"),
        "the wrong type of value|write true or false"
    );
    assert_eq!(
        told("flow.0.cc", "{ name = 'newreno', growth = 'ns-3' }"),
        "`ns-3` is not a valid value here|did you mean `ns3`?"
    );
    assert_eq!(
        told("flow.0.ack", "{ name = 'linux', x = 1 }"),
        "`linux` has no parameter `x`|`linux` takes no parameters"
    );
    assert_eq!(
        told("flow.0.ack", "{ name = 'delayed', timeout = '2 s' }"),
        "out of range for `timeout`|write a time from \"0 s\" to \"1 s\", or \"none\""
    );
    assert_eq!(
        told("flow.0.cc", "{ beta = 0.5 }"),
        "`name` is missing|write name = ...: it has no default"
    );
    assert_eq!(
        told("flow.0.ack", "every"),
        "there is no ACK policy called `every`|the names are `linux`, `delayed`"
    );
}

#[test]
fn flows_must_have_two_connected_ends() {
    assert_eq!(
        told("flow.0.to", "d7"),
        "there is no node called `d7`|the nodes are `s0`, `s1`, `left`, `right`, `d0`, `d1`"
    );
    assert_eq!(
        told("flow.0.to", "s0"),
        "both ends are the same node|a flow goes from one node to another"
    );
    let lonely = toml_with(
        DUMBBELL,
        &[("node.0", "{ name = 'island' }"), ("flow.0.to", "island")],
    );
    assert!(lonely.is_err());
    let text = format!("{DUMBBELL}\nto = \"island\"\n[[node]]\nname = \"island\"\n");
    assert_eq!(
        toml(&text).unwrap_err().to_string(),
        "error: no path joins `s1` and `island`\n  \
           in test.toml, line 26: flow.1\n  \
           help: join them by a [[link]], or choose other nodes"
    );
}

#[test]
fn names_are_unique() {
    assert_eq!(
        told("flow.0.name", "f1"),
        "there is already a flow called `f1`|give one of them another `name`"
    );
    let node = [("node", "[{ name = 'left' }]")];
    let text = toml_with(DUMBBELL, &node).unwrap_err().to_string();
    assert!(
        text.contains("there is already a node called `left`"),
        "{text}"
    );
    let link = [("link", "[{ a = 'left', b = 'right' }]")];
    let text = toml_with(DUMBBELL, &link).unwrap_err().to_string();
    assert!(
        text.contains("there is already a link called `left->right`"),
        "{text}"
    );
}

#[test]
fn expectations_are_checked_too() {
    assert_eq!(
        told("expect.flow.f0.delay.max", "30 ms"),
        "the run does not record one-way delays|write delays = true in [record]"
    );
    assert_eq!(
        told("expect.flow.f9.goodput.min", "1 Mbit/s"),
        "there is no flow called `f9`|the flows are `f0`, `f1`"
    );
    assert_eq!(
        told("expect.jain.min", "1.5"),
        "out of range|write a number from 0 to 1"
    );
    assert_eq!(
        told("expect.jain", "{ min = 0.9, max = 0.8 }"),
        "no value can be within these bounds|`min` must not be larger than `max`"
    );
    assert_eq!(
        told("expect.jain", "{}"),
        "`min` is missing|write { min = ..., max = ... }, or one of them"
    );
}

#[test]
fn an_outage_that_never_ends_is_refused() {
    let key = "topology.bottleneck.loss";
    let of = |every: &str| {
        let kind = "kind = \"outage\", from = \"1 s\", length = \"20 ms\"";
        told(key, &format!("{{ {kind}, every = \"{every}\" }}"))
    };
    assert_eq!(
        of("20 ms"),
        "this outage never ends|write more than the length, which is 20 ms"
    );
    assert!(told(key, "{ kind = \"outage\", from = \"1 s\" }").contains("length"));
    assert!(told("topology.bottleneck.detour", "{ from = \"1 s\" }").contains("delay"));
}

#[test]
fn a_link_that_always_stands_still_is_refused() {
    let key = "topology.bottleneck.pauses";
    assert_eq!(
        told(key, "{ length = \"1 ms\", gap = \"0 s\" }"),
        "the link never resumes between pauses|\
         write the mean time between two pauses, such as \"60 ms\""
    );
    assert!(told(key, "{ length = \"1 ms\" }").contains("gap"));
    assert!(told("topology.bottleneck.reverse.pauses", "1").contains("pauses"));
}

#[test]
fn quantiles_of_jitter_must_be_in_order() {
    let key = "topology.bottleneck.jitter";
    for (value, expected) in [
        (
            "{ median = \"34 us\", p99 = \"34 us\" }",
            "p99 must be above the median|write more than the median, which is 34 us",
        ),
        (
            "{ median = \"0 s\", p99 = \"1 ms\" }",
            "a log-normal delay is never zero|\
             write a time above zero, or one time alone for a uniform delay",
        ),
        (
            "{ median = \"34 us\", p99 = \"1 ms\", max = \"500 us\" }",
            "this cuts more than one delay in a hundred|\
             write at least p99, which is 1 ms, or leave it out",
        ),
    ] {
        assert_eq!(told(key, value), expected, "{value}");
    }
    assert!(told(key, "5").contains("unit"));
    assert!(told(key, "true").contains("a time, or a table such as"));
    assert!(told(key, "{ median = \"34 us\" }").contains("p99"));
}
