//! Transmissions of several stations at once.

use super::super::super::diagnostics::Report;
use super::super::super::path::Path;
use super::super::super::spec::{
    GuardTime, MuEdcaTable, OfdmaTable, Qty, RandomAccessTable, RandomFrames, Standard, WidthWord,
    WifiSpec,
};
use super::numbers::{count, time};
use super::{Network, Way, contention};
use acklab_path::wifi::medium::{
    DownlinkOfdma, MuEdca, OfdmaConfig, Poll, RandomAccess, UplinkOfdma,
};
use acklab_path::wifi::phy::{Format, Guard, NoPlan, Ru, RuPlan, SigBMcs, Width};
use acklab_units::Span;

/// OCWmin and OCWmax that the UORA Parameter Set element has by default (9.4.2.244).
const OCW: (u32, u32) = (7, 31);
/// The `NStations` of ns-3's `RrMultiUserScheduler`.
const USERS: u32 = 4;
/// The key of resource units of several sizes.
const ALLOCATION: &str = "ru_allocation";
/// The unit of the MU EDCA Timer, 8 TU (9.4.2.245).
const TIMER_STEP: Span = Span::from_micros(8_192);
/// Eight of them.
const TIMER: Span = Span::from_micros(8 * 8_192);

/// The narrowest width that is written for the channel or one of its sides.
fn width(spec: &WifiSpec) -> Width {
    let written = |w: Option<WidthWord>| w.map(Width::from);
    let own = written(spec.width).unwrap_or(Width::Mhz20);
    let sides = [spec.up.width, spec.down.width];
    let all = sides.into_iter().map(|w| written(w).unwrap_or(own));
    all.min().unwrap_or(own)
}

/// The OFDMA settings of a scenario; `None` = each transmission is of one station.
pub(super) fn resolve(
    spec: &WifiSpec,
    standard: Standard,
    path: &Path,
    report: &mut Report<'_>,
) -> Option<OfdmaConfig> {
    let table = spec.ofdma.as_ref()?.0.as_ref()?;
    let at = path.key("ofdma");
    if standard.format() != Format::He {
        let word = standard.word();
        let hint = "leave it out, or write standard = \"ax\"".to_string();
        report.error(&at, format!("802.11{word} has no OFDMA"), hint);
        return None;
    }
    let wide = [
        ("hack".to_string(), &spec.hack),
        ("up.hack".to_string(), &spec.up.hack),
        ("down.hack".to_string(), &spec.down.hack),
    ];
    let single = spec.station.iter().flat_map(|(name, s)| {
        let ways = [("", &s.hack), ("up.", &s.up.hack), ("down.", &s.down.hack)];
        ways.map(|(way, hack)| (format!("station.{name}.{way}hack"), hack))
    });
    let mut all = wide.into_iter().chain(single);
    if let Some((key, _)) = all.find(|(_, h)| h.is_some_and(|h| h.0.is_some())) {
        let hint = "leave one of them out".to_string();
        let message = format!("`{key}` puts ACKs into answers that OFDMA does not have");
        report.error(&at, message, hint);
    }
    let width = width(spec);
    let most = Ru::Tones26.most_in(width);
    let users = table.users.unwrap_or(USERS);
    if users == 0 || users > most {
        let hint = format!("write 1 to {most}: {width} have {most} resource units of 26 tones");
        let message = match users {
            0 => "nobody could be served",
            _ => "the channel has too few resource units for so many stations",
        };
        report.error(&at.key("users"), message, hint);
    }
    let plan = plan(table, width, &at, report);
    let users = plan.map_or(users.clamp(1, most), |plan| plan.listed().len() as u32);
    let guard = match table.guard_interval {
        None => usual_guard(spec),
        Some(written) => guard(written, &at.key("guard_interval"), report),
    };
    let sig_b = table.sig_b_mcs.and_then(|mcs| {
        let mcs = count(Some(mcs), 0, (0, 5), &at.key("sig_b_mcs"), report);
        SigBMcs::new(mcs as u8)
    });
    let answer_mcs = count(
        table.acknowledgement_mcs,
        DownlinkOfdma::ANSWER_MCS.into(),
        (0, 11),
        &at.key("acknowledgement_mcs"),
        report,
    );
    let downlink = table.downlink.unwrap_or(true).then(|| DownlinkOfdma {
        answers: table
            .acknowledgements
            .map_or_else(Default::default, Into::into),
        answer_mcs: answer_mcs as u8,
    });
    let uplink = table.uplink.unwrap_or(true);
    idle_keys(table, (downlink.is_some(), uplink), &at, report);
    let uplink = uplink.then(|| self::uplink(table, users, &at, report));
    Some(OfdmaConfig {
        downlink,
        uplink,
        scheduler: table.scheduler.map_or_else(Default::default, Into::into),
        most_users: users as u16,
        plan,
        guard,
        sig_b,
        falls_back: table.single_user.unwrap_or(true),
    })
}

