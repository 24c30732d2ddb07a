//! Request and response over one connection.

use super::{Outbox, Progress};
use acklab_proto::endpoint::Event;
use acklab_proto::transport::Socket;
use acklab_units::{Instant, Span};

/// Sends a request, reads the response, pauses, and asks again.
#[derive(Debug)]
pub struct Client {
    request: u64,
    response: u64,
    think: Span,
    /// Exchanges still to be begun; `u64::MAX` = without end.
    remaining: u64,
    outbox: Outbox,
    /// When the current request was made, and how many bytes of its response are missing.
    waiting: Option<(Instant, u64)>,
    next_request: Option<Instant>,
    progress: Progress,
}

impl Client {
    pub(super) fn new(request: u64, response: u64, think: Span, count: Option<u64>) -> Self {
        Self {
            request,
            response,
            think,
            remaining: count.unwrap_or(u64::MAX),
            outbox: Outbox::default(),
            waiting: None,
            next_request: None,
            progress: Progress::default(),
        }
    }

    pub(super) fn on_event<S: Socket>(&mut self, now: Instant, event: Event, socket: &mut S) {
        match event {
            Event::Connected => self.ask(now, socket),
            Event::Writable => self.outbox.flush(socket),
            Event::Readable { .. } => self.read(now, socket),
            Event::Closed | Event::Reset | Event::TimedOut => self.next_request = None,
            Event::PeerClosed => {}
        }
    }

    pub(super) fn on_wakeup<S: Socket>(&mut self, now: Instant, socket: &mut S) {
        if self.next_request.is_some_and(|at| at <= now) {
            self.next_request = None;
            self.ask(now, socket);
        }
    }

    pub(super) fn next_wakeup(&self) -> Option<Instant> {
        self.next_request
    }

    pub(super) fn progress(&self) -> Progress {
        self.progress
    }

    fn ask<S: Socket>(&mut self, now: Instant, socket: &mut S) {
        if self.remaining == 0 {
            self.progress.done_at.get_or_insert(now);
            socket.close(now);
            return;
        }
        if self.remaining < u64::MAX {
            self.remaining -= 1;
        }
        self.waiting = Some((now, self.response));
        self.outbox.push(self.request, socket);
    }

    fn read<S: Socket>(&mut self, now: Instant, socket: &mut S) {
        let bytes = socket.read(now, u64::MAX);
        self.progress.received += bytes;
        let Some((asked, missing)) = &mut self.waiting else {
            return;
        };
        *missing = missing.saturating_sub(bytes);
        if *missing == 0 {
            let took = now - *asked;
            self.waiting = None;
            self.on_response(now, took, socket);
        }
    }

    fn on_response<S: Socket>(&mut self, now: Instant, took: Span, socket: &mut S) {
        self.progress.exchanges += 1;
        self.progress.exchange_total += took;
        self.progress.exchange_max = self.progress.exchange_max.max(took);
        if self.remaining == 0 || self.think.is_zero() {
            self.ask(now, socket);
        } else {
            self.next_request = Some(now.saturating_add(self.think));
        }
    }
}

/// Answers each complete request with a response, and closes when the client has.
#[derive(Debug)]
pub struct Server {
    request: u64,
    response: u64,
    /// Bytes of the request that is coming in.
    partial: u64,
    outbox: Outbox,
    progress: Progress,
}

impl Server {
    pub(super) fn new(request: u64, response: u64) -> Self {
        Self {
            request,
            response,
            partial: 0,
            outbox: Outbox::default(),
            progress: Progress::default(),
        }
    }

    pub(super) fn on_event<S: Socket>(&mut self, now: Instant, event: Event, socket: &mut S) {
        match event {
            Event::Readable { .. } => self.read(now, socket),
            Event::Writable => self.outbox.flush(socket),
            Event::PeerClosed => {
                self.progress.done_at.get_or_insert(now);
                socket.close(now);
            }
            _ => {}
        }
    }

    pub(super) fn progress(&self) -> Progress {
        self.progress
    }

    fn read<S: Socket>(&mut self, now: Instant, socket: &mut S) {
        let bytes = socket.read(now, u64::MAX);
        self.progress.received += bytes;
        self.partial += bytes;
        // A request without bytes would never be complete; it counts as one byte.
        let whole = self.request.max(1);
        let complete = self.partial / whole;
        self.partial %= whole;
        self.progress.exchanges += complete;
        self.outbox.push(complete * self.response, socket);
    }
}

#[cfg(test)]
mod tests {
    use super::super::fake::FakeSocket;
    use super::*;

    fn at(ms: u64) -> Instant {
        Instant::ZERO + Span::from_millis(ms)
    }

    const READABLE: Event = Event::Readable { bytes: 0 };

    #[test]
    fn a_client_asks_waits_thinks_and_asks_again() {
        let mut socket = FakeSocket {
            room: u64::MAX,
            ..FakeSocket::default()
        };
        let mut client = Client::new(100, 1000, Span::from_millis(50), Some(2));
        client.on_event(at(0), Event::Connected, &mut socket);
        assert_eq!(socket.written, 100);
        socket.inbox = 600;
        client.on_event(at(10), READABLE, &mut socket);
        assert_eq!(client.next_wakeup(), None);
        socket.inbox = 400;
        client.on_event(at(12), READABLE, &mut socket);
        assert_eq!(client.next_wakeup(), Some(at(62)));
        client.on_wakeup(at(62), &mut socket);
        assert_eq!(socket.written, 200);
        socket.inbox = 1000;
        client.on_event(at(70), READABLE, &mut socket);
        let p = client.progress();
        assert_eq!(
            (p.exchanges, p.done_at, socket.closed),
            (2, Some(at(70)), Some(at(70)))
        );
        assert_eq!(
            (p.exchange_total, p.exchange_max),
            (Span::from_millis(20), Span::from_millis(12))
        );
    }

    #[test]
    fn a_server_answers_whole_requests_only() {
        let mut socket = FakeSocket {
            room: 1500,
            inbox: 250,
            ..FakeSocket::default()
        };
        let mut server = Server::new(100, 1000);
        server.on_event(at(0), READABLE, &mut socket);
        assert_eq!(
            socket.written, 1500,
            "two answers are due, the buffer takes less"
        );
        socket.room = 9999;
        server.on_event(at(1), Event::Writable, &mut socket);
        assert_eq!(socket.written, 2000);
        socket.inbox = 50;
        server.on_event(at(2), READABLE, &mut socket);
        assert_eq!(socket.written, 3000);
    }
}
