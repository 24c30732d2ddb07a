//! Errors of a connection, in words for whoever started it.

use std::fmt;
use std::io;

/// How a connection ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ended {
    /// In order: both ends have everything.
    Closed,
    /// The peer broke it off.
    Reset,
    /// This end broke it off.
    Aborted,
    /// Nothing was heard of the peer for too long.
    TimedOut,
    /// Nobody answered.
    NoAnswer,
    /// A server is there, and it has another key.
    WrongKey,
    /// A server is there, and it speaks other versions.
    WrongVersion,
    /// Too many forged packets arrived for the key.
    WornOut,
    /// The endpoint has as many connections as it may have.
    TooMany,
    /// The system gives no random numbers.
    NoRandomNumbers,
    /// The endpoint was closed under it.
    EndpointClosed,
    /// The driver's thread has ended by a mistake of its own.
    DriverFailed,
}

impl fmt::Display for Ended {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Closed => "the connection is closed",
            Self::Reset => "the peer broke the connection off",
            Self::Aborted => "the connection was broken off here",
            Self::TimedOut => {
                "nothing was heard of the peer for too long, so the connection was given up"
            }
            Self::NoAnswer => "nobody answered: check the address, and that a server runs there",
            Self::WrongKey => "the server has another key: check the key that was given",
            Self::WrongVersion => {
                "the server speaks another version: use the same version at both ends"
            }
            Self::WornOut => "too many forged packets arrived, so the connection was given up",
            Self::TooMany => "the endpoint has as many connections as it may have",
            Self::NoRandomNumbers => "the system gives no random numbers",
            Self::EndpointClosed => "the endpoint was closed",
            Self::DriverFailed => "the thread that drives the socket has ended unexpectedly",
        })
    }
}

impl std::error::Error for Ended {}

impl From<Ended> for io::Error {
    fn from(ended: Ended) -> Self {
        let kind = match ended {
            Ended::Closed | Ended::EndpointClosed => io::ErrorKind::NotConnected,
            Ended::Reset => io::ErrorKind::ConnectionReset,
            Ended::Aborted | Ended::WornOut => io::ErrorKind::ConnectionAborted,
            Ended::TimedOut | Ended::NoAnswer => io::ErrorKind::TimedOut,
            Ended::WrongKey => io::ErrorKind::PermissionDenied,
            Ended::WrongVersion => io::ErrorKind::Unsupported,
            Ended::TooMany | Ended::NoRandomNumbers | Ended::DriverFailed => io::ErrorKind::Other,
        };
        Self::new(kind, ended)
    }
}
