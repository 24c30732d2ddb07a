#!/bin/sh
# Compiles the simulator to WebAssembly: web/made/acklab.wasm. Two builds of one commit are identical.
set -eu
cd "$(dirname "$0")/.."

target=wasm32-unknown-unknown
. web/toolchain.sh

# Messages of the core name the file that they come from. They are to be the same on every machine.
home="${CARGO_HOME:-$HOME/.cargo}"
flags="--remap-path-prefix=$PWD=acklab --remap-path-prefix=$home=cargo"
CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS="$flags" \
  cargo build --profile web --locked --package acklab-web --target "$target"

mkdir -p web/made
built="${CARGO_TARGET_DIR:-target}/$target/web/acklab_web.wasm"
# What the compiler of Rust assumes of every engine.
web/node_modules/.bin/wasm-opt -O3 \
  --enable-bulk-memory --enable-bulk-memory-opt --enable-multivalue --enable-mutable-globals \
  --enable-nontrapping-float-to-int --enable-reference-types --enable-sign-ext \
  --strip-debug --strip-producers "$built" -o web/made/acklab.wasm
