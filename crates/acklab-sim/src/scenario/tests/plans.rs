//! Valid scenarios, resolved.

use super::{DUMBBELL, Scenario, good, json, toml_with};
use crate::plan::{AppPlan, LinkPlan, LossPlan, Plan, QueuePlan, TcpPlan, WhenFull};
use crate::scenario::registries::Registries;
use crate::scenario::{doc, load, load_toml};
use acklab_path::impair::LossPlace;
use acklab_proto::tcp::Profile;
use acklab_units::{Instant, Rate, Span};

fn at(seconds: u64) -> Instant {
    Instant::ZERO + Span::from_secs(seconds)
}

fn link<'a>(plan: &'a Plan, name: &str) -> &'a crate::plan::LinkPlan {
    let found = plan.links.iter().find(|l| l.name == name);
    found.unwrap_or_else(|| panic!("no link {name}"))
}

fn way(plan: &Plan, links: &[usize]) -> Vec<String> {
    links.iter().map(|l| plan.links[*l].name.clone()).collect()
}

#[test]
fn a_dumbbell_has_its_nodes_links_and_routes() {
    let plan = good(DUMBBELL).plan;
    assert_eq!(plan.nodes, ["s0", "s1", "left", "right", "d0", "d1"]);
    assert_eq!(plan.links.len(), 10);
    assert_eq!((plan.measure_from, plan.stop), (at(2), at(62)));
    let second = &plan.flows[1];
    assert_eq!(
        way(&plan, &second.forward),
        ["s1->left", "left->right", "right->d1"]
    );
    assert_eq!(
        way(&plan, &second.reverse),
        ["d1->right", "right->left", "left->s1"]
    );
}

#[test]
fn the_way_back_shares_the_line_but_not_what_befalls_packets() {
    let plan = good(&DUMBBELL.replace("overhead", "loss = 0.01\njitter = \"1 ms\"\noverhead")).plan;
    let (there, back) = (link(&plan, "left->right"), link(&plan, "right->left"));
    assert_eq!(there.rate, back.rate);
    assert_eq!((there.overhead, back.overhead), (2, 2));
    assert_eq!(there.queue, QueuePlan::Packets(40));
    assert_eq!(back.queue, QueuePlan::Packets(40));
    assert_eq!(there.impair.loss, LossPlan::Bernoulli(0.01));
    assert_eq!(back.impair, Default::default());
    assert!(there.filters.is_empty());
    assert_eq!(back.filters[0].params.int("ratio"), 4);
}

#[test]
fn a_bdp_is_the_bottleneck_rate_times_the_way_there_and_back() {
    // 2 * (2 + 20 + 2) ms at 10 Mbit/s are 60 000 bytes.
    let plan = good(&DUMBBELL.replace("40 packets", "1.5 BDP")).plan;
    assert_eq!(link(&plan, "left->right").queue, QueuePlan::Bytes(90_000));
    let plan = good(&DUMBBELL.replace("queue = \"40 packets\"", "")).plan;
    assert_eq!(link(&plan, "right->left").queue, QueuePlan::Bytes(60_000));
    assert_eq!(link(&plan, "s0->left").queue, QueuePlan::Packets(1000));
    let marks = DUMBBELL.replace("queue = ", "mark = \"0.2 BDP\"\nqueue = ");
    let plan = good(&marks).plan;
    let marks = ["left->right", "right->left"].map(|l| link(&plan, l).mark);
    assert_eq!(marks, [Some(QueuePlan::Bytes(12_000)); 2]);
    let tiny = good(&DUMBBELL.replace("40 packets", "0.001 BDP")).plan;
    assert_eq!(link(&tiny, "left->right").queue, QueuePlan::Bytes(1500));
}

/// A threshold that no queue of the way back's own length reaches marks nothing there; written down in the
/// canonical form it would be refused.
#[test]
fn an_inherited_mark_that_the_own_queue_never_reaches_is_left_out() {
    let marks = |mark: &str, queue: &str| {
        let pairs = [
            ("topology.bottleneck.mark", mark),
            ("topology.bottleneck.reverse.queue", queue),
        ];
        let scenario = toml_with(DUMBBELL, &pairs).unwrap();
        assert_eq!(good(&scenario.resolved).resolved, scenario.resolved);
        ["left->right", "right->left"].map(|l| link(&scenario.plan, l).mark)
    };
    let there = Some(QueuePlan::Packets(20));
    assert_eq!(marks("20 packets", "20 packets"), [there, None]);
    assert_eq!(marks("20 packets", "21 packets"), [there, there]);
    // A threshold in packets may be reached in a queue of bytes.
    assert_eq!(marks("20 packets", "6 kB"), [there, there]);
    let there = Some(QueuePlan::Bytes(6000));
    assert_eq!(marks("6 kB", "6 kB"), [there, None]);
}

