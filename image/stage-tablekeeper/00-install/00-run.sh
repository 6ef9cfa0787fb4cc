#!/bin/bash -e
# Installs the Debian package that lies beside this file. The hotspot opens where the Pi is in no network.
install -m 644 files/tablekeeper_*_arm64.deb "${ROOTFS_DIR}/tmp/tablekeeper.deb"
on_chroot <<'CHROOT'
apt-get install -y --no-install-recommends /tmp/tablekeeper.deb
rm /tmp/tablekeeper.deb
sed -i 's/^# camera = "picamera2"/camera = "picamera2"/' /etc/tablekeeper/tablekeeper.toml
systemctl enable tablekeeper-hotspot.timer
CHROOT
# The password of the hotspot, on the part of the card that any computer can read and write. `HOTSPOT_PASSWORD` comes from
# the config file or the environment of the build.
if [ -n "${HOTSPOT_PASSWORD}" ]; then
    echo "${HOTSPOT_PASSWORD}" >"${ROOTFS_DIR}/boot/firmware/tablekeeper-hotspot.txt"
fi
