//! The sessions of a driver, by slot and by id, and when each wants to be called.

use super::wake::{Key, SessionBell};
use crate::connection::Tie;
use crate::handshake::network;
use crate::id::Id;
use crate::session::Session;
use acklab_units::Instant;
use std::collections::{BTreeSet, HashMap, VecDeque};
use std::net::SocketAddr;
use std::sync::Arc;

/// A session, and what the driver keeps of it.
pub struct Tenant {
    /// The session.
    pub session: Session,
    /// How its application rings.
    pub bell: Arc<SessionBell>,
    /// The connection that the application gets once the client was heard.
    pub tie: Option<Tie>,
    tenant: u32,
    armed: Option<Instant>,
    queued: bool,
    /// The client's address and id, while its INITIAL may be repeated.
    pub knocked: Option<(SocketAddr, Id)>,
}

/// The sessions.
#[derive(Default)]
pub struct Table {
    slots: Vec<Option<Box<Tenant>>>,
    free: Vec<u32>,
    tenants: u32,
    ids: HashMap<Id, u32>,
    knocks: HashMap<(SocketAddr, Id), u32>,
    /// Half-open sessions by the network that they came from.
    networks: HashMap<u64, u32>,
    /// Half-open sessions in the order in which they came, and some that are so no more.
    half_open: VecDeque<Key>,
    timers: BTreeSet<(Instant, u32)>,
    queue: VecDeque<u32>,
}

impl Table {
    /// Sessions.
    pub fn len(&self) -> usize {
        self.slots.len() - self.free.len()
    }

    /// Sessions of clients that were answered and not heard since.
    pub fn half_open(&self) -> usize {
        self.knocks.len()
    }

    /// A key for a session that is about to be made.
    pub fn reserve(&self) -> Key {
        let slot = self.free.last().copied().unwrap_or(self.slots.len() as u32);
        Key {
            slot,
            tenant: self.tenants,
        }
    }

    /// Puts a session at a reserved key.
    pub fn insert(
        &mut self,
        key: Key,
        session: Session,
        bell: Arc<SessionBell>,
        knocked: Option<(SocketAddr, Id)>,
        tie: Option<Tie>,
    ) {
        self.tenants = self.tenants.wrapping_add(1);
        self.ids.insert(session.local(), key.slot);
        if let Some(k) = knocked {
            self.knocks.insert(k, key.slot);
            *self.networks.entry(network(k.0)).or_default() += 1;
            self.half_open.push_back(key);
            // Those that are half open no more go once they are the majority.
            if self.half_open.len() > 2 * self.knocks.len() + 16 {
                self.forget_opened();
            }
        }
        let tenant = Some(Box::new(Tenant {
            session,
            bell,
            tie,
            tenant: key.tenant,
            armed: None,
            queued: false,
            knocked,
        }));
        if self.free.pop().is_some() {
            self.slots[key.slot as usize] = tenant;
        } else {
            self.slots.push(tenant);
        }
    }

    /// The session in a slot.
    pub fn at(&mut self, slot: u32) -> Option<&mut Tenant> {
        self.slots.get_mut(slot as usize)?.as_deref_mut()
    }

    /// The session of a key, if it is still that one.
    pub fn get(&mut self, key: Key) -> Option<&mut Tenant> {
        self.at(key.slot).filter(|t| t.tenant == key.tenant)
    }

    /// The slot of an id.
    pub fn by_id(&self, id: Id) -> Option<u32> {
        self.ids.get(&id).copied()
    }

    /// The slot of a client that was answered before.
    pub fn by_knock(&self, from: SocketAddr, id: Id) -> Option<u32> {
        self.knocks.get(&(from, id)).copied()
    }

    /// Half-open sessions of the client that has this id, from whatever addresses.
    pub fn knocks_of(&self, id: Id) -> usize {
        self.knocks.keys().filter(|k| k.1 == id).count()
    }

    /// The client has proved that it hears us.
    pub fn forget_knock(&mut self, slot: u32) {
        if let Some(k) = self.at(slot).and_then(|t| t.knocked.take()) {
            self.knocks.remove(&k);
            let of = network(k.0);
            if let Some(n) = self.networks.get_mut(&of) {
                *n -= 1;
                if *n == 0 {
                    self.networks.remove(&of);
                }
            }
        }
    }

    /// Half-open sessions from the network of that address.
    pub fn half_open_of(&self, address: SocketAddr) -> u32 {
        self.networks.get(&network(address)).copied().unwrap_or(0)
    }

    fn knocks_still(&self, key: Key) -> bool {
        let tenant = self.slots.get(key.slot as usize).and_then(Option::as_ref);
        tenant.is_some_and(|t| t.tenant == key.tenant && t.knocked.is_some())
    }

    fn forget_opened(&mut self) {
        let mut keys = std::mem::take(&mut self.half_open);
        keys.retain(|&k| self.knocks_still(k));
        self.half_open = keys;
    }

    /// The half-open session that came first.
    pub fn oldest_half_open(&mut self) -> Option<u32> {
        while let Some(&key) = self.half_open.front() {
            if self.knocks_still(key) {
                return Some(key.slot);
            }
            self.half_open.pop_front();
        }
        None
    }

    /// Removes a session.
    pub fn remove(&mut self, slot: u32) -> Option<Box<Tenant>> {
        self.forget_knock(slot);
        let tenant = self.slots.get_mut(slot as usize)?.take()?;
        self.ids.remove(&tenant.session.local());
        if let Some(at) = tenant.armed {
            self.timers.remove(&(at, slot));
        }
        self.free.push(slot);
        Some(tenant)
    }

    /// The session in the slot is to be asked for packets.
    pub fn enqueue(&mut self, slot: u32) {
        if let Some(t) = self.at(slot)
            && !std::mem::replace(&mut t.queued, true)
        {
            self.queue.push_back(slot);
        }
    }

    /// Sessions that are to be asked for packets.
    pub fn queued(&self) -> usize {
        self.queue.len()
    }

    /// The next of them.
    pub fn dequeue(&mut self) -> Option<u32> {
        loop {
            let slot = self.queue.pop_front()?;
            if let Some(t) = self.at(slot)
                && std::mem::take(&mut t.queued)
            {
                return Some(slot);
            }
        }
    }

    /// Notes when the session wants to be called.
    pub fn arm(&mut self, slot: u32) {
        let Some(t) = self.slots.get_mut(slot as usize).and_then(Option::as_mut) else {
            return;
        };
        let at = t.session.next_timeout();
        if at == t.armed {
            return;
        }
        if let Some(old) = std::mem::replace(&mut t.armed, at) {
            self.timers.remove(&(old, slot));
        }
        if let Some(at) = at {
            self.timers.insert((at, slot));
        }
    }

    /// When the first of them does.
    pub fn next_timeout(&self) -> Option<Instant> {
        self.timers.first().map(|t| t.0)
    }

    /// A session whose time has come.
    pub fn due(&mut self, now: Instant) -> Option<u32> {
        let &(at, slot) = self.timers.first()?;
        if at > now {
            return None;
        }
        self.timers.pop_first();
        if let Some(t) = self.at(slot) {
            t.armed = None;
        }
        Some(slot)
    }

    /// Every slot that is taken.
    pub fn slots(&self) -> Vec<u32> {
        let taken = |(n, t): (usize, &Option<Box<Tenant>>)| t.as_ref().map(|_| n as u32);
        self.slots.iter().enumerate().filter_map(taken).collect()
    }
}