/// Feedback of UDP may be larger than its data: a queue of few BDP holds a packet of it all the same, or the
/// canonical form, which has bytes, would be refused.
#[test]
fn a_queue_of_few_products_holds_the_largest_packet_that_crosses_it() {
    let cbr = r#"transport = { name = "cbr", frame = "ip", size = 64, feedback.size = 400 }"#;
    let text = DUMBBELL.replace("40 packets", "0.001 BDP");
    let text = format!(
        "{}\n[[flow]]\n{cbr}\n",
        text.split("[[flow]]").next().unwrap()
    );
    let scenario = good(&text);
    let queues = ["left->right", "right->left"].map(|l| link(&scenario.plan, l).queue);
    assert_eq!(queues, [64, 400].map(QueuePlan::Bytes));
    assert_eq!(good(&scenario.resolved).resolved, scenario.resolved);
}

#[test]
fn a_discipline_holds_both_ways_and_counts_packets() {
    let fair = r#"qdisc = { name = "fq_codel", target = "2 ms" }"#;
    let plan = good(&DUMBBELL.replace("queue = \"40 packets\"", fair)).plan;
    for name in ["left->right", "right->left"] {
        let link = link(&plan, name);
        let d = link.discipline.as_ref().unwrap();
        assert_eq!((d.entry.name, d.device), ("fq-codel", 0));
        assert_eq!(d.params.span("target"), Some(Span::from_millis(2)));
        assert_eq!(link.queue, QueuePlan::Packets(10_240));
    }
    assert!(link(&plan, "s0->left").discipline.is_none());
    let text = "qdisc = \"codel\"\ndevice_queue = 100\nqueue = ";
    let plan = good(&DUMBBELL.replace("queue = ", text)).plan;
    let there = link(&plan, "left->right");
    assert_eq!(there.discipline.as_ref().unwrap().device, 100);
    assert_eq!(there.queue, QueuePlan::Packets(40));
    // The way back may do without, and then has no device either.
    let pairs = [
        ("topology.bottleneck.qdisc", "codel"),
        ("topology.bottleneck.device_queue", "100"),
        ("topology.bottleneck.reverse.qdisc", "pfifo"),
    ];
    let plan = toml_with(DUMBBELL, &pairs).unwrap().plan;
    assert!(link(&plan, "left->right").discipline.is_some());
    assert!(link(&plan, "right->left").discipline.is_none());
    let plan = good(&DUMBBELL.replace("queue = \"40 packets\"", "qdisc = \"pfifo\"")).plan;
    assert_eq!(link(&plan, "left->right").queue, QueuePlan::Bytes(60_000));
}

#[test]
fn a_trace_is_followed_both_ways_and_kept_beside_the_resolved_form() {
    let text = DUMBBELL
        .replace("rate = \"10 Mbit/s\"", "rate = { trace = \"../lte.up\" }")
        .replace("overhead = \"2 B\"", "")
        .replace("queue = \"40 packets\"", "queue = \"1 BDP\"");
    let other = (
        "topology.bottleneck.reverse.rate",
        "{ trace = 'other/lte.up' }",
    );
    let loaded = toml_with(&text, &[other]).unwrap();
    let there = link(&loaded.plan, "left->right");
    // Four opportunities of 1504 bytes in 10 ms, and mahimahi's four bytes with every packet.
    assert_eq!(there.rate, Rate::from_bps(4 * 1504 * 8 * 100));
    assert_eq!(there.overhead, 4);
    // A delay of 24 ms each way at the mean rate.
    assert_eq!(there.queue, QueuePlan::Bytes(4 * 1504 * 48 / 10));
    let names = ["traces/lte.up", "traces/2-lte.up"];
    let expect = names.map(|n| (n.to_string(), "3\n5\n5\n10\n".to_string()));
    assert_eq!(loaded.files, expect);
    let files = |name: &str| match expect.iter().find(|(n, _)| n == name) {
        Some((_, text)) => Ok(text.clone()),
        None => Err("no such file".to_string()),
    };
    let registries = Registries {
        files: &files,
        ..super::blocks::REGISTRIES
    };
    let doc = doc::parse_toml(&loaded.resolved, "again").unwrap();
    let again = load(doc, "again", &[], registries).unwrap();
    assert_eq!(again.resolved, loaded.resolved);
    assert_eq!(again.plan.links[0].trace, loaded.plan.links[0].trace);
}

