//! Aggregation: A-MPDU, A-MSDU, and the block ack window that both have to fit.

use super::super::super::diagnostics::Report;
use super::super::super::path::Path;
use super::super::super::spec::{Qty, Standard};
use super::layers::Ways;
use acklab_path::wifi::mac::sizes;
use acklab_path::wifi::phy::Format;
use acklab_units::Bytes;

/// Header and FCS of a QoS data MPDU.
const OVERHEAD: u32 = sizes::QOS_DATA_HEADER + sizes::FCS;
/// Longest MSDU (9.2.4.7.1 of 802.11-2016).
const LONGEST_MSDU: u32 = 2304;
/// Longest A-MSDU of HT (9.4.2.56.2).
const HT_AMSDU: u32 = 7935;
/// Longest MPDU of VHT and HE (9.4.2.158.2).
const VHT_MPDU: u32 = 11_454;
/// The values that an HT station may announce as its Maximum A-MSDU Length (802.11-2020 9.4.2.55.2).
const HT_ANNOUNCED: [u32; 2] = [3839, HT_AMSDU];
/// The values that a VHT station may announce as its Maximum MPDU Length (802.11-2020 9.4.2.157.2), which bounds
/// A-MSDUs to it; 802.11ax keeps that.
const VHT_ANNOUNCED: [u32; 3] = [3895, 7991, VHT_MPDU];
/// Longest MPDU in an A-MPDU of HT: its length has 12 bits (9.7.3).
const HT_MPDU_IN_AMPDU: u32 = sizes::HT_AMSDU_IN_AMPDU + OVERHEAD;

/// An IP header of 20 bytes in an MPDU with its delimiter.
const SHORTEST_AMPDU: u32 = sizes::DELIMITER + sizes::msdu(20) + OVERHEAD;

/// The sizes that may be sent at once; 0 = off.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sizes {
    pub(super) ampdu: u32,
    pub(super) amsdu: u32,
    /// The limit that the receiver announces.
    pub(super) receiver_amsdu: u32,
    pub(super) max_mpdu: u32,
    pub(super) window: u16,
}

/// The scenario's sizes, checked against the standard and against itself.
pub(super) fn resolve(standard: Standard, ways: &Ways, report: &mut Report<'_>) -> Sizes {
    if !standard.format().aggregates() {
        return without(standard, ways, report);
    }
    let window = window(standard, ways, report);
    let (ampdu, ampdu_at) = ways.get("ampdu", |k| k.ampdu);
    let with_ampdu = !matches!(ampdu.map(|a| a.0), Some(None));
    let max_mpdu = max_mpdu(standard, with_ampdu, ways, report);
    let receiver_amsdu = announced(standard, ways, report);
    let amsdu = amsdu(standard, with_ampdu, max_mpdu, ways, report);
    taken(standard, amsdu, receiver_amsdu, ways, report);
    let largest = if amsdu > 0 {
        (amsdu + OVERHEAD)
            .min(max_mpdu)
            .max(LONGEST_MSDU + OVERHEAD)
    } else {
        LONGEST_MSDU + OVERHEAD
    };
    let held = u32::from(window) * (sizes::DELIMITER + sizes::padded(largest));
    let format = standard.format();
    let ampdu = match ampdu.map(|a| a.0) {
        Some(None) => 0,
        None => format.max_psdu().min(held),
        Some(Some(bytes)) => checked(bytes, format, (window, largest, held), &ampdu_at, report),
    };
    Sizes {
        ampdu,
        amsdu,
        receiver_amsdu,
        max_mpdu,
        window,
    }
}

/// 802.11b, a and g send one MSDU at a time.
fn without(standard: Standard, ways: &Ways, report: &mut Report<'_>) -> Sizes {
    let word = standard.word();
    let on = [
        ways.get("ampdu", |k| k.ampdu?.0.map(|_| ())),
        ways.get("amsdu", |k| k.amsdu?.0.map(|_| ())),
        ways.get("receiver_amsdu", |k| k.receiver_amsdu.map(|_| ())),
        ways.get("max_mpdu", |k| k.max_mpdu.map(|_| ())),
        ways.get("block_ack_window", |k| k.block_ack_window.map(|_| ())),
    ];
    for (written, at) in on {
        if written.is_some() {
            let hint = "leave it out, or choose standard = \"n\" or later".to_string();
            report.error(&at, format!("802.11{word} has no aggregation"), hint);
        }
    }
    Sizes {
        ampdu: 0,
        amsdu: 0,
        receiver_amsdu: 0,
        max_mpdu: VHT_MPDU,
        window: 64,
    }
}

fn window(standard: Standard, ways: &Ways, report: &mut Report<'_>) -> u16 {
    let most: u16 = if standard == Standard::Ax { 256 } else { 64 };
    let (written, at) = ways.get("block_ack_window", |k| k.block_ack_window);
    match written.map(u16::try_from) {
        None => most,
        Some(Ok(window)) if (1..=most).contains(&window) => window,
        Some(_) => {
            let word = standard.word();
            let more = if most < 256 { "; 802.11ax has 256" } else { "" };
            let hint = format!("write 1 to {most} for 802.11{word}{more}");
            report.error(&at, "out of range for a block ack window", hint);
            most
        }
    }
}

