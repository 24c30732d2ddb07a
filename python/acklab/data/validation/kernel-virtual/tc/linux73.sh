#!/bin/sh
# Builds linux-7.3 into $UML_WORK (/tmp/uml), beside the kernel of build.sh and with its configuration: Debian's
# linux-source-7.3, which trixie-backports has (7.3.4-1~bpo13+1). Only its tar is needed, so nothing has to be installed:
# `apt-get download linux-source-7.3` and `dpkg-deb -x`. About 8 minutes of one core and 2 GB. linux73.sh [TAR]
set -eu
here=$(cd "$(dirname "$0")" && pwd)
work=${UML_WORK:-/tmp/uml}
tar=${1:-/usr/src/linux-source-7.3.tar.xz}
mkdir -p "$work/b73"
cd "$work"
[ -d linux-source-7.3 ] || tar xf "$tar"
# Ticks of 250 Hz, as in build.sh; xstate.sed is not needed.
sed -i '/^config HZ$/,/default/s/default [0-9]*/default 250/' linux-source-7.3/arch/um/Kconfig
cp "$here/kernel.config" b73/.config
make -C linux-source-7.3 ARCH=um O="$work/b73" olddefconfig
nice make -C linux-source-7.3 ARCH=um O="$work/b73" -j2 linux
cp b73/linux linux-7.3
