//! Connection ids: which connection of a socket a packet belongs to.

/// Bytes of an id on the wire.
pub const ID_LEN: usize = 8;

/// The id by which one end wants to be found. It is random, so nobody can guess it, and it does not
/// depend on addresses, so a connection survives a change of them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, PartialOrd, Ord)]
pub struct Id(pub [u8; ID_LEN]);

impl Id {
    /// The id at the start of `bytes`.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        Some(Self(bytes.get(..ID_LEN)?.try_into().ok()?))
    }
}

impl std::fmt::Display for Id {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.iter().try_for_each(|b| write!(f, "{b:02x}"))
    }
}
