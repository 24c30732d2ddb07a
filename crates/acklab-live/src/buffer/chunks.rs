//! Bytes of a stream by their offset, in chunks that exist while they hold something.

use std::collections::VecDeque;

/// Bytes of a chunk. An idle connection has none.
const CHUNK: usize = 64 * 1024;
/// Empty chunks that are kept for what comes next: as much as an application is ahead of the driver.
const SPARES: usize = 16;

type Chunk = Box<[u8]>;

/// Chunks that one read takes out at once.
const TAKEN: usize = 4;

/// Chunks that were taken out of a stream whole, to be copied while nobody waits.
#[derive(Debug, Default)]
pub struct Taken {
    chunks: [Option<Chunk>; TAKEN],
    /// Where the bytes begin in the first.
    place: usize,
}

impl Taken {
    /// Copies all bytes into the front of `out`, which has room for them.
    pub fn copy_to(&self, out: &mut [u8]) {
        let (mut rest, mut place) = (out, self.place);
        for chunk in self.chunks.iter().flatten() {
            let (now, later) = rest.split_at_mut(CHUNK - place);
            now.copy_from_slice(&chunk[place..]);
            (rest, place) = (later, 0);
        }
    }
}

/// A window of a stream's bytes. Writing needs a chunk now and then, not an allocation per packet.
#[derive(Debug, Default)]
pub struct Chunks {
    /// Number of the first chunk in `list`: its offset is that many times [`CHUNK`].
    first: u64,
    list: VecDeque<Option<Chunk>>,
    spare: Vec<Chunk>,
}

/// The parts of `offset..offset + len`: chunk, place in it, length.
fn parts(offset: u64, len: usize) -> impl Iterator<Item = (u64, usize, usize)> {
    let end = offset + len as u64;
    let mut at = offset;
    std::iter::from_fn(move || {
        if at >= end {
            return None;
        }
        let place = (at % CHUNK as u64) as usize;
        let len = (CHUNK - place).min((end - at) as usize);
        let part = (at / CHUNK as u64, place, len);
        at += len as u64;
        Some(part)
    })
}

impl Chunks {
    /// Chunks in use.
    pub fn in_use(&self) -> usize {
        self.list.iter().flatten().count()
    }

    /// Writes `bytes` at `offset`, which must not be released yet. How far ahead that may lie is the
    /// caller's to limit.
    pub fn write(&mut self, offset: u64, bytes: &[u8]) {
        let mut rest = bytes;
        for (number, place, len) in parts(offset, bytes.len()) {
            let (now, later) = rest.split_at(len);
            rest = later;
            self.chunk(number)[place..place + len].copy_from_slice(now);
        }
    }

    fn chunk(&mut self, number: u64) -> &mut Chunk {
        if self.list.is_empty() {
            self.first = number;
        }
        while number < self.first {
            self.list.push_front(None);
            self.first -= 1;
        }
        let at = (number - self.first) as usize;
        if at >= self.list.len() {
            self.list.resize_with(at + 1, || None);
        }
        let spare = &mut self.spare;
        self.list[at].get_or_insert_with(|| {
            spare
                .pop()
                .unwrap_or_else(|| vec![0; CHUNK].into_boxed_slice())
        })
    }

    /// Copies what was written at `offset` into `out`.
    pub fn read(&self, offset: u64, out: &mut [u8]) {
        let total = out.len();
        let mut rest = out;
        for (number, place, len) in parts(offset, total) {
            let (now, later) = rest.split_at_mut(len);
            rest = later;
            let at = number.wrapping_sub(self.first) as usize;
            match self.list.get(at).and_then(Option::as_ref) {
                Some(chunk) => now.copy_from_slice(&chunk[place..place + len]),
                None => debug_assert!(false, "nothing was written at {offset}"),
            }
        }
    }

