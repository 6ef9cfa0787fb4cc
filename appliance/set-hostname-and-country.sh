#!/bin/sh
# Changes this machine's name and the country of its Wi-Fi. Runs as root; reads them from a file that the user tablekeeper
# writes, and accepts nothing but a plain name and two letters: set-hostname-and-country.sh [FILE]
#
# DRY_RUN=1 prints the commands and runs none.
set -eu
file=${1:-/var/lib/tablekeeper/machine-settings}

run() {
    if [ -n "${DRY_RUN-}" ]; then echo "+ $*"; else "$@"; fi
}

# Prints the value of a key if all of it matches a pattern.
value() {
    sed -n "s/^$1=\\($2\\)\$/\\1/p" "$file" | head -n 1
}

name=$(value name '[a-z0-9][a-z0-9-]\{0,31\}')
country=$(value country '[A-Z][A-Z]')
if [ -n "$name" ]; then
    run hostnamectl set-hostname "$name"
    run sed -i "s/^127\.0\.1\.1[[:space:]].*/127.0.1.1\t$name/" /etc/hosts
    if command -v avahi-set-host-name >/dev/null; then run avahi-set-host-name "$name"; fi
fi
# The country is only for the Wi-Fi. Without an adapter, `iw` would fail.
if [ -z "$country" ]; then
    exit 0
elif command -v raspi-config >/dev/null; then
    run raspi-config nonint do_wifi_country "$country"
elif [ -z "${DRY_RUN-}" ] && [ -z "$(ls "${PHYSICAL_ADAPTERS:-/sys/class/ieee80211}" 2>/dev/null)" ]; then
    echo "The country stays as it is: this machine has no Wi-Fi adapter." >&2
elif [ -n "${DRY_RUN-}" ] || command -v iw >/dev/null; then
    run iw reg set "$country"
else
    echo "The country stays as it is: neither raspi-config nor iw is installed." >&2
fi
