#!/bin/sh
# Writes to standard output what a program is made of, as CycloneDX JSON: packaging/materials.sh PACKAGE TARGET-TRIPLE. Of the locked
# dependencies those that are compiled in, and those whose files are packed in; the same for the same lock file. Needs cargo and jq.
set -eu
cd "$(dirname "$0")/.."
cargo metadata --locked --format-version 1 --filter-platform "$2" | jq --arg name "$1" '
  (.packages | map({key: .id, value: .}) | from_entries) as $packages
  | (.resolve.nodes | map({key: .id, value: [.deps[] | select(any(.dep_kinds[]; .kind == null) or (.name | endswith("_vendored"))) | .pkg]}) | from_entries) as $needs
  | (.packages[] | select(.name == $name and .source == null)) as $root
  | {seen: {}, todo: [$root.id]}
  | until(.todo == []; .todo[0] as $one | if .seen[$one] then .todo |= .[1:] else .seen[$one] = true | .todo = .todo[1:] + $needs[$one] end)
  | def purl: "pkg:cargo/\(.name)@\(.version)";
    def component(kind): {
      type: kind, "bom-ref": purl, name, version, purl: purl,
      licenses: (if .license then [{expression: .license}] else [] end)
    };
  {
    bomFormat: "CycloneDX", specVersion: "1.5", version: 1,
    metadata: {component: ($root | component("application"))},
    components: ([.seen | keys[] | select(. != $root.id) | $packages[.] | component("library")] | sort_by(.name, .version)),
    dependencies: ([.seen | keys[] | {
      ref: ($packages[.] | purl), dependsOn: ([$needs[.][] | $packages[.] | purl] | unique)
    }] | sort_by(.ref))
  }'
