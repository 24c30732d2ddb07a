//! The hosts of a run between whom the network lies.

use super::{Arena, Host};
use crate::network::{Ends, Network};
use crate::record::{Observer, Stimulus};
use acklab_path::packet::{FlowId, Packet};
use acklab_proto::ack::AckReason;
use acklab_proto::datagram::Datagram;
use acklab_proto::transport::Transport;

/// All hosts, by number. The source of flow f is number 2f, its destination 2f + 1: packets from host
/// h are of flow direction h and go to host h ^ 1. Host h is the network's driver's source h.
#[derive(Debug)]
pub struct Hosts<T>(pub Vec<Host<T>>);

impl<T: Transport> Hosts<T> {
    /// Runs what is due at host `i`.
    pub fn wake<O: Observer>(&mut self, network: &mut Network<Arena, O>, i: usize) {
        if self.0[i].on_wakeup(network.now()) {
            self.tell_transport(network, i, Stimulus::Timer);
            self.transmit(network, i);
        }
        network.wake_at(i, self.0[i].next_wakeup());
    }

    /// Puts everything on the wire that host `i` has to send now.
    fn transmit<O: Observer>(&mut self, network: &mut Network<Arena, O>, i: usize) {
        let now = network.now();
        loop {
            loop {
                let due = if O::ACTIVE {
                    self.0[i].transport.ack_due()
                } else {
                    None
                };
                // Read where it was written: moved at once, it would be waited for.
                let next = self.0[i].transport.poll_transmit(now);
                let Some(datagram) = &next else { break };
                self.send(network, i, datagram, due);
                self.tell_transport(network, i, Stimulus::Sending);
            }
            // Sending may raise events (room in the buffer), and they may lead to more to send.
            if !self.0[i].run_app(now) {
                break;
            }
        }
        self.0[i].note_window(now);
    }

    #[inline]
    fn send<O: Observer>(
        &mut self,
        network: &mut Network<Arena, O>,
        i: usize,
        datagram: &Datagram,
        ack_due: Option<AckReason>,
    ) {
        network.store_mut().attach(self.0[i].transport.attachment());
        let size = network.enter(FlowId(i as u32), datagram, ack_due);
        self.0[i].note_sent(datagram, size);
    }

    #[inline]
    fn tell_transport<O: Observer>(
        &self,
        network: &mut Network<Arena, O>,
        i: usize,
        stimulus: Stimulus,
    ) {
        if O::ACTIVE {
            let (now, is) = (network.now(), &self.0[i].transport);
            network.observer_mut().on_transport(now, i, stimulus, is);
        }
    }
}

impl<T: Transport, O: Observer> Ends<Arena, O> for Hosts<T> {
    /// Not inlined: what forwards packets is, and most of them go on to a further link.
    #[inline(never)]
    fn arrived(&mut self, network: &mut Network<Arena, O>, from: usize, packet: Packet) {
        let (i, now) = ((packet.flow.0 ^ 1) as usize, network.now());
        if let Some(set) = self.0[i].transport.tied_timer(now)
            && set < now.saturating_sub(network.links()[from].latency(packet.size))
        {
            self.0[i].on_wakeup(now);
            self.tell_transport(network, i, Stimulus::Timer);
            self.transmit(network, i);
        }
        let datagram = network.take(packet);
        self.0[i].on_datagram(now, &datagram, network.store().attached());
        if O::ACTIVE {
            let is = &self.0[i].transport;
            let (observer, store) = network.observer_and_store();
            observer.on_arrived(now, packet, (&datagram, store.attached()), is);
        }
        self.transmit(network, i);
        network.wake_by(i, self.0[i].next_wakeup());
    }
}
