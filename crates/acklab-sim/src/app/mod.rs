//! Applications: what a flow carries.
//!
//! An application is a state machine between the events of its socket and a timer of its own. Both
//! ends of a flow have one: a source and its sink, or a client and its server.

mod bulk;
mod on_off;
mod request;
mod sink;
mod video;

pub use bulk::Bulk;
pub use on_off::OnOff;
pub use request::{Client, Server};
pub use sink::Sink;
pub use video::{Player, Source, VideoSummary};

use crate::plan::AppPlan;
use acklab_proto::endpoint::Event;
use acklab_proto::rng::Rng;
use acklab_proto::transport::Socket;
use acklab_units::{Instant, Span};

/// One end's application.
#[derive(Debug)]
pub enum App {
    /// Sends as fast as it can.
    Bulk(Bulk),
    /// Sends in bursts.
    OnOff(OnOff),
    /// Asks.
    Client(Client),
    /// Answers.
    Server(Server),
    /// Reads.
    Sink(Sink),
    /// Films.
    Source(Box<Source>),
    /// Shows it.
    Player(Box<Player>),
}

/// How far an application has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Bytes read.
    pub received: u64,
    /// When it had done all it was to do.
    pub done_at: Option<Instant>,
    /// Exchanges completed.
    pub exchanges: u64,
    /// Time from request to the end of the response, summed over the exchanges.
    pub exchange_total: Span,
    /// The longest such time.
    pub exchange_max: Span,
    /// Bytes that found the send buffer full and were lost; `None` for an application that keeps them.
    pub dropped: Option<u64>,
}

impl App {
    /// The applications at the source and at the destination of a flow that opens at `start`. Draws
    /// come from `rng`.
    pub fn pair(plan: &AppPlan, start: Instant, rng: Rng) -> (Self, Self) {
        match *plan {
            AppPlan::Bulk { bytes, until } => (
                Self::Bulk(Bulk::new(bytes, until)),
                Self::Sink(Sink::new(bytes)),
            ),
            AppPlan::OnOff {
                rate,
                on,
                off,
                chunk,
                random,
                when_full,
            } => {
                let shape = on_off::Shape {
                    rate,
                    on,
                    off,
                    chunk,
                    random,
                    when_full,
                };
                (
                    Self::OnOff(OnOff::new(shape, rng)),
                    Self::Sink(Sink::new(None)),
                )
            }
            AppPlan::RequestResponse {
                request,
                response,
                think,
                count,
            } => (
                Self::Client(Client::new(request, response, think, count)),
                Self::Server(Server::new(request, response)),
            ),
            AppPlan::Video(plan) => (
                Self::Source(Box::new(Source::new(plan, start, rng.clone()))),
                Self::Player(Box::new(Player::new(plan, start, rng))),
            ),
        }
    }

    /// Something happened to the connection.
    #[inline]
    pub fn on_event<S: Socket>(&mut self, now: Instant, event: Event, socket: &mut S) {
        match self {
            Self::Bulk(a) => a.on_event(now, event, socket),
            Self::OnOff(a) => a.on_event(now, event, socket),
            Self::Client(a) => a.on_event(now, event, socket),
            Self::Server(a) => a.on_event(now, event, socket),
            Self::Sink(a) => a.on_event(now, event, socket),
            Self::Source(a) => a.on_event(now, event, socket),
            Self::Player(a) => a.on_event(now, event, socket),
        }
    }

    /// The application's timer, at or after [`App::next_wakeup`].
    pub fn on_wakeup<S: Socket>(&mut self, now: Instant, socket: &mut S) {
        match self {
            Self::Bulk(a) => a.on_wakeup(now, socket),
            Self::OnOff(a) => a.on_wakeup(now, socket),
            Self::Client(a) => a.on_wakeup(now, socket),
            Self::Source(a) => a.on_wakeup(now, socket),
            Self::Player(a) => a.on_wakeup(now),
            Self::Server(_) | Self::Sink(_) => {}
        }
    }

    /// When [`App::on_wakeup`] must be called.
    #[inline(always)]
    pub fn next_wakeup(&self) -> Option<Instant> {
        match self {
            Self::Bulk(a) => a.next_wakeup(),
            Self::OnOff(a) => a.next_wakeup(),
            Self::Client(a) => a.next_wakeup(),
            Self::Source(a) => a.next_wakeup(),
            Self::Player(a) => a.next_wakeup(),
            Self::Server(_) | Self::Sink(_) => None,
        }
    }

    /// How far it has come.
    pub fn progress(&self) -> Progress {
        match self {
            Self::Bulk(_) | Self::Source(_) => Progress::default(),
            Self::OnOff(a) => a.progress(),
            Self::Client(a) => a.progress(),
            Self::Server(a) => a.progress(),
            Self::Sink(a) => a.progress(),
            Self::Player(a) => a.progress(),
        }
    }

    /// The viewer's experience until `end`; `None` if there is no player.
    pub fn video(&self, end: Instant) -> Option<VideoSummary> {
        match self {
            Self::Player(a) => Some(a.summary(end)),
            _ => None,
        }
    }
}

/// Whether the bytes that a flow is about travel from its source to its destination. In request
/// and response they travel in the direction of the larger of the two.
pub fn data_flows_forward(plan: &AppPlan) -> bool {
    match *plan {
        AppPlan::Bulk { .. } | AppPlan::OnOff { .. } | AppPlan::Video(_) => true,
        AppPlan::RequestResponse {
            request, response, ..
        } => request > response,
    }
}

/// Bytes that wait for room in the send buffer.
#[derive(Debug, Default)]
struct Outbox {
    pending: u64,
}

impl Outbox {
    fn push<S: Socket>(&mut self, bytes: u64, socket: &mut S) {
        self.pending = self.pending.saturating_add(bytes);
        self.flush(socket);
    }

    fn flush<S: Socket>(&mut self, socket: &mut S) {
        if self.pending > 0 {
            self.pending -= socket.write(self.pending);
        }
    }
}

#[cfg(test)]
mod fake {
    use acklab_proto::transport::Socket;
    use acklab_units::Instant;

    /// A socket whose send buffer has `room` and whose receive buffer holds `inbox`.
    #[derive(Debug, Default)]
    pub struct FakeSocket {
        pub room: u64,
        pub inbox: u64,
        pub written: u64,
        pub closed: Option<Instant>,
    }

    impl Socket for FakeSocket {
        fn write(&mut self, bytes: u64) -> u64 {
            let n = bytes.min(self.room);
            self.room -= n;
            self.written += n;
            n
        }

        fn read(&mut self, _now: Instant, max: u64) -> u64 {
            let n = max.min(self.inbox);
            self.inbox -= n;
            n
        }

        fn close(&mut self, now: Instant) {
            assert_eq!(self.closed.replace(now), None, "closed twice");
        }
    }
}