#[test]
fn an_application_says_what_becomes_of_what_finds_no_room() {
    let when_full = |app: &str| {
        let loaded = toml_with(DUMBBELL, &[("flow.0.app", app)]).unwrap();
        let again = good(&loaded.resolved);
        assert_eq!(again.resolved, loaded.resolved);
        match again.plan.flows[0].app {
            AppPlan::OnOff { when_full, .. } => when_full,
            ref other => panic!("{other:?}"),
        }
    };
    assert_eq!(when_full("on-off"), WhenFull::Keep);
    assert_eq!(
        when_full("{ kind = 'on-off', when_full = 'drop' }"),
        WhenFull::Drop
    );
    let told = super::errors::told("flow.0.app", "{ kind = 'bulk', when_full = 'drop' }");
    assert!(told.starts_with("unknown key `when_full`"), "{told}");
}

#[test]
fn loss_is_drawn_where_it_is_said() {
    let place = |loss: &str| {
        let loss = format!("loss = {loss}\noverhead");
        let loaded = good(&DUMBBELL.replacen("overhead", &loss, 1));
        let again = good(&loaded.resolved);
        assert_eq!(again.resolved, loaded.resolved);
        let of = |s: &Scenario| {
            let mut links = s.plan.links.iter();
            let found = links.find(|l| l.name == "left->right").unwrap();
            (found.impair.loss.clone(), found.impair.loss_place)
        };
        assert_eq!(of(&again), of(&loaded));
        of(&loaded)
    };
    use LossPlace::{BeforeQueue, BehindQueue};
    let half = || LossPlan::Bernoulli(0.5);
    assert_eq!(place("0.5"), (half(), BehindQueue));
    assert_eq!(
        place("{ kind = 'bernoulli', p = 0.5 }"),
        (half(), BehindQueue)
    );
    let before = "{ kind = 'bernoulli', p = 0.5, where = 'before-queue' }";
    assert_eq!(place(before), (half(), BeforeQueue));
    let periodic = "{ kind = 'periodic', every = 3, where = 'before-queue' }";
    assert_eq!(place(periodic), (LossPlan::Periodic(3), BeforeQueue));
    let bursts = "{ kind = 'gilbert-elliott', p = 0.1, r = 0.5, where = 'before-queue' }";
    assert_eq!(place(bursts).1, BeforeQueue);
    // Of no loss there is nothing to write.
    assert_eq!(place("0"), (LossPlan::None, BehindQueue));
}

#[test]
fn a_filter_that_waits_for_more_than_a_window_is_warned_of() {
    let text = DUMBBELL.replace("[[flow]]", "[[flow]]\ntcp = { initial_window = 10 }");
    let warned = |ratio: u32, timeout: &str| {
        let filter = format!("{{ name = 'aggregate', ratio = {ratio}, timeout = '{timeout}' }}");
        let key = "topology.bottleneck.reverse.ack_filter".to_string();
        // The other tests' policy is not built in.
        let policy = ("flow.1.ack".to_string(), "delayed".to_string());
        let loaded = load_toml(&text, "t", &[(key, filter), policy]).unwrap();
        loaded.warnings.to_string()
    };
    assert_eq!((warned(10, "none"), warned(11, "5 ms")), Default::default());
    assert_eq!(
        warned(11, "none"),
        "warning: without a timer this filter waits for 11 ACKs, and a window begins with 10 \
         segments: nothing moves until a retransmission timer fires\n  \
         in --set: topology.bottleneck.reverse.ack_filter = \
         { name = \"aggregate\", ratio = 11, timeout = \"none\" }\n  \
         help: write a `timeout`, or a ratio of 10 at most"
    );
}

