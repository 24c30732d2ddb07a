//! OFDMA as TOML.

use crate::scenario::spec::{AnswersWord, RandomFrames, RandomFramesWord, SchedulerWord};
use acklab_path::wifi::medium::{DownlinkOfdma, OfdmaConfig, Poll, UplinkOfdma};

/// The table.
pub(super) fn table(ofdma: OfdmaConfig) -> String {
    let OfdmaConfig {
        downlink,
        uplink,
        scheduler,
        most_users,
        plan,
        guard,
        sig_b,
        falls_back,
    } = ofdma;
    let mut keys = vec![
        format!("downlink = {}", downlink.is_some()),
        format!("uplink = {}", uplink.is_some()),
        format!("scheduler = \"{}\"", SchedulerWord::of(scheduler)),
        match plan {
            None => format!("users = {most_users}"),
            Some(plan) => {
                let tones: Vec<_> = plan.listed().iter().map(|ru| ru.tones()).collect();
                format!("ru_allocation = {tones:?}")
            }
        },
        format!("guard_interval = \"{} ns\"", guard.nanos()),
        format!("single_user = {falls_back}"),
    ];
    keys.extend(sig_b.map(|mcs| format!("sig_b_mcs = {}", mcs.get())));
    if let Some(DownlinkOfdma {
        answers,
        answer_mcs,
    }) = downlink
    {
        keys.push(format!(
            "acknowledgements = \"{}\"",
            AnswersWord::of(answers)
        ));
        keys.push(format!("acknowledgement_mcs = {answer_mcs}"));
    }
    if let Some(uplink) = uplink {
        keys.extend(calls(uplink));
    }
    format!("{{ {} }}", keys.join(", "))
}

fn calls(uplink: UplinkOfdma) -> Vec<String> {
    let UplinkOfdma {
        poll: Poll { every, always },
        // Follows from the flows.
        category: _,
        random,
        mu_edca,
    } = uplink;
    let mut keys = vec![
        format!("poll = \"{every}\""),
        format!("always_poll = {always}"),
    ];
    if let Some(random) = random {
        let frames = match random.for_data {
            true => RandomFrames::Data,
            false => RandomFrames::Poll,
        };
        keys.push(format!(
            "random_access = {{ units = {}, ocw_min = {}, ocw_max = {}, in = \"{}\" }}",
            random.units,
            random.ocw_min,
            random.ocw_max,
            RandomFramesWord::of(frames)
        ));
    }
    if let Some(mu) = mu_edca {
        keys.push(format!(
            "mu_edca = {{ aifsn = {}, cw_min = {}, cw_max = {}, timer = \"{}\" }}",
            mu.aifsn, mu.cw_min, mu.cw_max, mu.timer
        ));
    }
    keys
}
