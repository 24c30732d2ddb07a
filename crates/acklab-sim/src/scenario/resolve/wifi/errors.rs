//! Errors of MPDUs on a way, and ACKs that ride in their answers.

use super::super::super::diagnostics::Report;
use super::super::super::spec::{ErrorsWord, HackTable};
use super::layers::Ways;
use super::rate::Rate;
use acklab_path::wifi::medium::CarriedAcks;
use acklab_path::wifi::phy::ErrorModel;
use acklab_path::wifi::rate::registry::Rule;
use acklab_units::{Bytes, Span};

/// Longest TCP ACK uncompressed.
const LONGEST_ACK: u64 = 80;
/// Much longer than any packet lives in a station.
const MOST_PATIENCE: Span = Span::from_secs(10);

/// The error model: the inner table's word counts; where stations are in space, the signal decides
/// unless something else is written.
pub(super) fn resolve(
    ways: &Ways,
    rate: Option<&Rate>,
    in_space: bool,
    report: &mut Report<'_>,
) -> ErrorModel {
    let written = ways
        .iter()
        .find(|(k, _)| k.bit_error_rate.is_some() || k.errors.is_some());
    let errors = match written.map(|(k, path)| (k.bit_error_rate, k.errors, path)) {
        Some((Some(_), Some(_), path)) => {
            let message = "`errors` and `bit_error_rate` set the same thing";
            let hint = "leave one of them out".to_string();
            report.error(&path.key("errors"), message, hint);
            return ErrorModel::None;
        }
        Some((Some(p), None, _)) if p.0 > 0.0 => ErrorModel::Ber(p.0),
        Some((None, Some(ErrorsWord::Snr), path)) if !in_space => {
            let hint = "write where the stations are: [wifi.space] with `ring`, `line` or `place`";
            let message = "errors by signal need the positions of stations";
            report.error(&path.key("errors"), message, hint.to_string());
            return ErrorModel::None;
        }
        Some((None, Some(ErrorsWord::Snr), _)) => ErrorModel::Snr,
        Some(_) => ErrorModel::None,
        None if in_space => ErrorModel::Snr,
        None => ErrorModel::None,
    };
    let by_signal = rate.is_some_and(|r| matches!(r.control.build(), Rule::Ideal { .. }));
    if by_signal && errors != ErrorModel::Snr {
        let at = ways
            .get("rate_control", |k| k.rate_control.as_ref().map(|_| ()))
            .1;
        let (message, hint) = if in_space {
            (
                "`ideal` chooses by the signal, and errors here do not",
                "write errors = \"snr\", or rate_control = \"minstrel\"",
            )
        } else {
            (
                "`ideal` chooses by the signal, and without positions there is none",
                "write where the stations are: [wifi.space] with `ring`, `line` or `place`; or \
                 rate_control = \"minstrel\"",
            )
        };
        report.error(&at, message, hint.to_string());
    }
    errors
}

/// How answers carry ACKs, if they do.
pub(super) fn hack(ways: &Ways, report: &mut Report<'_>) -> Option<CarriedAcks> {
    let (written, at) = ways.get("hack", |k| k.hack);
    let HackTable {
        ack_size,
        most,
        patience,
        reserve,
    } = written?.0?;
    let default = CarriedAcks::HACK;
    let Bytes(bytes) = ack_size.map_or(Bytes(u64::from(default.bytes)), |s| s.0);
    if !(1..=LONGEST_ACK).contains(&bytes) {
        let hint = format!("write \"1 B\" to \"{LONGEST_ACK} B\"");
        report.error(
            &at.key("ack_size"),
            "out of range for a compressed ACK",
            hint,
        );
    }
    let most = most.unwrap_or(u32::from(default.most));
    if !(1..=u32::from(u16::MAX)).contains(&most) {
        let hint = "write 1 to 65535, or hack = false".to_string();
        report.error(&at.key("most"), "out of range", hint);
    }
    let patience = patience.map_or(default.patience, |p| p.0);
    if patience.is_zero() || patience > MOST_PATIENCE {
        let hint = format!("write a time above zero, \"{MOST_PATIENCE}\" at most");
        report.error(&at.key("patience"), "out of range", hint);
    }
    Some(CarriedAcks {
        bytes: bytes as u32,
        most: most.min(u32::from(u16::MAX)) as u16,
        patience,
        reserve: reserve.unwrap_or(default.reserve),
    })
}