#[test]
fn a_bound_that_is_shorter_than_the_timer_is_warned_of() {
    let warned = |name: &str, rest: &str| {
        let filter = format!("{{ name = '{name}', {rest} }}");
        let key = "topology.bottleneck.reverse.ack_filter".to_string();
        let policy = ("flow.1.ack".to_string(), "delayed".to_string());
        let loaded = load_toml(DUMBBELL, "t", &[(key, filter), policy]).unwrap();
        loaded.warnings.to_string()
    };
    for fine in ["timeout = '20 ms'", "timeout = '50 ms', max_hold = 'none'"] {
        assert_eq!(warned("tac", fine), "");
    }
    assert_eq!(warned("tac-paper", "timeout = '50 ms'"), "");
    let wlan = "duration = '1 s'\n[topology]\npreset = 'wlan'\nstations = 2\n[[flow]]\ncount = 2\n\
                ack = 'delayed'\n[wifi.down.ack_filter]\nname = 'tac'\ntimeout = '50 ms'\n";
    let told = load_toml(wlan, "t", &[]).unwrap_or_else(|e| panic!("{e}"));
    let told = told.warnings.to_string();
    assert!(told.contains("line 8: wifi.down.ack_filter"), "{told}");
    assert_eq!(told.matches("warning").count(), 1, "{told}");
    assert_eq!(
        warned("tac", "timeout = '50 ms'"),
        "warning: an ACK goes on after 20 ms at the latest, so the timer of 50 ms never ends\n  \
         in --set: topology.bottleneck.reverse.ack_filter = { name = \"tac\", timeout = \"50 ms\" }\n  \
         help: write a longer `max_hold`, or \"none\"; or a shorter `timeout`"
    );
}

#[test]
fn a_filter_that_sees_no_ack_is_warned_of() {
    let warned = |text: &str, sets: &[(&str, &str)]| {
        let sets: Vec<_> = sets
            .iter()
            .map(|(k, v)| (k.to_string(), v.to_string()))
            .collect();
        let loaded = load_toml(text, "t", &sets).unwrap_or_else(|e| panic!("{e}"));
        loaded.warnings.to_string()
    };
    let policy = ("flow.1.ack", "delayed");
    let there = ("topology.bottleneck.ack_filter", "tac");
    assert_eq!(
        warned(DUMBBELL, &[policy, there]),
        "warning: no flow's ACKs come this way: the filter never sees one\n  \
         in --set: topology.bottleneck.ack_filter = \"tac\"\n  \
         help: ACKs go against their data: write it for the other direction"
    );
    let asks = ("flow.1.app", "request-response");
    assert_eq!(warned(DUMBBELL, &[policy, there, asks]), "");
    let wlan = "duration = '1 s'\n[topology]\npreset = 'wlan'\nstations = 2\n[[flow]]\ncount = 2\n";
    let up = [
        ("wifi.up.ack_filter", "tac"),
        ("wifi.down.ack_filter", "tac"),
    ];
    let both = warned(wlan, &up);
    assert!(both.contains("in --set: wifi.up.ack_filter"), "{both}");
    assert!(!both.contains("wifi.down"), "{both}");
    // One station's is one key, the common one another.
    let one = warned(
        &format!("{wlan}[[flow]]\nfrom = 'server'\nto = 'sta1'\n"),
        &[up[0], ("wifi.station.sta0.up.ack_filter", "cake")],
    );
    assert!(
        one.contains("in --set: wifi.station.sta0.up.ack_filter"),
        "{one}"
    );
    assert!(!one.contains("wifi.up.ack"), "{one}");
}

#[test]
fn a_parking_lot_has_one_long_flow_and_one_per_hop() {
    let text = r#"
        duration = "10 s"
        [topology]
        preset = "parking-lot"
        hops = 3
        [topology.bottleneck]
        rate = "10 Mbit/s"
        delay = "5 ms"
        [[flow]]
        name = "f"
        count = 4
    "#;
    let plan = good(text).plan;
    let names: Vec<_> = plan.flows.iter().map(|f| f.name.as_str()).collect();
    assert_eq!(names, ["f-0", "f-1", "f-2", "f-3"]);
    assert_eq!(plan.flows[0].forward.len(), 5);
    assert_eq!(way(&plan, &plan.flows[2].forward)[1], "r1->r2");
}

