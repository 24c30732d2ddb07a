//! The functions that a page calls, in C's calling convention.
//!
//! ```text
//! room(length) -> where to write a request     answer(at, length) -> a list of words
//! last_words() -> the same                     done(list)
//! ```
//!
//! A list of words (32 bits each) is `[n, at, length, at, length, ...]`: the answer's text, then its
//! parts. It and what it points to stay until `done`.

#![expect(unsafe_code, reason = "memory crosses the border")]

use crate::{Answer, answer as answer_to};
use std::sync::{Mutex, Once, PoisonError};

/// An answer that the page reads.
struct Handed {
    /// First, so that its place is known: `[n, at, length, ...]`.
    words: Vec<u32>,
    /// The memory that the words point to.
    _answer: Answer,
}

/// Last words of the core before it failed. A failed instance is not called again, but for this.
static LAST_WORDS: Mutex<String> = Mutex::new(String::new());
static LISTENING: Once = Once::new();

/// Room for a request of `length` bytes. [`answer`] takes it back.
#[unsafe(no_mangle)]
pub extern "C" fn room(length: usize) -> *mut u8 {
    Box::into_raw(vec![0_u8; length].into_boxed_slice()).cast()
}

/// Answers the request of `length` bytes at `at`, which is of [`room`].
///
/// # Safety
/// `at` and `length` are of one call of [`room`] and were not given here before.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn answer(at: *mut u8, length: usize) -> *const u32 {
    LISTENING.call_once(|| std::panic::set_hook(Box::new(|panic| keep(&panic.to_string()))));
    // SAFETY: the caller's promise; `room` made a boxed slice of this length.
    let request = unsafe { Box::from_raw(std::ptr::slice_from_raw_parts_mut(at, length)) };
    hand_over(answer_to(&String::from_utf8_lossy(&request)))
}

/// Last words of the core before it failed.
#[unsafe(no_mangle)]
pub extern "C" fn last_words() -> *const u32 {
    let text = LAST_WORDS.lock().unwrap_or_else(PoisonError::into_inner);
    hand_over(Answer {
        text: text.clone(),
        parts: Vec::new(),
    })
}

/// Frees an answer.
///
/// # Safety
/// `words` is of [`answer`] or [`last_words`] and was not given here before.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn done(words: *const u32) {
    let mut all = HANDED.lock().unwrap_or_else(PoisonError::into_inner);
    all.retain(|h| h.words.as_ptr() != words);
}

/// The answers that the page has not given back.
static HANDED: Mutex<Vec<Handed>> = Mutex::new(Vec::new());

fn hand_over(answer: Answer) -> *const u32 {
    let text = (answer.text.as_ptr(), answer.text.len());
    let parts = answer.parts.iter().map(crate::Part::place);
    let places = std::iter::once(text).chain(parts);
    let mut words = vec![1 + answer.parts.len() as u32];
    words.extend(places.flat_map(|(at, length)| [at as u32, length as u32]));
    let at = words.as_ptr();
    let mut all = HANDED.lock().unwrap_or_else(PoisonError::into_inner);
    all.push(Handed {
        words,
        _answer: answer,
    });
    at
}

fn keep(text: &str) {
    text.clone_into(&mut LAST_WORDS.lock().unwrap_or_else(PoisonError::into_inner));
}
