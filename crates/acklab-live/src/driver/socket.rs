//! A UDP socket with segmentation and coalescing by the kernel.

use crate::session::{Batch, Part};
use acklab_proto::segment::Ecn;
use quinn_udp::{EcnCodepoint, RecvMeta, Transmit, UdpSocketState};
use socket2::{Domain, Protocol, Socket, Type};
use std::io::{self, IoSliceMut};
use std::net::SocketAddr;

/// Bytes of a receive buffer: as much as the kernel puts together.
const RECV_BUFFER: usize = 64 * 1024;
/// Receive buffers that one call fills.
const RECV_BATCH: usize = 8;

/// A bound socket.
#[derive(Debug)]
pub struct Udp {
    socket: mio::net::UdpSocket,
    state: UdpSocketState,
    buffers: Vec<u8>,
    meta: [RecvMeta; RECV_BATCH],
}

/// Packets that arrived together from one address.
#[derive(Clone, Copy, Debug)]
pub struct Arrived {
    /// Where from.
    pub from: SocketAddr,
    /// Where they begin in the buffers.
    pub start: usize,
    /// Their bytes.
    pub len: usize,
    /// Bytes of each; the last one may have fewer.
    pub stride: usize,
    /// Their mark.
    pub ecn: Ecn,
}

const fn ecn_in(mark: Option<EcnCodepoint>) -> Ecn {
    match mark {
        None => Ecn::NotEct,
        Some(EcnCodepoint::Ect0) => Ecn::Ect0,
        Some(EcnCodepoint::Ect1) => Ecn::Ect1,
        Some(EcnCodepoint::Ce) => Ecn::Ce,
    }
}

const fn ecn_out(mark: Ecn) -> Option<EcnCodepoint> {
    match mark {
        Ecn::NotEct => None,
        Ecn::Ect0 => Some(EcnCodepoint::Ect0),
        Ecn::Ect1 => Some(EcnCodepoint::Ect1),
        Ecn::Ce => Some(EcnCodepoint::Ce),
    }
}

impl Udp {
    /// A socket bound to `address`, with buffers of `size` bytes if the system allows them.
    ///
    /// # Errors
    /// If the address is taken or not this machine's.
    pub fn bind(address: SocketAddr, size: usize) -> io::Result<Self> {
        let domain = Domain::for_address(address);
        let socket = Socket::new(domain, Type::DGRAM, Some(Protocol::UDP))?;
        // The system cuts a size that it does not allow to its own limit.
        let _ = socket.set_recv_buffer_size(size);
        let _ = socket.set_send_buffer_size(size);
        socket.bind(&address.into())?;
        let socket: std::net::UdpSocket = socket.into();
        let state = UdpSocketState::new((&socket).into())?;
        Ok(Self {
            state,
            socket: mio::net::UdpSocket::from_std(socket),
            buffers: vec![0; RECV_BUFFER * RECV_BATCH],
            meta: [RecvMeta::default(); RECV_BATCH],
        })
    }

    /// Where it is bound.
    ///
    /// # Errors
    /// The system's.
    pub fn local_addr(&self) -> io::Result<SocketAddr> {
        self.socket.local_addr()
    }

    /// For registering it.
    pub const fn source(&mut self) -> &mut mio::net::UdpSocket {
        &mut self.socket
    }

    /// Packets that one call may send.
    pub fn segments(&self) -> usize {
        self.state.max_gso_segments()
    }

