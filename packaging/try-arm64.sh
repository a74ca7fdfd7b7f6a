#!/bin/sh
# Tries the packages for ARM on any machine, in an emulator of that processor: unpacks them, makes a sample branch and a head office, starts
# the branch, and sells a dish. Installs nothing, and leaves nothing behind.
#
#   packaging/try-arm64.sh [FOLDER-OF-PACKAGES]
#
# Needs qemu-user-static, libc6-dev-arm64-cross, curl and jq.
set -eu
cd "$(dirname "$0")/.."
packages=${1:-${CARGO_TARGET_DIR:-target}/packaging}
base=http://127.0.0.1:${PORT:-18080}

work=$(mktemp -d) server=''
clean() {
  if [ -n "$server" ]; then kill "$server" && wait "$server" || :; fi
  rm -rf "$work"
}
trap clean EXIT
on_arm() { program=$1 && shift && qemu-aarch64-static -L /usr/aarch64-linux-gnu "$work/usr/bin/$program" "$@"; }
api() { path=$1 && shift && curl --fail-with-body -sS "$base/api/v1$path" -H 'content-type: application/json' "$@"; }

for name in tiffin-edge tiffin-hub; do
  package=$(ls -t "$packages/$name"_*_arm64.deb | head -n 1)
  [ "$(dpkg-deb -f "$package" Architecture)" = arm64 ]
  dpkg-deb -x "$package" "$work"
  echo "$package needs: $(dpkg-deb -f "$package" Depends)"
done
on_arm sync-hub init --data-dir "$work/office" --admin-email me@example.com
on_arm edge init --data-dir "$work/branch" --sample-data
qemu-aarch64-static -L /usr/aarch64-linux-gnu "$work/usr/bin/edge" serve --data-dir "$work/branch" --listen "${base#http://}" --mdns no &
server=$!
on_arm edge ready --data-dir "$work/branch" --wait 300 --listen "${base#http://}"

token=$(api /auth/login -d '{"email":"cashier@sample.test","password":"tiffin-sample"}' | jq -r .data.accessToken)
auth="authorization: Bearer $token"
dish=$(api /menu -H "$auth" | jq '.data.categories[0].items[0]')
order=$(echo "$dish" | jq '{orderType: "COUNTER", items: [{menuItemId: .id, quantity: 2, unitPriceCents: .priceCents}]}' |
  api /orders -H "$auth" -d @-)
due=$(echo "$order" | jq .totalAmountCents)
paid=$(api "/orders/$(echo "$order" | jq -r .id)/payments" -H "$auth" -d "{\"method\":\"CASH\",\"amountCents\":$due,\"tenderedCents\":1000000}")
[ "$(echo "$paid" | jq .data.order.dueCents)" = 0 ]
echo "sold on ARM: $(echo "$order" | jq -r .orderNumber), $due cents, paid"
