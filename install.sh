#!/bin/sh
# Installs Tablekeeper as a service on Raspberry Pi OS or Debian 12 or 13, or updates it. From the unpacked archive:
#
#   sh install.sh               installs, starts it, and starts it at every boot
#   sh install.sh --dry-run     prints what it would do, and does nothing
#   sh install.sh --uninstall   removes the program; the games stay in /var/lib/tablekeeper
#
# The program goes to /opt/tablekeeper, the settings to /etc/tablekeeper, the games to /var/lib/tablekeeper. It runs as
# the user tablekeeper. Run it again after a mistake or for a newer version: what is there already stays.
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
action=install
for argument in "$@"; do
    case $argument in
    --dry-run) DRY_RUN=1 && export DRY_RUN ;;
    --uninstall) action=uninstall ;;
    *) sed -n '2,9s/^# \{0,1\}//p' "$0" && exit 2 ;;
    esac
done

fail() {
    echo "install.sh: $*" >&2
    exit 1
}

if [ "$(id -u)" != 0 ] && [ -z "${DRY_RUN-}" ]; then
    command -v sudo >/dev/null || fail "This needs root: run it as root, or install sudo."
    exec sudo sh "$here/install.sh" "$@"
fi
command -v apt-get >/dev/null || fail "This is for Raspberry Pi OS and Debian. Elsewhere: pipx install ."
python=$(python3 -c 'import sys; print(sys.version_info >= (3, 11))' 2>/dev/null || echo True)
[ "$python" = True ] || fail "Python 3.11 or later is needed: Raspberry Pi OS or Debian 12 or later has it."

run() {
    if [ -n "${DRY_RUN-}" ]; then echo "+ $*"; else "$@"; fi
}

setup() {
    sh "$here/appliance/setup.sh" "$@"
}

is_available() {
    [ -n "$(apt-cache --names-only search "^$1\$")" ]
}

finish() {
    if [ -n "${DRY_RUN-}" ]; then
        echo "Nothing was changed. Without --dry-run, these commands are run."
    else
        printf '%s\n' "$@"
    fi
}

case $action in
install)
    echo "Installing packages …"
    run apt-get update -qq
    packages="python3 python3-venv libzbar0 avahi-daemon"
    for optional in python3-lgpio iw; do
        if is_available "$optional"; then packages="$packages $optional"; fi
    done
    if grep -qs "Raspberry Pi" /proc/device-tree/model && is_available python3-picamera2; then
        packages="$packages python3-picamera2"
    fi
    # shellcheck disable=SC2086
    run env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $packages
    echo "Installing Tablekeeper …"
    setup install "$here"
    setup units /etc/systemd/system
    run install -m 755 "$here/appliance/tablekeeper" /usr/local/bin/tablekeeper
    setup start
    finish "Tablekeeper is installed. Phones open the address shown by: systemctl status tablekeeper" \
        "The host's link: sudo journalctl -u tablekeeper | grep 'host?key' | tail -n 1"
    ;;
uninstall)
    setup stop
    run rm -f /etc/systemd/system/tablekeeper.service /etc/systemd/system/tablekeeper.socket \
        /etc/systemd/system/tablekeeper-backup.service /etc/systemd/system/tablekeeper-backup.timer \
        /etc/systemd/system/tablekeeper-hotspot.service /etc/systemd/system/tablekeeper-hotspot.timer \
        /etc/systemd/system/tablekeeper-machine.service /etc/systemd/system/tablekeeper-machine.path \
        /etc/systemd/system/tablekeeper-update.service /etc/systemd/system/media-tablekeeper.mount \
        /etc/polkit-1/rules.d/50-tablekeeper.rules /etc/NetworkManager/dnsmasq-shared.d/tablekeeper.conf \
        /etc/NetworkManager/system-connections/tablekeeper-hotspot.nmconnection \
        /usr/local/bin/tablekeeper /etc/avahi/services/tablekeeper.service
    setup remove
    run systemctl daemon-reload
    finish "Tablekeeper is removed. The games are still in /var/lib/tablekeeper, the settings in /etc/tablekeeper."
    ;;
esac
