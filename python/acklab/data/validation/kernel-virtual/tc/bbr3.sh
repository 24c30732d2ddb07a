#!/bin/sh
# Builds linux-6.12-bbr3 into $UML_WORK (/tmp/uml), beside the kernel of build.sh: the same source with Google's BBRv3 as
# CachyOS has it for 6.12, which differs from Google's 18 patches (of 6.7) in what 6.12 calls things. About 5 minutes of one core.
# bbr3.sh [PATCH]: a copy of the patch, where there is no network.
set -eu
work=${UML_WORK:-/tmp/uml}
patch=${1:-$work/bbr3.patch}
cd "$work"
[ -e "$patch" ] || curl -fsSLo "$patch" \
  https://raw.githubusercontent.com/CachyOS/kernel-patches/026ccdcaf2af0f047da915693438a7a95ccda4ee/6.12/0002-bbr3.patch
echo "15d1563b4696ee35455f02b21fad0508fb77e0364f8dd1f48e0e82671dd05299  $patch" | sha256sum -c -
rm -rf bbr3
mkdir bbr3
cp -a linux-source-6.12 bbr3/linux-source-6.12
mkdir bbr3/b
cp b/.config bbr3/b/.config
patch -sd bbr3/linux-source-6.12 -p1 < "$patch"
make -C bbr3/linux-source-6.12 ARCH=um O="$work/bbr3/b" olddefconfig
nice make -C bbr3/linux-source-6.12 ARCH=um O="$work/bbr3/b" -j2 linux
cp bbr3/b/linux linux-6.12-bbr3
