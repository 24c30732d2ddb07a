//! Transports of flows.

use super::{DUMBBELL, good, toml, toml_with};
use crate::plan::{AppPlan, TransportPlan};
use crate::scenario::load_toml;
use acklab_proto::cbr;
use acklab_units::Rate;

const CBR: &str =
    r#"{ name = "cbr", rate = "8 Mbit/s", size = 1000, frame = "ip", feedback = { every = 4 } }"#;

/// Two flows of TCP and one that leaves open what it speaks.
fn three() -> String {
    format!("{DUMBBELL}\n[[flow]]\n")
}

fn config(plan: &TransportPlan) -> cbr::Config {
    match plan {
        TransportPlan::Cbr(params) => cbr::Config::new(params),
        TransportPlan::Tcp(_) | TransportPlan::Tack(_) | TransportPlan::Rtp(_) => {
            panic!("not CBR")
        }
    }
}

#[test]
fn a_flow_speaks_tcp_unless_it_says_otherwise() {
    let plan = toml_with(&three(), &[("flow.2.transport", CBR)])
        .unwrap()
        .plan;
    assert_eq!(plan.flows[0].transport.name(), "tcp");
    let cbr = config(&plan.flows[2].transport);
    assert_eq!((cbr.rate, cbr.size), (Rate::from_bps(8_000_000), 1000));
    assert_eq!((cbr.every, cbr.feedback), (4, 64));
    let tcp = toml_with(&three(), &[("flow.2.transport", "tcp")]).unwrap();
    assert_eq!(tcp.resolved, good(&three()).resolved);
}

#[test]
fn tables_inside_of_a_transport_survive_resolving() {
    let loaded = toml_with(&three(), &[("flow.2.transport", CBR)]).unwrap();
    assert!(
        loaded.resolved.contains("feedback.every = 4"),
        "{}",
        loaded.resolved
    );
    let again = good(&loaded.resolved);
    assert_eq!(again.resolved, loaded.resolved);
    let inner = [
        ("flow.2.transport", CBR),
        ("flow.2.transport.feedback.size", "100"),
    ];
    let cbr = config(&toml_with(&three(), &inner).unwrap().plan.flows[2].transport);
    assert_eq!((cbr.every, cbr.feedback), (4, 100));
}

fn told(flow: &str) -> String {
    let text = format!(
        "duration = \"1 s\"\n[topology]\npreset = \"dumbbell\"\n[topology.bottleneck]\n\
         rate = \"1 Mbit/s\"\ndelay = \"1 ms\"\n[[flow]]\n{flow}\n"
    );
    let error = load_toml(&text, "test.toml", &[]).expect_err("a mistake");
    error.to_string()
}

#[test]
fn what_does_not_go_with_a_constant_rate_is_refused() {
    for (key, value) in [
        ("cc", "\"bbr3\""),
        ("ack", "\"per-packet\""),
        ("tcp", "{ segment = 500 }"),
    ] {
        let said = told(&format!("transport = \"cbr\"\n{key} = {value}"));
        let message = format!("`{key}` is TCP's, and this flow's transport is \"cbr\"");
        assert!(said.contains(&message), "{said}");
        assert!(said.contains("write transport = \"tcp\""), "{said}");
    }
    let said = told("transport = \"cbr\"\napp = { kind = \"request-response\" }");
    assert!(said.contains("would wait for ever"), "{said}");
}