#[test]
fn routes_take_fewest_hops_then_least_delay_then_the_first_name() {
    let text = r#"
        duration = "10 s"
        node = [{ name = "a" }, { name = "z" }, { name = "m" }, { name = "b" }]
        [[link]]
        a = "a"
        b = "z"
        [[link]]
        a = "z"
        b = "b"
        [[link]]
        a = "a"
        b = "m"
        [[link]]
        a = "m"
        b = "b"
        [[flow]]
        from = "a"
        to = "b"
        app = { kind = "bulk", bytes = "1 MB" }
    "#;
    let by_name = good(text).plan;
    assert_eq!(way(&by_name, &by_name.flows[0].forward), ["a->m", "m->b"]);
    let slow = toml_with(text, &[("link.3.delay", "1 ms")]).unwrap().plan;
    assert_eq!(way(&slow, &slow.flows[0].forward), ["a->z", "z->b"]);
    let direct = r#"{ a = "a", b = "b", delay = "1 s" }"#;
    let direct = toml_with(text, &[("link.4", direct)]).unwrap().plan;
    assert_eq!(way(&direct, &direct.flows[0].forward), ["a->b"]);
}

fn tcp(plan: &Plan, flow: usize) -> &TcpPlan {
    plan.flows[flow].transport.tcp().expect("TCP")
}

#[test]
fn tcp_settings_come_from_profile_then_section_then_flow() {
    let text = format!(
        "{DUMBBELL}\ntcp = {{ segment = 500, min_rto = \"300 ms\" }}\n[tcp]\nprofile = \"rfc\"\nsegment = 1000\nsend_buffer = \"1 MiB\"\n"
    );
    let plan = good(&text).plan;
    let (first, second) = (&tcp(&plan, 0).config, &tcp(&plan, 1).config);
    assert_eq!((first.segment, second.segment), (1000, 500));
    assert_eq!(first.min_rto, Span::from_secs(1));
    assert_eq!(second.min_rto, Span::from_millis(300));
    assert_eq!(
        (first.profile, first.send_buffer.max),
        (Profile::Rfc, 1 << 20)
    );
    assert_eq!(tcp(&plan, 0).ack.entry.name, "delayed");
}

#[test]
fn the_ns3_profile_chooses_ns3_variants_unless_the_user_did() {
    let ns3 = [("tcp.profile", "ns3"), ("flow.0.cc", "newreno")];
    let plan = toml_with(DUMBBELL, &ns3).unwrap().plan;
    assert_eq!(tcp(&plan, 0).cc.params.choice("growth"), "ns3");
    let chosen = r#"{ name = "newreno", growth = "abc" }"#;
    let kept = [("tcp.profile", "ns3"), ("flow.0.cc", chosen)];
    let plan = toml_with(DUMBBELL, &kept).unwrap().plan;
    assert_eq!(tcp(&plan, 0).cc.params.choice("growth"), "abc");
}

/// With the real building blocks, of which these tests have others.
fn ns3_plan(flow: &str) -> Plan {
    let text = format!(
        "duration = \"1 s\"\n[topology]\npreset = \"dumbbell\"\n[topology.bottleneck]\n\
         rate = \"1 Mbit/s\"\ndelay = \"1 ms\"\n[tcp]\nprofile = \"ns3\"\n[[flow]]\n{flow}\n"
    );
    let loaded = load_toml(&text, "test", &[]);
    loaded.unwrap_or_else(|e| panic!("{e}")).plan
}

#[test]
fn every_controller_of_ns3_has_its_variant() {
    for name in ["linuxreno", "cubic", "vegas", "bbr"] {
        let plan = ns3_plan(&format!("cc = \"{name}\""));
        assert_eq!(tcp(&plan, 0).cc.params.choice("variant"), "ns3", "{name}");
    }
}

#[test]
fn the_ns3_profile_delays_acks_as_ns3_does() {
    let plan = ns3_plan("");
    let ack = &tcp(&plan, 0).ack.params;
    assert_eq!((ack.choice("count"), ack.bool("first")), ("segments", true));
    let plan = ns3_plan("ack = { name = \"delayed\", first = false }");
    assert!(!tcp(&plan, 0).ack.params.bool("first"));
}

#[test]
fn applications_are_read() {
    let app = |text: &str| {
        let plan = toml_with(DUMBBELL, &[("flow.0.app", text)]).unwrap().plan;
        plan.flows[0].app.clone()
    };
    assert_eq!(
        app("bulk"),
        AppPlan::Bulk {
            bytes: None,
            until: None
        }
    );
    assert_eq!(
        app("{ kind = \"bulk\", packets = 10, until = \"30 s\" }"),
        AppPlan::Bulk {
            bytes: Some(14_480),
            until: Some(at(30))
        }
    );
    let AppPlan::OnOff {
        rate,
        chunk,
        random,
        ..
    } = app("{ kind = \"on-off\", random = true }")
    else {
        panic!()
    };
    assert_eq!(
        (rate, chunk, random),
        (Rate::from_bps(1_000_000), 1448, true)
    );
    let AppPlan::RequestResponse { request, count, .. } = app("request-response") else {
        panic!()
    };
    assert_eq!((request, count), (100, None));
}

