//! Whether what a sender is to ask of its peer's ACKs can be asked.

use super::super::diagnostics::Report;
use super::super::path::Path;
use super::super::spec::ProfileWord;
use acklab_proto::tcp::TcpConfig;
use acklab_proto::tcp::config::AckChoice;
use acklab_units::Span;

/// The conditions of a policy driven by the sender, beyond the range of each parameter.
pub(super) fn check(ack: &AckChoice, tcp: &TcpConfig, at: &Path, report: &mut Report) {
    let name = ack.entry.name;
    if !matches!(name, "tarr" | "ack-frequency") {
        return;
    }
    if !tcp.dialect().asks_for_acks {
        let profile = ProfileWord::of(tcp.profile);
        let message = format!(
            "`{name}` needs a sender that asks, and that of profile \"{profile}\" never does"
        );
        let hint = "write profile = \"linux\" or \"rfc\" for this flow, or `delayed`".to_string();
        report.error(at, message, hint);
    }
    if name == "ack-frequency" {
        check_delays(ack, at, report);
    }
}

/// QUIC closes the connection for such a request (draft-ietf-quic-ack-frequency section 4).
fn check_delays(ack: &AckChoice, at: &Path, report: &mut Report) {
    let shortest = ack.params.span("min_delay").unwrap_or(Span::ZERO);
    let Some(asked) = ack.params.span("max_delay").filter(|d| *d < shortest) else {
        return;
    };
    let message = format!(
        "`max_delay` ({asked}) is shorter than the receiver can keep, `min_delay` ({shortest})"
    );
    let hint = format!("write at least \"{shortest}\", or lower `min_delay`");
    report.error(&at.key("max_delay"), message, hint);
}
