#!/bin/sh
# Goes over to a new version of an installed server: with a backup first, a trial that no client can reach, and the way back to
# the old program and the data of before. Used by the Debian packages and by install.sh; installed as PREFIX/lib/NAME/upgrade,
# where NAME is tiffin-edge or tiffin-hub. Never touches data without a backup, never throws a program away that worked.
#
#   upgrade room      before anything: fails where the disk has no room for the backup of the server that runs
#   upgrade keep      before new files are laid over the old ones: keeps the program and the unit that work now
#   upgrade switch    after that: goes over; exit 1 when the old version serves again
#   upgrade again     tries a version once more that did not become ready
#   upgrade forget    drops what was kept
set -eu

here=$(dirname "$(readlink -f "$0")")
name=$(basename "$here")
prefix=${here%/lib/*}
case $name in
  # No number was given out since the backup: the trial has no clients.
  tiffin-edge) program=edge user=tiffin settings=/etc/tiffin/edge.toml variables=TIFFIN restore='restore --skip-numbers 0' ;;
  tiffin-hub) program=sync-hub user=tiffin-hub settings=/etc/tiffin/hub.toml variables=TIFFIN_HUB restore=restore ;;
  *) echo "$0: not installed as tiffin-edge or tiffin-hub" >&2; exit 1 ;;
esac
binary=$prefix/bin/$program
if [ "$prefix" = /usr ]; then unit=/lib/systemd/system/$name.service; else unit=/etc/systemd/system/$name.service; fi

previous=$here/previous   # what worked before; "pending" lies beside it until the new version has shown that it works
refused=$here/refused     # what did not become ready
trial=/run/systemd/system/$name.service.d/90-upgrade.conf
patience=${TIFFIN_UPGRADE_PATIENCE:-600}

say() {
  echo "$name: $*"
  if command -v logger >/dev/null; then logger -t "$name" -- "$*" || :; fi
}

# The server's own command line, as its own user, with its own settings.
as_server() { # binary, arguments
  (umask 077 && runuser -u "$user" -- env "${variables}_CONFIG=$settings" "$@")
}

setting() { as_server "$1" config | sed -n "s/^$2  *\([^ ].*[^ ]\)  .*/\1/p"; }

systemd_runs() { [ -d /run/systemd/system ]; }

keep_into() { # folder: copies of what is installed now; hard links where the file system can
  rm -rf "$1"
  mkdir -p "$1"
  for file in "$binary" "$unit"; do
    ln -f "$file" "$1/" 2>/dev/null || cp -p "$file" "$1/"
  done
}

lay_out() { # folder: makes what it holds the installed version
  for file in "$binary" "$unit"; do
    if [ -e "$1/$(basename "$file")" ]; then
      cp -p "$1/$(basename "$file")" "$file.new"
      mv -f "$file.new" "$file"
    fi
  done
  if systemd_runs; then systemctl daemon-reload; fi
}

# The backup before the upgrade is a copy of the data and its compressed self, beside what must stay free to sell on.
room() {
  systemd_runs && systemctl is-active --quiet "$name" || return 0
  data=$(setting "$binary" data-dir)
  [ -d "$data" ] || return 0
  needed=$(find "$data" -name '*.db' ! -path '*/backups/*' -printf '%s\n' | awk '{ bytes += $1 } END { print int(bytes * 1.5 / 1024) + 65536 }')
  free=$(df -Pk "$data" | awk 'NR == 2 { print $4 }')
  [ "$free" -ge "$needed" ] && return 0
  say "NOT UPGRADED. $data has $((free / 1024)) MiB free, and the backup before an upgrade needs $((needed / 1024)) MiB." >&2
  say "Nothing was changed, and the installed version serves on. Make room, and install it again." >&2
  return 1
}

keep() {
  rm -rf "$refused"
  # An upgrade that was cut off: what lies there has never shown that it works.
  if [ -e "$previous/pending" ]; then return; fi
  [ -x "$binary" ] || return 0
  keep_into "$previous.new"
  if systemd_runs && systemctl is-active --quiet "$name"; then echo served; else echo stopped; fi >"$previous.new/pending"
  # What dpkg calls it: to be installed again where the new one is refused.
  dpkg-query -W -f '${Version}_${Architecture}' "$name" >"$previous.new/version" 2>/dev/null || :
  rm -rf "$previous"
  mv "$previous.new" "$previous"
}

done_with() {
  rm -f "$previous/pending" "$previous/backup" "$previous/since" "$trial"
  rmdir "$(dirname "$trial")" 2>/dev/null || :
  if systemd_runs; then systemctl daemon-reload; fi
}

back_up() { # leaves the backup's path in $previous/backup; empty when there is nothing yet, or nothing that can be backed up here
  say "taking a backup"
  as_server "$previous/$program" backup --for-upgrade >"$previous/backup.new" || return 1
  mv "$previous/backup.new" "$previous/backup"
  touch "$previous/since"
}

# Starts the new version at an address that nobody knows, so that nothing it takes on must be taken back if it fails.
try_out() {
  mkdir -p "$(dirname "$trial")"
  cat >"$trial" <<DROP_IN
[Service]
Restart=no
TimeoutStartSec=$patience
Environment=${variables}_LISTEN=127.0.0.1:0 ${variables}_TLS_LISTEN= ${variables}_MDNS=no
Environment=${variables}_BACKUP_AT=off ${variables}_BACKUP_BEFORE_UPGRADE=no
DROP_IN
  systemctl daemon-reload
  # Type=notify: comes back when the program says that its database takes writes, or when it ends.
  systemctl start "$name" || return 1
  address=$(systemctl show -p StatusText --value "$name" | sed -n 's,.*http://\(127\.0\.0\.1:[0-9]*\).*,\1,p')
  if [ -n "$address" ]; then
    as_server "$binary" ready --wait 60 --listen "$address" >/dev/null || return 1
  fi
  rm -f "$trial"
  systemctl daemon-reload
  systemctl restart "$name"
}

roll_back() { # why
  say "$1. Going back to the version before and the data of before; see: journalctl -u $name"
  systemctl stop "$name" || :
  rm -f "$trial"
  keep_into "$refused"
  lay_out "$previous"
  backup=$(cat "$previous/backup")
  if [ -n "$backup" ] && [ -n "$(find "$data" -name '*.db*' -newer "$previous/since" | head -n 1)" ]; then
    # shellcheck disable=SC2086 # words
    if ! as_server "$binary" $restore "$backup"; then
      say "THE DATA COULD NOT BE PUT BACK. They are in $backup; put them back with: $name restore $backup"
    fi
  fi
  done_with
  if systemctl start "$name"; then
    say "the version before serves again: $("$binary" --version)."
    say_ways_on
  else
    say "THE VERSION BEFORE DOES NOT START EITHER; see: journalctl -u $name"
  fi
  return 1
}

# What somebody can do about a refused version.
say_ways_on() {
  if [ "$prefix" != /usr ]; then
    say "To try the new one again: install it again."
    return
  fi
  say "apt and dpkg call $name half-configured until one of these is done; they leave the running server alone:"
  say "  apt install --allow-downgrades ./${name}_$(cat "$previous/version" 2>/dev/null || echo 'VERSION').deb   (the version that serves)"
  say "  apt install ./$name….deb   (a newer one)"
  say "  $here/upgrade again && dpkg --configure $name   (the refused one once more)"
}

# Tries the refused version once more: because somebody asked for it, never because apt was used for something else.
again() {
  [ -d "$refused" ] || { say "no version was refused"; return 1; }
  rm -rf "$here/again"
  mv "$refused" "$here/again"
  # dpkg knows the refused one by now.
  serving=$(cat "$previous/version" 2>/dev/null || :)
  keep
  echo "$serving" >"$previous/version"
  lay_out "$here/again"
  rm -rf "$here/again"
  switch
}

switch() {
  if [ ! -e "$previous/pending" ] && [ -d "$refused" ]; then
    # As `dpkg --configure` asks with every use of apt: the branch that serves is not stopped for it.
    say "the new version was refused on $(date -r "$refused" '+%F %R'), and the version before serves."
    say_ways_on
    return 1
  fi
  [ -e "$previous/pending" ] || return 0
  if ! systemd_runs; then
    say "restart it yourself; the version before is kept in $previous"
    rm -f "$previous/pending"
    return 0
  fi
  systemctl daemon-reload
  if [ "$(cat "$previous/pending")" != served ]; then
    # It did not serve before: there is nothing to go back to that worked.
    done_with
    if systemctl is-enabled --quiet "$name"; then systemctl restart "$name" || say "it does not start; see: journalctl -u $name"; fi
    return 0
  fi
  if [ -e "$previous/backup" ] && systemctl is-active --quiet "$name" && [ ! -e "$trial" ]; then
    done_with # cut off in the middle, and the new version serves since the next start of the machine
    return 0
  fi
  data=$(setting "$previous/$program" data-dir)
  systemctl stop "$name"
  if [ ! -e "$previous/backup" ] && ! back_up; then
    : >"$previous/backup"
    touch "$previous/since"
    roll_back "NO BACKUP COULD BE TAKEN"
  elif try_out; then
    done_with
    say "serving: $("$binary" --version)"
  else
    roll_back "THE NEW VERSION DOES NOT WORK HERE"
  fi
}

case ${1:-} in
  room) room ;;
  keep) keep ;;
  switch) switch ;;
  again) again ;;
  forget) rm -rf "$previous" "$previous.new" "$refused" "$here/again" "$trial" ;;
  *) sed -n 's/^#   //p' "$0" >&2; exit 2 ;;
esac
