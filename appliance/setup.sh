#!/bin/sh
# Makes or removes what no package manager installs: the user, the Python environment in /opt, the settings file. Used
# by install.sh, by the Debian package and by `tablekeeper update`.
#
#   setup.sh install SOURCE [WHEELS]   SOURCE: a wheel, or a folder with the sources; WHEELS: a folder with all wheels
#                                      that it needs, so that nothing is downloaded
#   setup.sh units FOLDER              copies the systemd units from the environment to FOLDER, and to /etc what Avahi,
#                                      polkit and NetworkManager need
#   setup.sh start | stop              enables and (re)starts the service, or stops and disables it
#   setup.sh remove                    removes the environments; the games and settings stay
#
# DRY_RUN=1 prints the commands and runs none.
set -eu
LINK=/opt/tablekeeper
ENVIRONMENTS=/opt/tablekeeper.d
UNFINISHED=/opt/tablekeeper.update
DATA=/var/lib/tablekeeper
SETTINGS=/etc/tablekeeper/tablekeeper.toml
UNITS="tablekeeper.socket tablekeeper.service tablekeeper-backup.timer tablekeeper-machine.path
    tablekeeper-update.service media-tablekeeper.mount"

run() {
    if [ -n "${DRY_RUN-}" ]; then echo "+ $*"; else "$@"; fi
}

make_user() {
    for group in gpio video dialout; do
        getent group "$group" >/dev/null || run groupadd --system "$group"
    done
    id tablekeeper >/dev/null 2>&1 ||
        run useradd --system --user-group --home-dir "$DATA" --no-create-home --shell /usr/sbin/nologin tablekeeper
    run usermod -aG video,gpio,dialout tablekeeper
    run install -d -o tablekeeper -g tablekeeper -m 700 "$DATA"
}

# Prints the limit on numpy's version for pip. The environment uses the system's packages too, since the Pi's libraries
# for camera and pins come from there. They are built for the system's numpy, so pip must not install a newer major
# version.
numpy_limit() {
    version=$(/usr/bin/python3 -c 'import numpy; print(numpy.__version__)' 2>/dev/null || true)
    case $version in 1.*) echo "numpy<2" ;; esac
}

make_environment() {
    new=$ENVIRONMENTS/$(date +%Y%m%d-%H%M%S)
    previous=$(readlink "$LINK" || true)
    run mkdir -p "$ENVIRONMENTS"
    run /usr/bin/python3 -m venv --system-site-packages "$new"
    set -- "$1" "${2:+--no-index}" "${2:+--find-links=$2}" "$(numpy_limit)"
    # With what MQTT needs, because nobody should have to install packages into the environment.
    # shellcheck disable=SC2086  # empty arguments must vanish
    run "$new/bin/python" -m pip install --quiet --disable-pip-version-check --no-cache-dir $2 $3 $4 "$1[mqtt]" || {
        rm -rf "$new"
        echo "Tablekeeper's packages could not be installed; nothing was changed." >&2
        exit 1
    }
    # After a power cut, the link must not lead to an environment that is not on the disk yet.
    run sync
    run ln -sfn "$new" "$LINK.new"
    run mv -T "$LINK.new" "$LINK"
    forget_old_environments
}

# Removes all environments but the current one and the one before, which an update can roll back to. Their names do
# not tell which they are: a Pi has no clock that goes on without power. The first line of $UNFINISHED is the one that an
# interrupted update goes back to.
forget_old_environments() {
    [ -z "${DRY_RUN-}" ] || return 0
    to_go_back_to=$(head -n 1 "$UNFINISHED" 2>/dev/null || true)
    for old in "$ENVIRONMENTS"/*; do
        [ "$old" = "$new" ] || [ "$old" = "$previous" ] || [ "$old" = "$to_go_back_to" ] || rm -rf "$old"
    done
}

# Only the service may read the settings besides root: they may have the password of a broker or a camera.
copy_settings() {
    run install -d -m 755 /etc/tablekeeper
    [ -e "$SETTINGS" ] || run install -m 644 "$LINK/share/tablekeeper/appliance/tablekeeper.toml" "$SETTINGS"
    run chgrp tablekeeper "$SETTINGS"
    run chmod 640 "$SETTINGS"
}

has_systemd() {
    [ -n "${DRY_RUN-}" ] || [ -d /run/systemd/system ]
}

case ${1-} in
install)
    make_user
    make_environment "$2" "${3-}"
    copy_settings
    ;;
units)
    for unit in $UNITS tablekeeper-backup.service tablekeeper-machine.service tablekeeper-hotspot.service \
        tablekeeper-hotspot.timer; do
        run install -D -m 644 "$LINK/share/tablekeeper/appliance/$unit" "$2/$unit"
    done
    run install -D -m 644 "$LINK/share/tablekeeper/appliance/avahi.service" /etc/avahi/services/tablekeeper.service
    run install -D -m 644 "$LINK/share/tablekeeper/appliance/tablekeeper.rules" \
        /etc/polkit-1/rules.d/50-tablekeeper.rules
    run install -D -m 644 "$LINK/share/tablekeeper/appliance/hotspot-dns.conf" \
        /etc/NetworkManager/dnsmasq-shared.d/tablekeeper.conf
    ;;
start)
    # shellcheck disable=SC2086
    run systemctl --quiet enable $UNITS
    if has_systemd; then
        run systemctl daemon-reload
        run systemctl --quiet stop tablekeeper.service 2>/dev/null
        run systemctl start tablekeeper.socket tablekeeper-backup.timer tablekeeper-machine.path
        run systemctl start tablekeeper.service ||
            echo "Tablekeeper could not be started; sudo journalctl -u tablekeeper says why." >&2
    fi
    ;;
stop)
    # shellcheck disable=SC2086
    if has_systemd; then run systemctl --quiet stop $UNITS tablekeeper-hotspot.timer || true; fi
    # shellcheck disable=SC2086
    run systemctl --quiet disable $UNITS tablekeeper-hotspot.timer || true
    ;;
remove)
    run rmdir --ignore-fail-on-non-empty /media/tablekeeper 2>/dev/null || true
    run rm -rf "$LINK" "$ENVIRONMENTS" "$UNFINISHED" /var/lib/systemd/timers/stamp-tablekeeper-backup.timer
    ;;
*)
    sed -n '2,13s/^# \{0,1\}//p' "$0" >&2
    exit 2
    ;;
esac
