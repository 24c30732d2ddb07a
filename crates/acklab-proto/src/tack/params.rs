//! Parameters of TACK that a scenario can set.

use super::config::{
    AlphaRtt, Owd, Owner, RateSource, RepairGuard, RepairOrder, Richness, Settle, StartUp,
    TackConfig, Taming, ThetaUnit, Thin, Timing, Unacked,
};
use super::wire::Packet;
use crate::registry::{Entry, Kind, Param, Params, Value};
use crate::transport::registry::Protocol;
use acklab_units::Span;

/// The registry's entry.
pub const ENTRY: Entry<Protocol> = Entry {
    name: "tack",
    aliases: &[],
    summary: "TACK: few acknowledgements, by bytes or by time, and instant ones for events; the \
              flow's `cc` says which controller.",
    source: "Li et al., SIGCOMM 2020; IEEE/ACM ToN 29(6) 2021",
    params: PARAMS,
    build: Protocol::Tack,
};

const fn choice(
    name: &'static str,
    doc: &'static str,
    words: &'static [&'static str],
    default: &'static str,
) -> Param {
    Param {
        name,
        doc,
        kind: Kind::Choice(words),
        default: Value::Choice(default),
    }
}

const fn int(name: &'static str, doc: &'static str, range: (i64, i64), default: i64) -> Param {
    Param {
        name,
        doc,
        kind: Kind::Int(range.0, range.1),
        default: Value::Int(default),
    }
}

const fn span(name: &'static str, doc: &'static str, range: (Span, Span), default: Span) -> Param {
    Param {
        name,
        doc,
        kind: Kind::Span(range.0, range.1),
        default: Value::Span(default),
    }
}

const fn yes(name: &'static str, doc: &'static str) -> Param {
    Param {
        name,
        doc,
        kind: Kind::Bool,
        default: Value::Bool(true),
    }
}

const US: Span = Span::from_micros(1);
const SECOND: Span = Span::from_secs(1);

