#!/bin/sh
# Packs the tarball for systems without Debian packages: packaging/tarball.sh FOLDER-OF-BINARIES OUT [VERSION]. What is in it is
# installed by its own install.sh. For binaries of another machine MACHINE, STRIP and RUN name it, its strip, and what runs its programs.
set -eu
cd "$(dirname "$0")/.."
binaries=$1 out=$2
version=${3:-$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)}
name=tiffin-$version-${MACHINE:-$(uname -m)}-linux
mkdir -p "$out"
making=$(mktemp -d "$out/.tarball.XXXXXX")
trap 'rm -rf "$making"' EXIT
tree=$making/$name
mkdir -p "$tree/man"
for program in edge sync-hub; do
  "${STRIP:-strip}" --strip-debug -o "$tree/$program" "$binaries/$program"
  ${RUN-} "$binaries/$program" man "$tree/man" >/dev/null
  packaging/materials.sh "$program" "${TRIPLE:-$(rustc -vV | sed -n 's/^host: //p')}" >"$tree/$program.cdx.json"
done
cp packaging/install.sh packaging/upgrade.sh "$tree/"
for server in edge hub; do
  cp "packaging/tiffin-$server" "packaging/tiffin-$server.service" "packaging/tiffin-$server.8" "packaging/$server.toml" "$tree/"
done
tar -C "$making" --owner=0 --group=0 -cf - "$name" | gzip -6 >"$making/done"
mv "$making/done" "$out/$name.tar.gz"
echo "$out/$name.tar.gz"