#[test]
fn mistakes_inside_of_a_transport_have_their_place() {
    let said = told("transport = { name = \"cbr\", feedback = { evry = 4 } }");
    assert!(said.contains("flow.0.transport.feedback.evry"), "{said}");
    assert!(said.contains("`feedback.every`"), "{said}");
    let said = told("transport = { name = \"cbr\", feedback = { size = 20 } }");
    assert!(
        said.contains("flow.0.transport.feedback.size = 20"),
        "{said}"
    );
    assert!(said.contains("a whole number from 54 to 65535"), "{said}");
    let said = told("transport = { name = \"cbr\", rate = \"fast\" }");
    assert!(said.contains("flow.0.transport.rate = \"fast\""), "{said}");
    let said = told("transport = \"cbrr\"");
    assert!(
        said.contains("there is no transport called `cbrr`"),
        "{said}"
    );
    assert!(said.contains("did you mean `cbr`"), "{said}");
    let said = told("cc = { name = \"cubic\", beta = { x = 1 } }");
    assert!(said.contains("flow.0.cc.beta.x"), "{said}");
}

const TACK: &str = r#"{ name = "tack", beta = 8, l = 4, blocks = "adaptive", q = 2, interval = { shortest = "2 ms" } }"#;

#[test]
fn tack_takes_a_controller_and_survives_resolving() {
    let set = [("flow.2.transport", TACK), ("flow.2.cc", "newreno")];
    let loaded = toml_with(&three(), &set).unwrap();
    let again = good(&loaded.resolved);
    assert_eq!(again.resolved, loaded.resolved);
    let TransportPlan::Tack(plan) = &again.plan.flows[2].transport else {
        panic!("not TACK")
    };
    let t = &plan.config.taming;
    assert_eq!((t.beta, t.packets, t.shortest.as_micros()), (8, 4, 2000));
    assert_eq!(plan.cc.entry.name, "newreno");
    let said = told("transport = \"tack\"\nack = \"per-packet\"");
    assert!(said.contains("`ack` is TCP's"), "{said}");
    let said = told("transport = { name = \"tack\", beta = 1 }");
    assert!(said.contains("a whole number from 2 to 64"), "{said}");
    let turned =
        r#"transport = { name = "tack", interval = { shortest = "9 ms", longest = "2 ms" } }"#;
    let said = told(turned);
    assert!(
        said.contains("flow.0.transport.interval.shortest"),
        "{said}"
    );
    assert!(
        said.contains("(9 ms)") && said.contains("\"2 ms\""),
        "{said}"
    );
}

#[test]
fn a_video_survives_resolving() {
    let flow = [
        ("flow.2.transport", r#"{ name = "rtp", spread = "8 ms" }"#),
        (
            "flow.2.app",
            r#"{ kind = "video", rate = "3 Mbit/s", fps = 30, i_frame = 2.5 }"#,
        ),
    ];
    let loaded = toml_with(&three(), &flow).unwrap();
    let again = good(&loaded.resolved);
    assert_eq!(again.resolved, loaded.resolved);
    let AppPlan::Video(video) = again.plan.flows[2].app else {
        panic!("no video")
    };
    assert_eq!((video.fps, video.gop, video.packet), (30, 30, Some(1460)));
    assert_eq!(video.i_frame, 2.5);
}

#[test]
fn a_codepoint_is_a_name_or_a_number() {
    use acklab_proto::datagram::Dscp;
    for (written, value) in [("\"EF\"", 46), ("\"af41\"", 34), ("\"LE\"", 1), ("46", 46)] {
        let text = format!("{DUMBBELL}dscp = {written}\n");
        let resolved = good(&text);
        assert_eq!(
            resolved.plan.flows.last().unwrap().dscp,
            Dscp::new(value).unwrap()
        );
        // The whole form says it again; a default is left out.
        let again = good(&resolved.resolved);
        assert_eq!(again.plan.flows.last().unwrap().dscp.value(), value);
    }
    assert!(!good(DUMBBELL).resolved.contains("dscp"));
    for wrong in ["\"AF99\"", "64", "-1", "\"\""] {
        let told = toml(&format!("{DUMBBELL}dscp = {wrong}\n"))
            .expect_err(wrong)
            .to_string();
        assert!(told.contains("there is no codepoint called"), "{told}");
        assert!(told.contains("dscp"), "{told}");
        assert!(told.contains("help: write a codepoint such as"), "{told}");
    }
}
