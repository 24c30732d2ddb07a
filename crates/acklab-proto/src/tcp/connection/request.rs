//! Requests for another acknowledgement rate, on the segments that have room for them.

use super::Connection;
use crate::ack::request::AckOption;
use crate::datagram::Datagram;
use crate::segment::Segment;
use crate::stats::RetransmitCause;
use crate::tcp::sender::Outgoing;

/// Most bytes of options (RFC 9293 section 3.1: the header's 15 words less its fixed 5).
const MAX_OPTIONS: u32 = 40;

impl Connection {
    /// The request of the next new segment; the sending half leaves room for it.
    #[cold]
    pub(super) fn request_due(&mut self) -> Option<AckOption> {
        let snapshot = self.sender.snapshot(&self.cfg);
        let asker = self.asker.as_mut()?;
        if let Some(delay) = asker.agreed(self.sender.una()) {
            self.sender.on_delay_agreed(delay);
        }
        let ask = asker.due(&snapshot, self.sender.una());
        self.sender.reserve(ask.map_or(0, AckOption::padded_len));
        ask
    }

    /// The segment `out` with its request: one for an acknowledgement at once on the last segment
    /// before silence and on probes, otherwise `ask`.
    #[cold]
    pub(super) fn with_request(
        &mut self,
        datagram: Datagram,
        out: Outgoing,
        ask: Option<AckOption>,
    ) -> Datagram {
        let Datagram::Tcp(segment) = datagram else {
            return datagram;
        };
        if out.syn || out.len == 0 {
            return datagram;
        }
        let last = self.sender.nxt() >= self.sender.una().max(1) + self.sender.backlog();
        let Some(asker) = &mut self.asker else {
            return datagram;
        };
        if out.retransmission.is_some() {
            asker.on_retransmitted(out.start);
        }
        let probe = matches!(
            out.retransmission,
            Some(RetransmitCause::Tlp | RetransmitCause::Rto)
        );
        let mss = asker.mss();
        let fits = |ask: &AckOption| {
            out.len + ask.padded_len() <= mss
                && segment.options_len() + ask.padded_len() <= MAX_OPTIONS
        };
        let now = asker.immediate().filter(|_| last || probe).filter(fits);
        let later = ask.filter(|_| out.retransmission.is_none()).filter(fits);
        if let (None, Some(request)) = (now, later) {
            asker.on_sent(request, out.start, self.sender.nxt());
            if let AckOption::Frequency(f) = request {
                self.sender.on_delay_asked(f.max_delay());
            }
        }
        Datagram::Tcp(Segment {
            ask: now.or(later),
            ..segment
        })
    }
}
