# Finds a compiler of Rust that can make WebAssembly. Sourced by compile.sh, from the root of the clone.
#
# 1. The one that is installed, if it has the standard library for the target.
# 2. The same, after `rustup target add`.
# 3. Debian unstable's, unpacked into target/debian-rust: nothing is installed. ACKLAB_WEB_RUST=debian
#    asks for it. It needs apt-get, dpkg-deb, and a mirror that apt-get reaches.
#
# Where none of this works, it ends with what to do.

target=wasm32-unknown-unknown

has_target() {
  libraries=$("${RUSTC:-rustc}" --print target-libdir --target "$target" 2>/dev/null) &&
    ls "$libraries"/libstd-*.rlib >/dev/null 2>&1
}

if [ "${ACKLAB_WEB_RUST:-}" != debian ]; then
  has_target || {
    command -v rustup >/dev/null && rustup target add "$target" >&2
  } || true
fi

if [ "${ACKLAB_WEB_RUST:-}" = debian ] || ! has_target; then
  RUSTC=$(web/debian-rust.sh) || {
    cat >&2 <<END
error: there is no compiler of Rust here that makes WebAssembly
  help: run \`rustup target add $target\`, or set RUSTC to a rustc that has this target;
        on Debian and Ubuntu web/debian-rust.sh unpacks one, if apt-get reaches a mirror
END
    exit 1
  }
  export RUSTC
  # Debian's own calls the linker by a name that only an installed one has.
  export CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER="$PWD/target/debian-rust/wasm-ld"
fi
