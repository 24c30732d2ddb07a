//! UDP sockets of the relay: batches in, single datagrams out, the ECN field and the kernel's time of arrival with them.

use acklab_proto::segment::Ecn;
use quinn_udp::{EcnCodepoint, RecvMeta, Transmit, UdpSockRef, UdpSocketState};
use std::io::{self, IoSliceMut};
use std::net::{SocketAddr, UdpSocket};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};
use std::time::Duration;

/// Messages that one call receives.
const BATCH: usize = 16;
/// Bytes of a message: the kernel may join datagrams up to the size of an IP packet (UDP GRO).
const MESSAGE: usize = 1 << 16;
/// Bytes that the kernel may keep while the relay does not run. A burst of 1 Gbit/s fills it in 33 ms;
/// the kernel counts about twice a datagram's size.
const KEPT: usize = 4 << 20;

/// Memory for the datagrams of one call.
#[derive(Debug)]
pub(super) struct Batch {
    memory: Vec<u8>,
    meta: [RecvMeta; BATCH],
}

impl Default for Batch {
    fn default() -> Self {
        Self {
            memory: vec![0; BATCH * MESSAGE],
            meta: [RecvMeta::default(); BATCH],
        }
    }
}

/// A datagram as it came.
#[derive(Clone, Copy, Debug)]
pub(super) struct Received<'a> {
    /// Its sender.
    pub from: SocketAddr,
    /// Its ECN field.
    pub ecn: Ecn,
    /// When the kernel got it, since 1970; `None` if the kernel does not say.
    pub stamp: Option<Duration>,
    /// Its payload.
    pub payload: &'a [u8],
}

/// A bound socket.
#[derive(Debug)]
pub(super) struct Socket {
    socket: UdpSocket,
    state: UdpSocketState,
}

impl Socket {
    /// A socket that does not block, with room for bursts.
    pub fn bind(address: SocketAddr) -> io::Result<Self> {
        let socket = UdpSocket::bind(address)?;
        let state = UdpSocketState::new(UdpSockRef::from(&socket))?;
        // The kernel grants what it allows, which is less on some machines.
        let _ = state.set_recv_buffer_size(UdpSockRef::from(&socket), KEPT);
        let _ = state.set_send_buffer_size(UdpSockRef::from(&socket), KEPT);
        Ok(Self { socket, state })
    }

    /// Where it is bound.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.socket.local_addr()
    }

    /// Receives what is there, but no more than a batch, and gives each datagram to `take`. Returns
    /// whether there may be more.
    pub fn receive(
        &self,
        batch: &mut Batch,
        mut take: impl FnMut(Received<'_>),
    ) -> io::Result<bool> {
        let Batch { memory, meta } = batch;
        let mut rest = memory.chunks_exact_mut(MESSAGE);
        let mut buffers: [IoSliceMut<'_>; BATCH] =
            core::array::from_fn(|_| IoSliceMut::new(rest.next().unwrap_or_default()));
        let sock = UdpSockRef::from(&self.socket);
        let got = match self.state.recv(sock, &mut buffers, meta) {
            Ok(n) => n,
            Err(e) if passes(&e) => return Ok(false),
            Err(e) => return Err(e),
        };
        for (meta, buffer) in meta.iter().zip(&buffers).take(got) {
            for payload in buffer[..meta.len].chunks(meta.stride.max(1)) {
                take(Received {
                    from: meta.addr,
                    ecn: ecn_of(meta.ecn),
                    stamp: meta.timestamp,
                    payload,
                });
            }
        }
        Ok(got == BATCH)
    }

    /// Sends one datagram. Says whether the kernel took it.
    pub fn send(&self, to: SocketAddr, ecn: Ecn, payload: &[u8]) -> bool {
        let transmit = Transmit {
            destination: to,
            ecn: codepoint(ecn),
            contents: payload,
            segment_size: None,
            src_ip: None,
        };
        let sock = UdpSockRef::from(&self.socket);
        self.state.try_send(sock, &transmit).is_ok()
    }

    /// Datagrams that the kernel threw away because nobody received them in time.
    pub fn missed(&self) -> u64 {
        let mut info = [0u32; MEMINFO_VARS];
        let mut len = size_of_val(&info) as libc::socklen_t;
        // SAFETY: the kernel writes at most `len` bytes, which is the size of `info`.
        let failed = unsafe {
            libc::getsockopt(
                self.socket.as_raw_fd(),
                libc::SOL_SOCKET,
                libc::SO_MEMINFO,
                info.as_mut_ptr().cast(),
                &raw mut len,
            )
        };
        if failed == 0 {
            u64::from(info[MEMINFO_DROPS])
        } else {
            0
        }
    }
}

impl AsFd for Socket {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

/// Numbers that SO_MEMINFO has (linux/sock_diag.h), and which of them counts drops.
const MEMINFO_VARS: usize = 9;
const MEMINFO_DROPS: usize = 8;

/// There is nothing now, or an earlier datagram found nobody at its destination (ICMP).
fn passes(e: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionRefused, ConnectionReset, Interrupted, WouldBlock};
    matches!(
        e.kind(),
        WouldBlock | Interrupted | ConnectionRefused | ConnectionReset
    )
}

const fn ecn_of(codepoint: Option<EcnCodepoint>) -> Ecn {
    match codepoint {
        None => Ecn::NotEct,
        Some(EcnCodepoint::Ect0) => Ecn::Ect0,
        Some(EcnCodepoint::Ect1) => Ecn::Ect1,
        Some(EcnCodepoint::Ce) => Ecn::Ce,
    }
}

const fn codepoint(ecn: Ecn) -> Option<EcnCodepoint> {
    match ecn {
        Ecn::NotEct => None,
        Ecn::Ect0 => Some(EcnCodepoint::Ect0),
        Ecn::Ect1 => Some(EcnCodepoint::Ect1),
        Ecn::Ce => Some(EcnCodepoint::Ce),
    }
}