    /// Takes what has arrived, in `out`.
    ///
    /// # Errors
    /// `WouldBlock` if there is nothing.
    pub fn recv(&mut self, out: &mut Vec<Arrived>) -> io::Result<()> {
        out.clear();
        let mut chunks = self.buffers.chunks_mut(RECV_BUFFER);
        let mut slices: [IoSliceMut<'_>; RECV_BATCH] =
            std::array::from_fn(|_| IoSliceMut::new(chunks.next().unwrap_or_default()));
        let count = self
            .state
            .recv((&self.socket).into(), &mut slices, &mut self.meta)?;
        for (n, meta) in self.meta[..count].iter().enumerate() {
            out.push(Arrived {
                from: meta.addr,
                start: n * RECV_BUFFER,
                len: meta.len,
                stride: meta.stride.max(1),
                ecn: ecn_in(meta.ecn),
            });
        }
        Ok(())
    }

    /// The bytes of packets that arrived.
    pub fn bytes(&mut self, start: usize, len: usize) -> &mut [u8] {
        &mut self.buffers[start..start + len]
    }

    /// Sends neighbouring packets of a batch from `first` on that the kernel can take at once; returns how
    /// many those are.
    ///
    /// # Errors
    /// `WouldBlock` if the kernel's buffer is full.
    pub fn send(&self, batch: &Batch, first: usize) -> io::Result<usize> {
        let parts = &batch.parts()[first..];
        let count = run(parts, self.segments());
        let Some(head) = parts.first() else {
            return Ok(0);
        };
        let len: usize = parts[..count].iter().map(|p| p.len).sum();
        let transmit = Transmit {
            destination: head.to,
            ecn: ecn_out(head.ecn),
            contents: batch.bytes(head.start, len),
            segment_size: (count > 1).then_some(head.len),
            src_ip: None,
        };
        match self.state.try_send((&self.socket).into(), &transmit) {
            Err(e) if e.kind() == io::ErrorKind::WouldBlock => Err(e),
            // A packet that cannot be sent is lost, as on any path: the protocol finds out.
            _ => Ok(count),
        }
    }
}

/// Packets from the front on that can leave as one: the same address, mark and length, the last one maybe
/// shorter.
fn run(parts: &[Part], most: usize) -> usize {
    let Some(head) = parts.first() else {
        return 0;
    };
    if head.probe {
        // The system may refuse it, and with it what would leave together.
        return 1;
    }
    let mut count = 0;
    for p in parts.iter().take(most.max(1)) {
        let alike = p.to == head.to && p.ecn == head.ecn && p.len <= head.len && !p.probe;
        if !alike {
            break;
        }
        count += 1;
        if p.len < head.len {
            break;
        }
    }
    count.max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lengths(parts: &[(u16, usize)], most: usize) -> Vec<usize> {
        let mut batch = Batch::new(64, 1500);
        for (port, len) in parts {
            batch.push(([127, 0, 0, 1], *port).into(), &vec![0; *len]);
        }
        let (mut at, mut runs) = (0, Vec::new());
        while at < parts.len() {
            runs.push(run(&batch.parts()[at..], most));
            at += runs[runs.len() - 1];
        }
        runs
    }

    #[test]
    fn packets_of_one_length_leave_together_and_a_shorter_one_ends_them() {
        let full = (1, 1400);
        assert_eq!(lengths(&[full; 10], 64), [10]);
        assert_eq!(lengths(&[full, full, (1, 90), full], 64), [3, 1]);
        assert_eq!(lengths(&[(1, 90), full, full], 64), [1, 2]);
        assert_eq!(lengths(&[full, (2, 1400), full], 64), [1, 1, 1]);
        assert_eq!(lengths(&[full; 10], 4), [4, 4, 2]);
        assert_eq!(lengths(&[full; 3], 1), [1, 1, 1]);
    }

    #[test]
    fn a_batch_is_what_the_kernel_takes_at_once() {
        let mut batch = Batch::new(64, 1500);
        while !batch.is_full() {
            batch.push(([127, 0, 0, 1], 1).into(), &[0; 1400]);
        }
        assert_eq!(run(batch.parts(), 64), batch.parts().len());
        assert!((60_000..=65_000).contains(&(batch.parts().len() * 1400)));
    }

    #[test]
    fn what_is_sent_arrives_with_its_lengths() {
        let any = || Udp::bind(([127, 0, 0, 1], 0).into(), 1 << 20).unwrap();
        let (a, mut b) = (any(), any());
        let mut batch = Batch::new(64, 1500);
        for n in 0..5u8 {
            batch.push(b.local_addr().unwrap(), &vec![n; 1000]);
        }
        let mut sent = 0;
        while sent < 5 {
            sent += a.send(&batch, sent).unwrap();
        }
        let (mut got, mut arrived) = (Vec::new(), Vec::new());
        while got.len() < 5 {
            if b.recv(&mut arrived).is_err() {
                continue;
            }
            for x in arrived.clone() {
                assert_eq!(x.from, a.local_addr().unwrap());
                for packet in b.bytes(x.start, x.len).chunks(x.stride) {
                    got.push((packet[0], packet.len()));
                }
            }
        }
        got.sort_unstable();
        assert_eq!(got, [0, 1, 2, 3, 4].map(|n| (n, 1000)));
    }
}
