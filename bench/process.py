"""Runs a command, and measures from outside what it cost."""

import os
import shlex
import subprocess
import tempfile
import time
from dataclasses import dataclass


class Failed(Exception):
    """A command that could not be measured; the text says which and why."""


@dataclass(frozen=True)
class Child:
    """A command that has ended well."""

    output: str
    """What it wrote to standard output."""
    cpu_s: float
    """User and system time of all its threads, io_uring's kernel workers (iou-wrk, threads of the process) with them."""
    wall_s: float
    others_cpu_s: float
    """CPU time that everyone else took meanwhile. The kernel's own work for the command, a loop device's worker say,
    is in it."""


def run(command):
    """Runs `command` to its end. The kernel's account of the ended process (`wait4`) is the measure for every tool."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        busy = busy_cpu_s()
        start = time.monotonic()
        child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=err)
        try:
            _, status, usage = os.wait4(child.pid, 0)
        except BaseException:
            child.kill()
            raise
        wall_s = time.monotonic() - start
        busy = busy_cpu_s() - busy
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode != 0:
            raise Failed(f"{shlex.join(command)}\nended with {child.returncode}: {text(err).strip()[-800:]}")
        cpu_s = usage.ru_utime + usage.ru_stime
        return Child(text(out), cpu_s, wall_s, max(busy - cpu_s, 0.0))


def text(file):
    """What was written to a temporary file."""
    file.seek(0)
    return file.read().decode(errors="replace")


def busy_cpu_s():
    """CPU time that this machine has spent on anything but idling, steal included, since it was started."""
    with open("/proc/stat", encoding="ascii") as stat:
        user, nice, system, _idle, _iowait, irq, softirq, steal = map(int, stat.readline().split()[1:9])
    return (user + nice + system + irq + softirq + steal) / os.sysconf("SC_CLK_TCK")
