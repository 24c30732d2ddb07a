//! See `acklab_fuzz_targets::ack_filter`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| acklab_fuzz_targets::ack_filter::run(bytes));
