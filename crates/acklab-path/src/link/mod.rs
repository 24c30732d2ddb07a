//! One direction of a line: filter, queue, serialiser, impairments, delay.
