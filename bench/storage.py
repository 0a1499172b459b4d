"""What is read and written: made here, and taken away again."""

import os
import shutil
import subprocess
import time
from contextlib import contextmanager

from process import Failed

MIB = 1 << 20


def write_random(path, size):
    """Fills a new file with bytes that no layer below can shorten, through to the medium."""
    part = path + ".part"
    with open(part, "wb") as file:
        for _ in range(size // MIB):
            file.write(os.urandom(MIB))
        file.flush()
        os.fsync(file.fileno())
    os.rename(part, path)


def random_file(path, size):
    """A fully written file; one of the right size from an earlier run is used again."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    if not os.path.exists(path) or os.path.getsize(path) != size:
        write_random(path, size)
    return path


@contextmanager
def loop_device(size):
    """A loop device with 512-byte sectors over a fully written file in memory."""
    require_root("losetup")
    if shutil.disk_usage("/dev/shm").free < 2 * size:
        raise Failed("/dev/shm has no room for the loop device's file")
    backing = f"/dev/shm/plimsoll-bench-{os.getpid()}"
    device = None
    try:
        write_random(backing, size)
        device = call("losetup", "--sector-size", "512", "--find", "--show", backing)
        yield device
    finally:
        if device is not None:
            call("losetup", "--detach", device)
        for path in (backing, backing + ".part"):
            if os.path.exists(path):
                os.unlink(path)


@contextmanager
def mounted_ext4(device, folder):
    """A fresh ext4 on `device`, mounted at `folder`."""
    require_root("mkfs.ext4")
    os.makedirs(folder, exist_ok=True)
    call("mkfs.ext4", "-q", "-F", device)
    call("mount", device, folder)
    try:
        yield folder
    finally:
        unmount(folder)
        os.rmdir(folder)


def unmount(folder, patience_s=5.0):
    """Unmounts. The kernel lets go of an ended program's io_uring files a little after its end."""
    deadline = time.monotonic() + patience_s
    while True:
        try:
            call("umount", folder)
            return
        except Failed:
            if time.monotonic() > deadline:
                raise
        time.sleep(0.1)


def require_root(program):
    """Fails with the reason where a device can't be set up here."""
    if os.geteuid() != 0:
        raise Failed(f"{program} needs root")
    if shutil.which(program) is None:
        raise Failed(f"{program} is not installed")


def call(*command):
    """Runs a short command; its output without the line's end."""
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise Failed(f"{' '.join(command)}: {done.stderr.strip()}")
    return done.stdout.strip()
