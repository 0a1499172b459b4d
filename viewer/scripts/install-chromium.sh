#!/bin/sh
# Installs the browser that the viewer's tests drive: the distribution's own Chromium.
set -eu

if command -v chromium >/dev/null 2>&1; then
    echo "chromium is there: $(command -v chromium)"
elif [ "$(id -u)" -ne 0 ]; then
    echo "chromium is missing, and only root can install it: apt-get install chromium" >&2
    exit 1
elif command -v apt-get >/dev/null 2>&1; then
    apt-get update
    DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends chromium
else
    echo "chromium is missing, and this script knows only apt-get; install it and set CHROMIUM to its path" >&2
    exit 1
fi
