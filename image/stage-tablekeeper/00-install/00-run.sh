#!/bin/bash -e
# Installs the Debian package that lies beside this file. The hotspot opens where the Pi is in no network.
install -m 644 files/tablekeeper_*_arm64.deb "${ROOTFS_DIR}/tmp/tablekeeper.deb"
on_chroot <<'CHROOT'
apt-get install -y --no-install-recommends /tmp/tablekeeper.deb
rm /tmp/tablekeeper.deb
sed -i 's/^# camera = "picamera2"/camera = "picamera2"/' /etc/tablekeeper/tablekeeper.toml
systemctl enable tablekeeper-hotspot.timer
CHROOT
# The password of the first hotspot. `HOTSPOT_PASSWORD` comes from the config file or the environment of the build.
if [ -n "${HOTSPOT_PASSWORD}" ]; then
    echo "${HOTSPOT_PASSWORD}" >"${ROOTFS_DIR}/var/lib/tablekeeper/hotspot-password"
    on_chroot <<'CHROOT'
chown tablekeeper: /var/lib/tablekeeper/hotspot-password
chmod 600 /var/lib/tablekeeper/hotspot-password
CHROOT
fi
