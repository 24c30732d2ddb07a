//! See `acklab_fuzz_targets::ack_filters`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| acklab_fuzz_targets::ack_filters::run(bytes));