    /// Takes out the chunks from `offset` on, all written by now up to `edge`, as far as `most` bytes have room
    /// for whole ones. Returns how many bytes these are.
    pub fn take(&mut self, offset: u64, edge: u64, most: usize) -> (Taken, usize) {
        let mut taken = Taken {
            place: (offset % CHUNK as u64) as usize,
            ..Taken::default()
        };
        self.release(offset);
        let mut bytes = 0;
        for slot in &mut taken.chunks {
            let len = CHUNK - ((offset + bytes as u64) % CHUNK as u64) as usize;
            let whole = offset + (bytes + len) as u64 <= edge && bytes + len <= most;
            let Some(Some(_)) = self.list.front().filter(|_| whole) else {
                break;
            };
            *slot = self.list.pop_front().flatten();
            self.first += 1;
            bytes += len;
        }
        (taken, bytes)
    }

    /// Gets back what was taken, for use again.
    pub fn give_back(&mut self, taken: Taken) {
        for chunk in taken.chunks.into_iter().flatten() {
            self.keep(chunk);
        }
    }

    fn keep(&mut self, chunk: Chunk) {
        if self.spare.len() < SPARES {
            self.spare.push(chunk);
        }
    }

    /// Everything below `offset` is over.
    pub fn release(&mut self, offset: u64) {
        let number = offset / CHUNK as u64;
        while self.first < number {
            let Some(chunk) = self.list.pop_front() else {
                break;
            };
            self.first += 1;
            if let Some(chunk) = chunk {
                self.keep(chunk);
            }
        }
    }

    /// Gives up the chunk that holds nothing more, and the empty ones: everything was taken.
    pub fn shrink(&mut self) {
        self.list = VecDeque::new();
        self.spare = Vec::new();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn byte(offset: u64) -> u8 {
        (offset.wrapping_mul(31) >> 3) as u8
    }

    #[test]
    fn chunks_come_and_go() {
        let mut c = Chunks::default();
        assert_eq!(c.in_use(), 0);
        c.write(10 * CHUNK as u64 - 1, &[1, 2]);
        assert_eq!(c.in_use(), 2);
        c.release(10 * CHUNK as u64);
        assert_eq!((c.in_use(), c.spare.len()), (1, 1));
        c.write(12 * CHUNK as u64, &[3]);
        assert_eq!((c.in_use(), c.spare.len()), (2, 0));
        c.shrink();
        assert_eq!(c.in_use(), 0);
    }

    #[test]
    fn whole_chunks_are_taken_out_and_come_back() {
        let len = 3 * CHUNK + 100;
        let bytes: Vec<u8> = (0..len as u64).map(byte).collect();
        let mut c = Chunks::default();
        c.write(0, &bytes);
        let edge = len as u64;
        assert_eq!(c.take(0, edge, CHUNK - 1).1, 0, "no room for a whole one");
        assert_eq!(c.take(0, 10, CHUNK).1, 0, "not all of it is there");
        let from = 1000;
        let (taken, count) = c.take(from, edge, 2 * CHUNK);
        assert_eq!((count, c.in_use()), (2 * CHUNK - 1000, 2));
        let mut out = vec![0; count + 5];
        taken.copy_to(&mut out[..count]);
        assert!(out[..count] == bytes[1000..2 * CHUNK]);
        c.give_back(taken);
        assert_eq!(c.spare.len(), 2);
        let (taken, count) = c.take(2 * CHUNK as u64, edge, 9 * CHUNK);
        assert_eq!((count, c.in_use()), (CHUNK, 1));
        c.give_back(taken);
        let mut rest = vec![0; 100];
        c.read(3 * CHUNK as u64, &mut rest);
        assert!(rest == bytes[3 * CHUNK..]);
    }

    proptest! {
        #[test]
        fn what_is_read_is_what_was_written(
            parts in prop::collection::vec((0u64..400_000, 1usize..3000), 1..40),
            base in 0u64..(1 << 40),
        ) {
            let mut c = Chunks::default();
            let mut sorted = parts.clone();
            sorted.sort_unstable();
            for (at, len) in parts {
                let bytes: Vec<u8> = (0..len as u64).map(|i| byte(base + at + i)).collect();
                c.write(base + at, &bytes);
            }
            for (at, len) in sorted {
                let mut out = vec![0; len];
                c.release(base + at);
                c.read(base + at, &mut out);
                for (i, b) in out.iter().enumerate() {
                    prop_assert_eq!(*b, byte(base + at + i as u64));
                }
            }
        }
    }
}