fn max_mpdu(standard: Standard, with_ampdu: bool, ways: &Ways, report: &mut Report<'_>) -> u32 {
    let (written, at) = ways.get("max_mpdu", |k| k.max_mpdu);
    let default = match standard {
        Standard::N if with_ampdu => HT_MPDU_IN_AMPDU,
        Standard::N => HT_AMSDU + OVERHEAD,
        _ => VHT_MPDU,
    };
    let Some(Bytes(bytes)) = written.map(|b| b.0) else {
        return default;
    };
    let least = LONGEST_MSDU + OVERHEAD;
    if !(u64::from(least)..=u64::from(VHT_MPDU)).contains(&bytes) {
        let hint = format!("write \"{least} B\", which holds any packet, to \"{VHT_MPDU} B\"");
        report.error(&at, "out of range", hint);
        return default;
    }
    bytes as u32
}

fn amsdu(
    standard: Standard,
    with_ampdu: bool,
    max_mpdu: u32,
    ways: &Ways,
    report: &mut Report<'_>,
) -> u32 {
    let (written, at) = ways.get("amsdu", |k| k.amsdu);
    let Some(Bytes(bytes)) = written.and_then(|a| a.0) else {
        return 0;
    };
    let most = if standard == Standard::N {
        HT_AMSDU
    } else {
        VHT_MPDU
    };
    let word = standard.word();
    if bytes == 0 {
        let hint = "write \"off\" if packets are not to be joined".to_string();
        report.error(&at, "an A-MSDU of nothing", hint);
    } else if bytes > u64::from(most) {
        let message = format!("no 802.11{word} station takes so long an A-MSDU");
        let usual = if standard == Standard::N {
            "\"3839 B\" or "
        } else {
            ""
        };
        report.error(&at, message, format!("write {usual}\"{most} B\" at most"));
    } else if standard == Standard::N && bytes > u64::from(max_mpdu - OVERHEAD) {
        let most = max_mpdu - OVERHEAD;
        let message = format!("an MPDU of {max_mpdu} B at most does not hold this A-MSDU");
        let why = if with_ampdu && max_mpdu == HT_MPDU_IN_AMPDU {
            "; longer ones do not go into an A-MPDU of 802.11n, except in ns-3: max_mpdu = \"7965 B\""
        } else {
            ""
        };
        report.error(&at, message, format!("write \"{most} B\" at most{why}"));
    } else {
        return bytes as u32;
    }
    0
}

/// The limit that the receiver announces: of an A-MSDU for n, of an MPDU from ac on.
fn announced(standard: Standard, ways: &Ways, report: &mut Report<'_>) -> u32 {
    let (all, most): (&[u32], _) = match standard {
        Standard::N => (&HT_ANNOUNCED, HT_AMSDU),
        _ => (&VHT_ANNOUNCED, VHT_MPDU),
    };
    let (written, at) = ways.get("receiver_amsdu", |k| k.receiver_amsdu);
    let Some(Qty(Bytes(bytes))) = written else {
        return most;
    };
    if let Some(known) = all.iter().find(|a| u64::from(**a) == bytes) {
        return *known;
    }
    let message = format!("no 802.11{} station can announce this", standard.word());
    let each: Vec<_> = all.iter().map(|a| format!("\"{a} B\"")).collect();
    let what = if standard == Standard::N {
        "the longest A-MSDU that it takes"
    } else {
        "the longest MPDU that it takes"
    };
    report.error(
        &at,
        message,
        format!("write {what}: one of {}", each.join(", ")),
    );
    most
}

/// An A-MSDU is no longer than its receiver takes (10.11 of 802.11-2020).
fn taken(standard: Standard, amsdu: u32, announced: u32, ways: &Ways, report: &mut Report<'_>) {
    // Of the longest MPDU that there is only what fits is used.
    let most = match standard {
        Standard::N => announced,
        _ if announced == VHT_MPDU => VHT_MPDU,
        _ => announced - OVERHEAD,
    };
    if amsdu <= most {
        return;
    }
    let at = ways.get("amsdu", |k| k.amsdu).1;
    let of = ways.get("receiver_amsdu", |k| k.receiver_amsdu).1;
    let holds = match standard {
        Standard::N => String::new(),
        _ => format!(" in an MPDU of {announced} B"),
    };
    let message = format!("the receiver takes A-MSDUs of {most} B at most{holds}: `{of}`");
    let hint =
        format!("write \"{most} B\" at most, or what the receiver announces if it takes more");
    report.error(&at, message, hint);
}

fn checked(
    Bytes(bytes): Bytes,
    format: Format,
    (window, largest, held): (u16, u32, u32),
    at: &Path,
    report: &mut Report<'_>,
) -> u32 {
    let most = format.max_psdu();
    if bytes == 0 {
        let hint = "write \"off\" for single frames".to_string();
        report.error(at, "an A-MPDU of nothing", hint);
    } else if bytes < u64::from(SHORTEST_AMPDU) {
        let message = "no packet at all fits into this A-MPDU";
        let hint = format!("write \"off\" for single frames, or \"{SHORTEST_AMPDU} B\" at least");
        report.error(at, message, hint);
    } else if bytes > u64::from(most) {
        let message = format!("no PSDU of {} is so long", format.name());
        report.error(at, message, format!("write \"{most} B\" at most"));
    } else if bytes > u64::from(held) {
        let s = if window == 1 { "" } else { "s" };
        let message = format!(
            "a block ack window of {window} MPDU{s} of {largest} B at most does not hold this A-MPDU"
        );
        let hint = format!("write \"{held} B\" at most, a larger block_ack_window, or an amsdu");
        report.error(at, message, hint);
    }
    bytes.min(u64::from(most)) as u32
}