/// The resource units of several sizes that are written.
fn plan(table: &OfdmaTable, width: Width, at: &Path, report: &mut Report<'_>) -> Option<RuPlan> {
    let tones = table.ru_allocation.as_ref()?;
    let at = at.key(ALLOCATION);
    let plan = divided(tones, width, &at, report);
    if table.users.is_some() {
        let message = "`users` and `ru_allocation` both say how many stations are served at once";
        let hint = "leave `users` out, or leave this out for equal units".to_string();
        report.error(&at, message, hint);
    }
    if table.random_access.is_some() {
        let message = "`random_access` needs units of one size";
        let hint = "leave one of them out, and write `users` for equal units".to_string();
        report.error(&at, message, hint);
    }
    plan
}

fn divided(tones: &[u32], width: Width, at: &Path, report: &mut Report<'_>) -> Option<RuPlan> {
    let units: Vec<_> = tones.iter().map(|tones| Ru::from_tones(*tones)).collect();
    if let Some(i) = units.iter().position(Option::is_none) {
        let message = format!("there is no resource unit of {} tones", tones[i]);
        let hint = "write 26, 52, 106, 242, 484, 996 or 1992 (2 x 996)".to_string();
        report.error(&at.index(i), message, hint);
        return None;
    }
    let units: Vec<_> = units.into_iter().flatten().collect();
    let list = |units: &[Ru]| {
        let tones: Vec<_> = units.iter().map(|ru| ru.tones().to_string()).collect();
        format!("[{}]", tones.join(", "))
    };
    match RuPlan::of(width, &units) {
        Ok(plan) => Some(plan),
        Err(why) => {
            let message = match why {
                NoPlan::Gap => format!("these units leave a part of {width} to nobody"),
                NoPlan::Misfit(0) => {
                    format!("a {width} channel has no room for a {}-tone RU", tones[0])
                }
                NoPlan::Misfit(i) => {
                    let before = list(&units[..i]);
                    format!(
                        "a {width} channel has no room for a {}-tone RU after {before}",
                        tones[i]
                    )
                }
            };
            let hint = format!(
                "write units that fill {width} in the order of their frequencies (802.11ax, table 27-26), such \
                 as {}",
                list(RuPlan::example(width))
            );
            report.error(at, message, hint);
            None
        }
    }
}

/// Resource units are those of one width.
pub(super) fn one_width(network: &Network, path: &Path, report: &mut Report<'_>) {
    let Some(plan) = network.channel.ofdma.and_then(|ofdma| ofdma.plan) else {
        return;
    };
    let modes = network
        .up
        .iter()
        .chain(&network.down)
        .map(|way| way.rate.mode);
    let mut widths = modes
        .filter(|mode| mode.format() == Format::He)
        .map(|mode| mode.width());
    if let Some(other) = widths.find(|width| *width != plan.width()) {
        let message = format!(
            "these units divide {}, and a station uses {other}",
            plan.width()
        );
        let hint = "write one width for all stations, or `users` for equal units".to_string();
        report.error(&path.key("ofdma").key(ALLOCATION), message, hint);
    }
}

/// Keys about a direction that is off, and a table without any.
fn idle_keys(
    table: &OfdmaTable,
    (downlink, uplink): (bool, bool),
    at: &Path,
    report: &mut Report<'_>,
) {
    if !(downlink || uplink) {
        let hint = "leave one of them out, or write ofdma = false".to_string();
        report.error(at, "`downlink` and `uplink` are both false", hint);
        return;
    }
    let keys = [
        (
            "acknowledgements",
            "downlink",
            downlink,
            table.acknowledgements.is_some(),
        ),
        (
            "acknowledgement_mcs",
            "downlink",
            downlink,
            table.acknowledgement_mcs.is_some(),
        ),
        ("sig_b_mcs", "downlink", downlink, table.sig_b_mcs.is_some()),
        ("poll", "uplink", uplink, table.poll.is_some()),
        ("always_poll", "uplink", uplink, table.always_poll.is_some()),
        (
            "random_access",
            "uplink",
            uplink,
            table.random_access.is_some(),
        ),
        ("mu_edca", "uplink", uplink, table.mu_edca.is_some()),
    ];
    for (key, direction, on, written) in keys {
        if written && !on {
            let message = format!("has no effect: `{direction}` is false");
            report.error(&at.key(key), message, "leave it out".to_string());
        }
    }
}

