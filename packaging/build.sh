#!/bin/sh
# Builds what is installed: the Debian packages tiffin-edge and tiffin-hub, and the tarball for other systems.
#
#   packaging/build.sh [--target aarch64-unknown-linux-gnu] [--profile dev] [--no-build] [--version 1.1.0-1] [--out FOLDER]
#                      [edge] [hub] [tarball]
#
# Needs cargo-deb (cargo install cargo-deb --locked) and jq; for another target Debian's cross compiler, and qemu-user-static to let the programs
# write their manual pages. Never changes the source tree.
set -eu
cd "$(dirname "$0")/.."

profile=shipped folder=shipped build=yes version='' out='' what='' triple=''
while [ $# -gt 0 ]; do
  case $1 in
    --target) triple=$2 && shift ;;
    --profile) profile=$2 && shift ;;
    --no-build) build=no ;;
    --version) version=$2 && shift ;;
    --out) out=$2 && shift ;;
    edge | hub | tarball) what="$what $1" ;;
    *) sed -n 's/^#   //p' "$0" >&2; exit 2 ;;
  esac
  shift
done
what=${what:-edge hub tarball}
case $profile in dev) folder=debug ;; *) folder=$profile ;; esac
target=${CARGO_TARGET_DIR:-$PWD/target}
out=${out:-$target/packaging}
mkdir -p "$out"

machine=$(uname -m) tools='' run=''
case $triple in
  '' | "$machine-"*) ;;
  aarch64-unknown-linux-gnu)
    machine=aarch64 tools=aarch64-linux-gnu- run='qemu-aarch64-static -L /usr/aarch64-linux-gnu'
    export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=aarch64-linux-gnu-gcc
    ;;
  *) echo "build.sh: nobody has tried $triple" >&2; exit 2 ;;
esac
binaries=$target${triple:+/$triple}/$folder
host=${triple:-$(rustc -vV | sed -n 's/^host: //p')}

if [ "$build" = yes ]; then cargo build --profile "$profile" ${triple:+--target "$triple"} -p edge -p sync-hub --bins; fi

debian() { # cargo's package, program
  rm -f "$binaries/man/$2"*
  $run "$binaries/$2" man "$binaries/man" >/dev/null
  gzip -9n "$binaries/man/$2"*.1
  mkdir -p "$binaries/materials"
  packaging/materials.sh "$1" "$host" >"$binaries/materials/$2.cdx.json"
  # An unoptimised build is for tests: it is packed fast, not small.
  if [ "$profile" = dev ]; then set -- "$@" --fast; fi
  if [ -n "$version" ]; then set -- "$@" --deb-version "$version"; fi
  if [ -n "$triple" ]; then set -- "$@" --target "$triple"; fi
  package=$1 && shift 2
  CARGO_TARGET_DIR=$target cargo deb --quiet --no-build --profile "$profile" -p "$package" --strip --output "$out/" "$@"
}

for one in $what; do
  case $one in
    edge) debian edge edge ;;
    hub) debian sync-hub sync-hub ;;
    tarball) TRIPLE=$host MACHINE=$machine STRIP=${tools}strip RUN=$run packaging/tarball.sh "$binaries" "$out" "$version" ;;
  esac
done
