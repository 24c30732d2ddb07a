//! See `acklab_fuzz_targets::block_ack`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| acklab_fuzz_targets::block_ack::run(bytes));
