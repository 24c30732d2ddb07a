//! See `acklab_fuzz_targets::segment_codec`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| acklab_fuzz_targets::segment_codec::run(bytes));
