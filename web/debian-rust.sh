#!/bin/sh
# Unpacks Debian unstable's compiler of Rust, with its standard library for WebAssembly, into
# target/debian-rust, and prints the path of its rustc. Nothing is installed, and the lists and
# packages of the machine's own apt stay as they are. Needs apt-get, dpkg-deb and a mirror
# (DEBIAN_MIRROR, otherwise apt-get's own). About 200 MB.
set -eu
cd "$(dirname "$0")/.."
here=$PWD/target/debian-rust
rustc=$here/rustc

[ -x "$rustc" ] && { echo "$rustc"; exit; }
for tool in apt-get apt-cache dpkg-deb; do
  command -v "$tool" >/dev/null || { echo "error: there is no $tool here" >&2; exit 1; }
done

mirror=${DEBIAN_MIRROR:-$(apt-get indextargets --format '$(REPO_URI)' | grep -v security | head -n 1)}
[ -n "$mirror" ] || { echo "error: apt-get knows no mirror; set DEBIAN_MIRROR" >&2; exit 1; }
keys=/usr/share/keyrings/debian-archive-keyring.gpg
mkdir -p "$here/apt/state/lists/partial" "$here/apt/cache/archives/partial" \
  "$here/apt/etc/apt.conf.d" "$here/apt/etc/preferences.d" "$here/apt/etc/sources.list.d" "$here/root"
: >"$here/apt/state/status"
echo "deb [signed-by=$keys] $mirror unstable main" >"$here/apt/etc/sources.list"
# A snapshot of the archive is older than a mirror would be. Its signature is checked all the same.
cat >"$here/apt/apt.conf" <<END
Dir "$here/apt";
Dir::State "state";
Dir::State::status "$here/apt/state/status";
Dir::Cache "cache";
Dir::Etc "etc";
APT::Sandbox::User "root";
Acquire::Languages "none";
Acquire::Check-Valid-Until "false";
END
export APT_CONFIG="$here/apt/apt.conf"
apt-get -qq update >&2

# All that rustc and the linker load, from the C library on. Not the compiler of C that rustc asks
# for: build scripts are linked with the machine's own.
wanted=$(apt-cache depends --recurse --no-recommends --no-suggests --no-conflicts --no-breaks \
  --no-replaces --no-enhances rustc libstd-rust-dev-wasm32 lld-22 | grep '^[a-z]' | sort -u |
  grep -E '^(rustc|lld-22|zlib1g|lib(std-rust-.*|llvm[0-9]+|c6|gcc-s1|stdc\+\+6|z3-4|zstd1|xml2.*|edit2|tinfo6|ffi8|bsd0|md0|gmp10))$')
(cd "$here/apt/cache/archives" && apt-get -qq download $wanted) >&2
for package in "$here"/apt/cache/archives/*.deb; do
  dpkg-deb --extract "$package" "$here/root"
done
rm -rf "$here/apt"

# With its own C library: that of the machine may be older.
root=$here/root
loader=$(find "$root" -name 'ld-linux-*.so.*' | head -n 1)
libraries=$(dirname "$(find "$root" -name 'libz.so.1' | head -n 1)")
starter() { # NAME PROGRAM WORDS...: a script that starts it
  name=$1
  shift
  printf '#!/bin/sh\nexec "%s" --library-path "%s" %s "$@"\n' "$loader" "$libraries" "$*" \
    >"$here/$name"
  chmod +x "$here/$name"
}
starter wasm-ld "--argv0 wasm-ld $root/usr/lib/llvm-22/bin/lld"
starter rustc "$root/usr/bin/rustc --sysroot $root/usr"
"$rustc" --version >&2
echo "$rustc"
