#!/bin/sh
# Compiles the simulator to WebAssembly: web/made/acklab.wasm. Two builds of one commit are identical.
set -eu
cd "$(dirname "$0")/.."

. web/toolchain.sh

# Messages of the core name the file that they come from. They are to be the same on every machine.
home="${CARGO_HOME:-$HOME/.cargo}"
flags="--remap-path-prefix=$PWD=acklab --remap-path-prefix=$home=cargo"
CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS="$flags" \
  cargo build --profile web --locked --package acklab-web --target "$target" --target-dir target/web

mkdir -p web/made
cp "target/web/$target/web/acklab_web.wasm" web/made/acklab.wasm
