//! One end of a flow: a transport and the application on top of it.

use crate::app::{App, Progress, VideoSummary};
use crate::record::{FlowEnd, TimeMean, Traffic};
use acklab_proto::datagram::Datagram;
use acklab_proto::transport::Transport;
use acklab_units::Instant;

/// A transport endpoint with its application.
#[derive(Debug)]
pub struct Host<T> {
    /// The transport.
    pub transport: T,
    /// The application.
    pub app: App,
    /// When the connection is to be opened; `None` afterwards, and at the passive end.
    opens_at: Option<Instant>,
    /// Time-weighted mean of the congestion window in bytes, where it is of interest.
    pub window: Option<TimeMean>,
    /// Its counters.
    pub traffic: Traffic,
}

impl<T: Transport> Host<T> {
    /// A host that opens its connection at `opens_at`, or waits for the other end to do so.
    pub fn new(transport: T, app: App, opens_at: Option<Instant>) -> Self {
        Self {
            transport,
            app,
            opens_at,
            window: None,
            traffic: Traffic::default(),
        }
    }

    /// A packet arrived, with the bytes beside it.
    #[inline]
    pub fn on_datagram(&mut self, now: Instant, datagram: &Datagram, attachment: &[u8]) {
        self.traffic.acks_in += u64::from(datagram.is_pure_feedback());
        self.transport.on_datagram_with(now, datagram, attachment);
        self.run_app(now);
    }

    /// Runs what is due at `now`. Says whether anything was: a wake may have been left behind by a
    /// timer that was pushed or stopped since.
    pub fn on_wakeup(&mut self, now: Instant) -> bool {
        let due = |at: Option<Instant>| at.is_some_and(|at| at <= now);
        let mut any = false;
        if due(self.opens_at) {
            any = true;
            self.opens_at = None;
            self.transport.open(now);
        }
        if due(self.transport.next_timeout()) {
            any = true;
            self.transport.on_timeout(now);
        }
        if due(self.app.next_wakeup()) {
            any = true;
            self.app.on_wakeup(now, &mut self.transport);
        }
        if any {
            self.run_app(now);
        }
        any
    }

    /// The packet was sent, with `size` bytes from the IP header on.
    #[inline]
    pub fn note_sent(&mut self, datagram: &Datagram, size: u32) {
        self.traffic.data_packets += u64::from(datagram.carries_data());
        self.traffic.acks_out += u64::from(datagram.is_pure_feedback());
        self.traffic.wire_bytes += u64::from(size);
    }

    /// When [`Host::on_wakeup`] must be called.
    #[inline]
    pub fn next_wakeup(&self) -> Option<Instant> {
        let never = Instant::MAX;
        let at = self
            .opens_at
            .unwrap_or(never)
            .min(self.transport.next_timeout().unwrap_or(never))
            .min(self.app.next_wakeup().unwrap_or(never));
        (at < never).then_some(at)
    }

    /// Tells the application what happened; says whether anything had.
    #[inline]
    pub fn run_app(&mut self, now: Instant) -> bool {
        let mut any = false;
        while let Some(event) = self.transport.poll_event() {
            any = true;
            self.app.on_event(now, event, &mut self.transport);
        }
        any
    }

    /// Everything that could be sent now was.
    #[inline]
    pub fn note_window(&mut self, now: Instant) {
        if let Some(mean) = &mut self.window {
            mean.set(now, self.transport.cwnd());
        }
    }
}

impl<T: Transport> FlowEnd for Host<T> {
    type Transport = T;

    fn transport(&self) -> &T {
        &self.transport
    }

    fn progress(&self) -> Progress {
        self.app.progress()
    }

    fn video(&self, end: Instant) -> Option<VideoSummary> {
        self.app.video(end)
    }

    fn traffic(&self) -> Traffic {
        self.traffic
    }

    fn window(&self) -> Option<TimeMean> {
        self.window
    }
}