/// OFDMA needs block ack agreements, and those need A-MPDUs.
pub(super) fn needs_aggregation(network: &Network, path: &Path, report: &mut Report<'_>) {
    let aggregates = |ways: &[Way]| ways.iter().any(|way| way.ampdu > 0);
    let Some(ofdma) = &network.channel.ofdma else {
        return;
    };
    let directions = [
        (
            ofdma.downlink.is_some(),
            &network.down,
            "the access point sends no A-MPDUs",
        ),
        (
            ofdma.uplink.is_some(),
            &network.up,
            "no station sends A-MPDUs",
        ),
    ];
    for (on, ways, message) in directions {
        if on && !aggregates(ways) {
            let hint = "leave `ampdu` out, or switch `downlink` or `uplink` off".to_string();
            let message = format!("{message}, which OFDMA needs for its acknowledgements");
            report.error(&path.key("ofdma"), message, hint);
        }
    }
}

/// A network with long guard intervals has long echoes in both directions; HE TB PPDUs have no short ones
/// (27.3.4).
fn usual_guard(spec: &WifiSpec) -> Guard {
    let written = spec.up.guard_interval.or(spec.guard_interval);
    match written.map(|guard| Guard::from_nanos(guard.0.0.as_nanos() as u32)) {
        Some(Ok(Guard::Ns3200)) => Guard::Ns3200,
        _ => Guard::Ns1600,
    }
}

fn guard(written: Qty<GuardTime>, at: &Path, report: &mut Report<'_>) -> Guard {
    match Guard::from_nanos(written.0.0.as_nanos() as u32) {
        Ok(guard @ (Guard::Ns1600 | Guard::Ns3200)) => guard,
        _ => {
            let hint = "write \"1600 ns\" or \"3200 ns\"".to_string();
            report.error(at, "HE TB PPDUs have no such guard interval", hint);
            Guard::Ns1600
        }
    }
}

/// The smallest and the largest of two contention windows up to `most`, each announced by its exponent.
fn windows(
    written: (Option<u32>, Option<u32>),
    default: (u32, u32),
    most: u32,
    keys: (&str, &str),
    at: &Path,
    report: &mut Report<'_>,
) -> (u32, u32) {
    let (low_at, high_at) = (at.key(keys.0), at.key(keys.1));
    let low = count(written.0, default.0, (0, most), &low_at, report);
    let high = count(written.1, default.1.max(low), (0, most), &high_at, report);
    if high < low {
        let hint = format!("write {low} or more");
        report.error(&high_at, format!("smaller than `{}`", keys.0), hint);
    }
    contention::window(low, &low_at, report);
    contention::window(high, &high_at, report);
    (low, high.max(low))
}

fn uplink(table: &OfdmaTable, users: u32, at: &Path, report: &mut Report<'_>) -> UplinkOfdma {
    let every = time(table.poll, Span::from_millis(10), &at.key("poll"), report);
    let random = table.random_access.map(|random| {
        let at = at.key("random_access");
        let RandomAccessTable {
            units,
            ocw_min,
            ocw_max,
            frames,
        } = random;
        let units = units.unwrap_or(2);
        if units == 0 || units > users {
            let hint = format!("write 1 to {users}, or more `users`");
            let message = format!("a Trigger frame has {users} resource units in all");
            report.error(&at.key("units"), message, hint);
        }
        let (low, high) = windows(
            (ocw_min, ocw_max),
            OCW,
            127,
            ("ocw_min", "ocw_max"),
            &at,
            report,
        );
        RandomAccess {
            units: units.clamp(1, users) as u16,
            ocw_min: low as u16,
            ocw_max: high as u16,
            for_data: frames.map(Into::into) == Some(RandomFrames::Data),
        }
    });
    let mu_edca = table.mu_edca.map(|mu| {
        let at = at.key("mu_edca");
        let MuEdcaTable {
            aifsn,
            cw_min,
            cw_max,
            timer,
        } = mu;
        let (low, high) = windows(
            (cw_min, cw_max),
            (15, 1023),
            32_767,
            ("cw_min", "cw_max"),
            &at,
            report,
        );
        // An AIFSN of 1 is reserved (9.4.2.245).
        let aifsn_at = at.key("aifsn");
        let aifsn = count(aifsn, 0, (0, 15), &aifsn_at, report);
        if aifsn == 1 {
            let hint = "write 0, or 2 to 15".to_string();
            report.error(&aifsn_at, "reserved in 802.11ax", hint);
        }
        let timer_at = at.key("timer");
        let timer = time(timer, TIMER, &timer_at, report);
        let (least, most) = (TIMER_STEP, TIMER_STEP * 255);
        if timer < least || timer > most {
            let message = "no access point can announce this: the field counts 8 TU in 8 bits";
            let hint = format!("write \"{least}\" to \"{most}\"");
            report.warn(&timer_at, message.to_string(), hint);
        }
        MuEdca {
            aifsn: aifsn as u8,
            cw_min: low as u16,
            cw_max: high as u16,
            timer,
        }
    });
    UplinkOfdma {
        poll: Poll {
            every,
            always: table.always_poll.unwrap_or(false),
        },
        // Known when all flows are.
        category: 0,
        random,
        mu_edca,
    }
}
