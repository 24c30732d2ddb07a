//! The physical layer against the standard, by hand.