/// Parameters that a scenario can set.
pub const PARAMS: &[Param] = &[
    int(
        "beta",
        "TACKs per minimum RTT (Eq. 3, default of section 4.1); below 2 a sender stops and waits \
         (appendix B.1).",
        (2, 64),
        4,
    ),
    int(
        "l",
        "Full-sized packets per TACK while the bandwidth-delay product is small (Eq. 3).",
        (1, 255),
        2,
    ),
    span(
        "interval.shortest",
        "Least time between two TACKs; the paper has none, and beta / RTT_min is without bound on \
         short paths.",
        (US, SECOND),
        Span::from_millis(1),
    ),
    span(
        "interval.longest",
        "Most time between two TACKs while data arrives; the paper has none, but a TACK also moves the \
         window, and the peer's timers wait for it.",
        (Span::from_millis(1), Span::from_secs(10)),
        Span::from_millis(250),
    ),
    span(
        "delayed",
        "How long a packet waits for the L-th; the paper has no such timer, and thin flows would \
         wait for ever. 25 ms is QUIC's max_ack_delay (RFC 9000).",
        (US, SECOND),
        Span::from_millis(25),
    ),
    choice(
        "thin",
        "What ends that wait: the timer alone, or the interval where that is shorter. With the \
         interval nearly each packet has its TACK wherever packets are counted, so `l` says little.",
        &["timer", "interval"],
        "timer",
    ),
    choice(
        "start_up",
        "Acknowledging while the rate still grows: each packet (journal version), since there is no \
         rate yet to compute a frequency from; every L-th; or as afterwards.",
        &["per-packet", "byte-counting", "tamed"],
        "per-packet",
    ),
    int(
        "start_up_packets",
        "How many packets that may be at most; 0 is no bound, as in the journal version. By then the rate \
         is known, and Eq. 3 gives four TACKs a round trip. Without a bound a start-up of 100 Mbit/s \
         and 100 ms sends ten times as many TACKs as the ten seconds after it.",
        (0, 1_000_000),
        128,
    ),
    choice(
        "blocks",
        "Blocks of a TACK: as many as fit into its packet (`mtu`), one (Q = 1), or `q` and as many more \
         as Eq. 6 asks for. As many as fit, since an access to the medium costs the same, and each TACK \
         repeats what a lost one said (section 5.1). They are ranges of the stream: a gap in PKT.SEQ \
         never closes, since a repair has a number of its own.",
        &["rich", "poor", "adaptive"],
        "rich",
    ),
    int(
        "q",
        "Q of blocks = \"adaptive\": the blocks that each TACK has; Eq. 6 adds rho rho' bdp / MSS - Q, \
         or rho rho' L - Q where packets are counted (A.2 misprints it; this follows from Eq. 8). 4 is \
         the example of appendix A.",
        (0, 1000),
        4,
    ),
    choice(
        "settle",
        "How long a gap may last before it is a loss: nothing until reordering was seen and \
         RTT_min / 4 from then on, never (section 5.1), or always (section 7). A path that keeps the \
         order pays nothing for those that do not.",
        &["once-reordered", "never", "always"],
        "once-reordered",
    ),
    yes(
        "iack",
        "Loss events are reported by IACKs; without, only TACKs report them (Figure 5a).",
    ),
    int(
        "iack_copies",
        "How often each IACK of a loss is sent: once, since TACKs repeat what it says; the authors' \
         own implementation sends three.",
        (1, 8),
        1,
    ),
    choice(
        "unacked",
        "Gaps that a TACK calls missing: those that an IACK has reported (section 5.1), or all, which \
         repairs what a path only reorders.",
        &["reported", "all"],
        "reported",
    ),
    int(
        "window_iack",
        "An IACK tells of a window that has opened by so many percent of the buffer; 0 = TACKs do. \
         The paper says \"a large volume\" (section 5.3).",
        (0, 100),
        25,
    ),
    yes(
        "ack_now",
        "The last packet before silence asks for a TACK, as QUIC's IMMEDIATE_ACK does; without, it \
         waits for the timer of thin flows. The paper has no such flag.",
    ),
    yes(
        "undo",
        "A reduction is taken back when all that was called lost came late, as the count of packets \
         in each report shows, and that of a timeout when the next report is about what had left \
         before it. The paper has none (TCP: RFC 4015).",
    ),
    choice(
        "timing",
        "Minimum RTT from the fastest packet of an interval (section 5.2), from the newest, or from \
         the newest without taking out the TACK's delay (legacy sampling, Figure 6a).",
        &["advanced", "newest", "legacy"],
        "advanced",
    ),
    choice(
        "owd",
        "One-way delays that are compared: smoothed, or as measured. The paper smooths (section 5.2); \
         what is smoothed lags, so the packet that it picks may not be the fastest.",
        &["smoothed", "raw"],
        "smoothed",
    ),
    int(
        "owd_gain",
        "The average of one-way delays has a gain of one over this; the paper has no number, the \
         authors' own implementation 1/8.",
        (1, 64),
        8,
    ),
    choice(
        "owner",
        "Who computes the interval: the receiver (section 5.4), which measures the rate, or the sender \
         (journal version), which tells it.",
        &["receiver", "sender"],
        "receiver",
    ),
    choice(
        "alpha",
        "Which RTT the interval between TACKs is a part of: the minimum (Eq. 2), or the smoothed one. \
         The smoothed one grows where TACKs wait for each other, so they become rarer; a queue of data \
         makes them rarer, too.",
        &["rtt-min", "smoothed-rtt"],
        "rtt-min",
    ),
    choice(
        "rate_samples",
        "Whose delivery-rate samples the controller gets: the receiver's, which sees each packet arrive \
         (section 5.3), or the sender's own.",
        &["receiver", "sender"],
        "receiver",
    ),
    choice(
        "repeat",
        "When a repair is repeated without proof that it was lost: after a smoothed RTT, after the \
         minimum RTT, or never (section 5.1: once per RTT, and not which). After the minimum it is \
         repeated in vain wherever there is a queue.",
        &["smoothed-rtt", "min-rtt", "never"],
        "smoothed-rtt",
    ),
    choice(
        "repair_order",
        "Which lost segment is repaired first: the lowest of the stream, or the one that was reported \
         first. The paper has no order. Full lists tell of the smallest gaps and the largest blocks, \
         and nothing of a repair between them.",
        &["lowest", "reported"],
        "lowest",
    ),
    int(
        "theta",
        "Window of the receiver's maximum filter in `theta_unit` (section 5.4: 5 to 10 RTTs), at most \
         10 s.",
        (1, 100),
        10,
    ),
    choice(
        "theta_unit",
        "What `theta` counts: minimum RTTs, or intervals between TACKs (journal version: 40), which \
         are longer while packets are counted.",
        &["rtt", "interval"],
        "rtt",
    ),
    span(
        "tau",
        "Window of the sender's minimum filter (section 5.2: at most 10 s).",
        (Span::from_millis(100), Span::from_secs(300)),
        Span::from_secs(10),
    ),
    int(
        "sync",
        "Change of minimum RTT or interval that is told to the receiver, percent (journal version: \
         200, which lets the frequency be wrong by as much).",
        (101, 1000),
        125,
    ),
    int(
        "ack_loss_period",
        "Packets of feedback after which the loss rate of the ACK path is computed anew; the paper \
         does it when the minimum RTT changes, which may be never.",
        (10, 100_000),
        100,
    ),
    int(
        "mtu",
        "Bytes of the largest IP packet, which is as much as the lists of a TACK may fill.",
        (200, 9000),
        1500,
    ),
    int("id_len", "Bytes of the connection id.", (0, 16), 8),
    int("tag_len", "Bytes of the AEAD's tag; 0 = none.", (0, 32), 16),
    Param {
        name: "ecn",
        doc: "Packets are sent with ECT(0), and marks are counted and echoed as QUIC does (RFC 9000 \
              section 13.4); the paper has no ECN.",
        kind: Kind::Bool,
        default: Value::Bool(false),
    },
    int(
        "send_buffer",
        "Bytes that the application may be ahead of what is acknowledged.",
        (10_000, 1 << 32),
        4 << 20,
    ),
    int(
        "recv_buffer",
        "Bytes that the receiver holds for its application.",
        (10_000, 1 << 32),
        6 << 20,
    ),
    int(
        "skip",
        "A packet number is skipped within the first so many, and then ever more rarely, to find \
         out who acknowledges ahead of arrival; 0 = never.",
        (0, 1 << 20),
        256,
    ),
    int(
        "initial_window",
        "Packets that may be under way at first (RFC 6928).",
        (1, 1000),
        10,
    ),
];

