#!/bin/sh
# Installs Tiffin from its tarball, below /usr/local, on any Linux; on Debian and its kin use the packages. Never touches the
# data of a branch but for a backup before an upgrade, and deletes them only with --purge.
#
#   ./install.sh [edge|hub]               installs, or goes over to this version and back if it does not work
#   ./install.sh [edge|hub] --uninstall   removes the programs; settings and data stay
#   ./install.sh [edge|hub] --purge       removes the programs, the settings and the data
set -eu

server=edge action=install
for argument in "$@"; do
  case $argument in
    edge | hub) server=$argument ;;
    --uninstall | --purge) action=${argument#--} ;;
    *) sed -n 's/^#   //p' "$0" >&2; exit 2 ;;
  esac
done
from=$(cd "$(dirname "$0")" && pwd)
case $server in
  edge) name=tiffin-edge program=edge user=tiffin ;;
  hub) name=tiffin-hub program=sync-hub user=tiffin-hub ;;
esac
settings=/etc/tiffin/$server.toml data=/var/lib/$user
binary=/usr/local/bin/$program lib=/usr/local/lib/$name unit=/etc/systemd/system/$name.service

fail() { echo "install.sh: $*" >&2; exit 1; }
[ "$(id -u)" = 0 ] || fail "run it as root: sudo $0 $*"
if [ -x "/usr/lib/$name/upgrade" ]; then fail "the Debian package $name is installed; use apt"; fi

systemd_runs() { [ -d /run/systemd/system ]; }

# Lays a file down as a whole: a machine that loses power has the old one or the new one.
lay() { # mode, from, to
  mkdir -p "$(dirname "$3")"
  cp "$2" "$3.new"
  chmod "$1" "$3.new"
  mv -f "$3.new" "$3"
}

make_user() {
  if id "$user" >/dev/null 2>&1; then return; fi
  if command -v useradd >/dev/null; then
    useradd --system --user-group --home-dir "$data" --no-create-home --shell /usr/sbin/nologin "$user"
  elif command -v adduser >/dev/null; then
    addgroup -S "$user"
    adduser -S -D -H -h "$data" -s /sbin/nologin -G "$user" "$user"
  else
    fail "make a system user \"$user\" first: there is neither useradd nor adduser here"
  fi
}

lay_settings() {
  if [ -e "$settings" ]; then
    lay 640 "$from/$server.toml" "$settings.example"
  else
    lay 640 "$from/$server.toml" "$settings"
  fi
  chown "root:$user" "$settings"*
}

install() {
  "$from/$program" --version >/dev/null 2>&1 || fail "$program does not run on this machine ($(uname -m)); is this the right tarball?"
  if [ -x "$lib/upgrade" ]; then "$lib/upgrade" room; fi
  make_user
  mkdir -p "$data" "$data-mark"
  chmod 700 "$data" "$data-mark"
  chown "$user:$user" "$data" "$data-mark"
  if [ -x "$lib/upgrade" ]; then "$lib/upgrade" keep; fi
  lay_settings
  lay 755 "$from/upgrade.sh" "$lib/upgrade"
  lay 755 "$from/$program" "$binary"
  sed 's,/usr/bin/,/usr/local/bin/,' "$from/$name" >"$lib/command"
  lay 755 "$lib/command" "/usr/local/sbin/$name"
  rm "$lib/command"
  for page in "$from/man/$program"*.1; do lay 644 "$page" "/usr/local/share/man/man1/$(basename "$page")"; done
  lay 644 "$from/$name.8" "/usr/local/share/man/man8/$name.8"
  if ! systemd_runs && ! command -v systemctl >/dev/null; then
    say_without_systemd
    return
  fi
  sed 's,/usr/bin/,/usr/local/bin/,' "$from/$name.service" >"$lib/unit"
  lay 644 "$lib/unit" "$unit"
  rm "$lib/unit"
  systemctl enable --quiet "$name.service"
  if [ -e "$lib/previous/pending" ]; then
    "$lib/upgrade" switch
  elif systemd_runs; then
    systemctl daemon-reload
    systemctl restart "$name" || fail "$name is installed and does not start; see: journalctl -u $name"
    say_what_next
  fi
}

say_what_next() {
  echo "$name is installed and starts with the machine. Settings: $settings"
  case $server in
    edge) echo "The link to set up this branch: tiffin-edge setup-link (also in: journalctl -u tiffin-edge)" ;;
    hub) echo "Make the first super-admin with: tiffin-hub init --admin-email me@example.com" ;;
  esac
}

say_without_systemd() {
  rm -f "$lib/previous/pending"
  cat <<WORDS
$binary is installed. There is no systemd here, so let your init system do this, as the user $user,
at every start of the machine and whenever it ends:

  $binary serve --config $settings

It writes its log to standard error and stops at SIGTERM. After an upgrade, restart it: before its database is changed, it
takes a backup. The version before is kept in $lib/previous.
WORDS
}

remove() {
  if systemd_runs; then systemctl disable --quiet --now "$name.service" 2>/dev/null || :; fi
  rm -rf "$lib" "$binary" "/usr/local/sbin/$name" "$unit" "/usr/local/share/man/man8/$name.8"
  rm -f "/usr/local/share/man/man1/$program.1" "/usr/local/share/man/man1/$program"-*.1
  if systemd_runs; then systemctl daemon-reload; fi
}

case $action in
  install) install ;;
  uninstall)
    remove
    echo "$name is removed. Settings ($settings) and data ($data) are kept; --purge deletes them."
    ;;
  purge)
    remove
    rm -rf "$data" "$data-mark" "$settings" "$settings.example"
    rmdir /etc/tiffin 2>/dev/null || :
    echo "$name, its settings and its data are gone."
    ;;
esac
