//! Clients of the relay: one session for each client of a door.
//!
//! A session has a socket of its own towards the server, as behind a NAT, so that answers find their client.
//! A client that comes from a new address is a new session, and the server sees a new address, too.

use super::socket::Socket;
use acklab_units::{Instant, Span};
use std::collections::HashMap;
use std::net::SocketAddr;

/// A socket for clients, and the server behind it.
#[derive(Debug)]
pub(super) struct Door {
    /// Where it listens.
    pub socket: Socket,
    /// The server behind it.
    pub server: SocketAddr,
    /// The scenario's flow whose way its datagrams go.
    pub like: usize,
}

/// A client and its socket towards the server.
#[derive(Debug)]
pub(super) struct Session {
    /// Number of the door.
    pub door: usize,
    /// Where the client is.
    pub client: SocketAddr,
    /// The socket that the server sees as the client.
    pub socket: Socket,
    /// Its flow on the path.
    pub flow: u32,
    /// When something was last sent or received.
    pub last: Instant,
}

/// All sessions, by number.
#[derive(Debug, Default)]
pub(super) struct Sessions {
    places: Vec<Option<Session>>,
    of_client: HashMap<(usize, SocketAddr), u32>,
    /// Session of each flow number.
    of_flow: Vec<Option<u32>>,
}

impl Sessions {
    /// Number of the session of that client at that door.
    pub fn find(&self, door: usize, client: SocketAddr) -> Option<u32> {
        self.of_client.get(&(door, client)).copied()
    }

    /// Sessions there are.
    pub fn len(&self) -> usize {
        self.of_client.len()
    }

    /// The number that the next session gets.
    pub fn next_number(&self) -> u32 {
        let free = self.places.iter().position(Option::is_none);
        free.unwrap_or(self.places.len()) as u32
    }

    /// Adds a session under the number that was next.
    pub fn add(&mut self, session: Session) {
        let number = self.next_number();
        let flow = session.flow as usize;
        self.of_client
            .insert((session.door, session.client), number);
        if self.of_flow.len() <= flow {
            self.of_flow.resize(flow + 1, None);
        }
        self.of_flow[flow] = Some(number);
        match self.places.get_mut(number as usize) {
            Some(place) => *place = Some(session),
            None => self.places.push(Some(session)),
        }
    }

    /// The session of that number.
    pub fn get(&self, number: u32) -> Option<&Session> {
        self.places.get(number as usize)?.as_ref()
    }

    /// The same, to be changed.
    pub fn get_mut(&mut self, number: u32) -> Option<&mut Session> {
        self.places.get_mut(number as usize)?.as_mut()
    }

    /// The session of that flow.
    pub fn of_flow(&self, flow: u32) -> Option<&Session> {
        self.get((*self.of_flow.get(flow as usize)?)?)
    }

    /// Removes those that have been silent for `idle` at `now`, and gives each to `gone`.
    pub fn expire(&mut self, now: Instant, idle: Span, mut gone: impl FnMut(Session)) {
        for place in &mut self.places {
            if let Some(session) = place.take_if(|s| now.saturating_since(s.last) >= idle) {
                self.of_client.remove(&(session.door, session.client));
                self.of_flow[session.flow as usize] = None;
                gone(session);
            }
        }
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &Session> {
        self.places.iter().flatten()
    }
}
