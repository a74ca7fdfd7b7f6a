#!/bin/sh
# Builds what is installed: the Debian packages tiffin-edge and tiffin-hub, and the tarball for other systems.
#
#   packaging/build.sh [--profile dev] [--no-build] [--version 1.1.0-1] [--out FOLDER] [edge] [hub] [tarball]
#
# Needs cargo-deb (cargo install cargo-deb --locked). Never changes the source tree.
set -eu
cd "$(dirname "$0")/.."

profile=release folder=release build=yes version='' out='' what=''
while [ $# -gt 0 ]; do
  case $1 in
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

if [ "$build" = yes ]; then cargo build --profile "$profile" -p edge -p sync-hub --bins; fi

debian() { # cargo's package, program
  rm -f "$target/$folder/man/$2"*
  "$target/$folder/$2" man "$target/$folder/man" >/dev/null
  gzip -9n "$target/$folder/man/$2"*.1
  # An unoptimised build is for tests: it is packed fast, not small.
  if [ "$profile" = dev ]; then set -- "$@" --fast; fi
  if [ -n "$version" ]; then set -- "$@" --deb-version "$version"; fi
  package=$1 && shift 2
  CARGO_TARGET_DIR=$target cargo deb --quiet --no-build --profile "$profile" -p "$package" --strip --output "$out/" "$@"
}

for one in $what; do
  case $one in
    edge) debian edge edge ;;
    hub) debian sync-hub sync-hub ;;
    tarball) packaging/tarball.sh "$target/$folder" "$out" "$version" ;;
  esac
done