/// The word's place among its fellows.
fn pick<T: Copy>(params: &Params, name: &str, of: &[(&str, T)], default: T) -> T {
    let word = params.choice(name);
    of.iter().find(|c| c.0 == word).map_or(default, |c| c.1)
}

impl TackConfig {
    /// Configuration by these values of [`PARAMS`].
    pub fn from_params(p: &Params) -> Self {
        let base = Self::default();
        let time = |name, default| p.span(name).unwrap_or(default);
        let (id_len, tag_len) = (p.int("id_len") as u8, p.int("tag_len") as u8);
        let mtu = p.int("mtu") as u32;
        let mss = mtu.saturating_sub(Packet::data_overhead(id_len, tag_len));
        Self {
            taming: Taming {
                beta: p.int("beta") as u16,
                packets: p.int("l") as u16,
                mss,
                shortest: time("interval.shortest", base.taming.shortest),
                longest: time("interval.longest", base.taming.longest),
                delayed: time("delayed", base.taming.delayed),
                thin: pick(p, "thin", &[("interval", Thin::Interval)], Thin::Timer),
            },
            start_up: pick(
                p,
                "start_up",
                &[
                    ("byte-counting", StartUp::ByteCounting),
                    ("tamed", StartUp::Tamed),
                ],
                StartUp::PerPacket,
            ),
            start_up_packets: p.int("start_up_packets") as u32,
            richness: pick(
                p,
                "blocks",
                &[
                    ("poor", Richness::Poor),
                    (
                        "adaptive",
                        Richness::Adaptive {
                            q: p.int("q") as u16,
                        },
                    ),
                ],
                Richness::Rich,
            ),
            settle: pick(
                p,
                "settle",
                &[("never", Settle::Never), ("always", Settle::Always)],
                Settle::OnceReordered,
            ),
            timing: pick(
                p,
                "timing",
                &[("newest", Timing::Newest), ("legacy", Timing::Legacy)],
                Timing::Advanced,
            ),
            owd: pick(p, "owd", &[("raw", Owd::Raw)], Owd::Smoothed),
            owner: pick(p, "owner", &[("sender", Owner::Sender)], Owner::Receiver),
            rate_source: pick(
                p,
                "rate_samples",
                &[("sender", RateSource::Sender)],
                RateSource::Receiver,
            ),
            guard: pick(
                p,
                "repeat",
                &[
                    ("min-rtt", RepairGuard::MinRtt),
                    ("never", RepairGuard::ProvenOnly),
                ],
                RepairGuard::SmoothedRtt,
            ),
            repair_order: pick(
                p,
                "repair_order",
                &[("reported", RepairOrder::Reported)],
                RepairOrder::Lowest,
            ),
            alpha_rtt: pick(
                p,
                "alpha",
                &[("smoothed-rtt", AlphaRtt::Smoothed)],
                AlphaRtt::Minimum,
            ),
            loss_iack: p.bool("iack"),
            iack_copies: p.int("iack_copies") as u8,
            unacked: pick(p, "unacked", &[("all", Unacked::All)], Unacked::Reported),
            window_share: p.int("window_iack") as u8,
            ack_now: p.bool("ack_now"),
            undo: p.bool("undo"),
            theta: p.int("theta") as u16,
            theta_unit: pick(
                p,
                "theta_unit",
                &[("interval", ThetaUnit::Interval)],
                ThetaUnit::Rtt,
            ),
            owd_gain: p.int("owd_gain") as u8,
            ack_loss_period: p.int("ack_loss_period") as u32,
            tau: time("tau", base.tau),
            sync_percent: p.int("sync") as u32,
            mss,
            id_len,
            tag_len,
            mtu,
            ecn: p.bool("ecn"),
            send_buffer: p.int("send_buffer") as u64,
            recv_buffer: p.int("recv_buffer") as u64,
            skip_within: p.int("skip") as u32,
            initial_window: p.int("initial_window") as u32,
            ..base
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_defaults_of_the_parameters_are_those_of_the_configuration() {
        let params = Params::defaults(PARAMS);
        assert_eq!(TackConfig::from_params(&params), TackConfig::default());
    }

    #[test]
    fn each_word_changes_the_configuration() {
        for param in PARAMS {
            let Kind::Choice(words) = param.kind else {
                continue;
            };
            let mut seen = alloc::vec::Vec::new();
            for word in words {
                let mut params = Params::defaults(PARAMS);
                params.set(PARAMS, param.name, Value::Choice(word)).unwrap();
                let config = TackConfig::from_params(&params);
                assert!(!seen.contains(&config), "{} {word}", param.name);
                seen.push(config);
            }
        }
    }
}