#[test]
fn toml_and_json_mean_the_same() {
    let toml = r#"
        duration = "10 s"
        [topology]
        preset = "dumbbell"
        bottleneck = { rate = "10mbit", delay = "10 ms" }
        [[flow]]
        cc = { name = "cubic", beta = 0.5 }
        [expect.flow.f0]
        goodput = { min = "9 Mbit/s" }
    "#;
    let text = r#"{
        "duration": "10 s",
        "seed": null,
        "topology": {"preset": "dumbbell", "bottleneck": {"rate": "10mbit", "delay": "10 ms"}},
        "flow": [{"cc": {"name": "cubic", "beta": 0.5}, "from": null}],
        "expect": {"flow": {"f0": {"goodput": {"min": "9 Mbit/s"}}}}
    }"#;
    let (a, b) = (good(toml), json(text).unwrap_or_else(|e| panic!("{e}")));
    assert_eq!(a.resolved, b.resolved);
    assert_eq!(format!("{:?}", a.plan), format!("{:?}", b.plan));
}

#[test]
fn the_resolved_scenario_loads_to_the_same_plan() {
    let text = r#"
        name = "every \"key\""
        description = "two\nlines \u007f"
        duration = "10 s"
        start = "1 s"
        warmup = "500 ms"
        record = { every = "100 ms", events = true, packets = ["r0->r1", "s0", "extra.node"], from = "2 s", until = "3.5 s" }
        seed = 18446744073709551615
        [topology]
        preset = "parking-lot"
        access = [{ delay = "1 ms" }, { delay = "2 ms" }, { delay = "3 ms" }]
        [[topology.bottleneck]]
        rate = "10 Mbit/s"
        delay = "5 ms"
        loss = { kind = "gilbert-elliott", p = 0.001, r = 0.1 }
        reverse = { loss = { kind = "periodic", every = 50 }, rate = "1 Mbit/s" }
        [[topology.bottleneck]]
        rate = "20 Mbit/s"
        jitter = "1 ms"
        reorder = { probability = 0.01, delay = "3 ms" }
        duplicate = 1e-7
        pauses = { length = "1.1 ms", gap = "60 ms" }
        ack_filter = "aggregate"
        reverse = { jitter = { median = "34.5 us", p99 = "560 us" } }
        [tcp]
        sack_compression = "off"
        rtt_estimator = { kind = "rfc6298", granularity = "10 ms", samples = "one-per-window" }
        isn = 7
        recv_cushion = 16
        recv_share = 162
        recv_block = 4352
        [[node]]
        name = "extra.node"
        [[link]]
        name = "spare"
        a = "r0"
        b = "extra.node"
        [[flow]]
        start_jitter = "10 ms"
        [[flow]]
        name = "many"
        count = 2
        app = { kind = "request-response", count = 3 }
        ack = { name = "delayed", timeout = "40 ms" }
        [expect]
        jain = { min = 0.9 }
        retransmissions = { max = 7 }
        [expect.flow.many]
        rtt = { min = "10.5 ms", max = "1 s" }
        delivered = { min = "1 kB" }
        [expect.link."r0->r1"]
        drops = { max = 0 }
        utilisation = { min = 0.5, max = 1 }
    "#;
    let first = good(text);
    let second = good(&first.resolved);
    assert_eq!(first.resolved, second.resolved);
    assert_eq!(format!("{:?}", first.plan), format!("{:?}", second.plan));
    assert_eq!(first.expect, second.expect);
    assert_eq!(
        (first.seed, &first.description),
        (second.seed, &second.description)
    );
    assert_eq!(first.expect.0.len(), 8);
    let names: Vec<_> = first.plan.links.iter().map(|l| l.name.as_str()).collect();
    assert!(names.contains(&"spare") && names.contains(&"spare/reverse"));
    let pauses = |l: &LinkPlan| Some((l.name.clone(), l.impair.pauses.clone()?.of));
    let paused: Vec<_> = first.plan.links.iter().filter_map(pauses).collect();
    let (there, back) = ("r1->r2".to_string(), "r2->r1".to_string());
    assert_eq!(paused, [(there.clone(), there.clone()), (back, there)]);
}
