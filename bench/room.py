"""What arrangements on real devices are made of: made here, and taken away again."""

import os
import shutil
import signal
import subprocess
import tempfile
import time
from contextlib import ExitStack, contextmanager

from process import Failed
from storage import MIB, call, mounted_ext4, require_root, write_random

SIZE = 256 * MIB

class Room:
    """What arrangements are made of; all of it is gone with the room."""

    def __init__(self, stack, folder):
        self.stack, self.folder = stack, folder
        self.backings = {}

    def path(self, name):
        """In a folder on the disk."""
        return os.path.join(self.folder, name)

    def memory(self):
        """A folder in memory."""
        return self.stack.enter_context(tempfile.TemporaryDirectory(dir="/dev/shm"))

    def file(self, size=SIZE):
        """A fully written file on the disk."""
        write_random(self.path("target"), size)
        return self.path("target")

    def loop(self, backing=None, **queue):
        """A loop device over a fully written file in memory; its queue as it is made but for what is given."""
        require_root("losetup")
        if backing is None:
            backing = os.path.join(self.memory(), "backing")
            write_random(backing, SIZE)
        device = call("losetup", "--find", "--show", backing)
        self.backings[device] = backing
        usual = {"scheduler": "none", "max_sectors_kb": 1280, "nr_requests": 128, "read_ahead_kb": 128, "rotational": 0, "nomerges": 0}
        self.stack.callback(call, "losetup", "--detach", device)
        for key, value in usual.items():
            setting(device, key, value)
            self.stack.callback(setting, device, key, value)
        for key, value in queue.items():
            setting(device, key, value)
        return device

    def zram(self):
        """A zram that holds what nothing makes smaller."""
        require_root("losetup")
        try:
            number = read("/sys/class/zram-control/hot_add")
        except OSError as reason:
            raise Failed(f"zram cannot be had here: {reason}") from reason
        self.stack.callback(write, "/sys/class/zram-control/hot_remove", number)
        self.stack.callback(write, f"/sys/block/zram{number}/reset", "1")
        write(f"/sys/block/zram{number}/disksize", str(SIZE))
        with open(f"/dev/zram{number}", "wb") as device:
            device.write(os.urandom(SIZE))
        return f"/dev/zram{number}"

    def name(self, target):
        """Of what is to be destroyed: a loop device's file, a device of the kernel's, or a path."""
        return self.backings.get(target, target.removeprefix("/dev/"))

    def ext4(self):
        """An ext4 over a loop device."""
        folder = self.path("mounted")
        return self.stack.enter_context(mounted_ext4(self.loop(), folder))

    def beside(self, line, count=1):
        """Lines of the shell that run beside it."""
        for _ in range(count):
            child = subprocess.Popen(["sh", "-c", line], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
            self.stack.callback(end, child)
        return child

    def server(self, *words):
        """An NBD server here."""
        if shutil.which("nbdkit") is None:
            raise Failed("nbdkit is not installed")
        socket = self.path("socket")
        child = subprocess.Popen(["nbdkit", "-f", "-U", socket, *words], stderr=subprocess.DEVNULL)
        self.stack.callback(end, child)
        wait_for(lambda: os.path.exists(socket))
        return f"nbd+unix:///?socket={socket}", child

    def wire(self, discipline, *words):
        """An NBD server in a network name space of its own, whose answers go through a discipline of `tc`."""
        require_root("ip")
        name = f"line{os.getpid()}"
        here, there = f"{name}a"[-14:], f"{name}b"[-14:]
        call("ip", "netns", "add", name)
        self.stack.callback(call, "ip", "netns", "del", name)
        call("ip", "link", "add", here, "type", "veth", "peer", "name", there, "netns", name)
        self.stack.callback(call, "ip", "link", "del", here)
        call("ip", "addr", "add", "203.0.113.1/30", "dev", here)
        call("ip", "link", "set", here, "up")
        call("ip", "-n", name, "addr", "add", "203.0.113.2/30", "dev", there)
        call("ip", "-n", name, "link", "set", there, "up")
        if discipline:
            call("ip", "netns", "exec", name, "tc", "qdisc", "add", "dev", there, "root", *discipline.split())
        child = subprocess.Popen(["ip", "netns", "exec", name, "nbdkit", "-f", "-p", "10809", *words], stderr=subprocess.DEVNULL)
        self.stack.callback(end, child)
        time.sleep(0.5)
        return "nbd://203.0.113.2:10809"

    def group(self, controller, file, value):
        """Words that start a command in a control group of its own, with a limit or with none."""
        require_root("sh")
        top = "/sys/fs/cgroup"
        is_first = os.path.isdir(f"{top}/{controller}")
        folder = f"{top}/{controller}/plimsoll-lineup" if is_first else f"{top}/plimsoll-lineup"
        try:
            os.mkdir(folder)
            self.stack.callback(os.rmdir, folder)
            if value is not None:
                name, text = (file[0], value[0]) if is_first else (file[1], value[1])
                write(f"{folder}/{name}", text)
        except OSError as reason:
            raise Failed(f"no control group of {controller} can be made here: {reason}") from reason
        return ("sh", "-c", f'echo $$ > {folder}/cgroup.procs && exec "$@"', "sh")


@contextmanager
def room():
    """A room on the disk where temporary files are."""
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="plimsoll-lineup-"))
        yield Room(stack, folder)


def end(child):
    """Ends a program and all that it started in its session."""
    try:
        if os.getpgid(child.pid) == child.pid:
            os.killpg(child.pid, signal.SIGKILL)
        else:
            child.kill()
    except ProcessLookupError:
        pass
    child.wait()


def wait_for(is_there, patience_s=5.0):
    """Until something is there."""
    deadline = time.monotonic() + patience_s
    while not is_there():
        if time.monotonic() > deadline:
            raise Failed("a server did not start")
        time.sleep(0.05)


def read(path):
    """A value of the kernel's."""
    with open(path, encoding="ascii") as file:
        return file.read().strip()


def write(path, text):
    """Sets a value of the kernel's."""
    with open(path, "w", encoding="ascii") as file:
        file.write(text)


def setting(device, key, value):
    """Sets a value of a device's queue."""
    write(f"/sys/block/{os.path.basename(device)}/queue/{key}", str(value))
