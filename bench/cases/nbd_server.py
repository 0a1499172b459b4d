"""What the lab's server itself costs: the same fio against it, answering at once, and against nbdkit's memory plugin."""

import contextlib
import os
import shlex
import shutil
import subprocess
import tempfile
import time

from alternate import alternate
from contender import PLIMSOLL, fio
from process import Failed, run
from result import Goal, Result, quietness
from table import rate

SIZE = 1 << 30
DEPTHS = (1, 32)
EXPORT = "scale-out-flash-8/lun0"
START_S = 10


def measure(settings):
    """4 KiB random reads of data that was written, at both depths."""
    if shutil.which("nbdkit") is None:
        raise Failed("nbdkit is missing; scripts/tools installs it")
    with tempfile.TemporaryDirectory() as folder:
        lab, kit = os.path.join(folder, "lab"), os.path.join(folder, "nbdkit")
        lab_uri, kit_uri = f"nbd+unix:///{EXPORT}?socket={lab}", f"nbd+unix:///?socket={kit}"
        serve = [PLIMSOLL, "lab", "serve", EXPORT.split("/")[0], "--size", str(SIZE), "--no-timing", "--socket", lab]
        memory = ["nbdkit", "--foreground", "--unix", kit, "memory", str(SIZE)]
        with server(serve, lab), server(memory, kit):
            for uri in (lab_uri, kit_uri):
                run(["fio", "--name=fill", "--ioengine=nbd", f"--uri={uri}", "--rw=write", "--bs=1M", "--iodepth=4",
                     f"--size={SIZE}", "--refill_buffers"])
            contenders = []
            for depth in DEPTHS:
                job = ["--rw=randread", "--norandommap", f"--size={SIZE}", f"--iodepth={depth}"]
                for name, uri in (("lab", lab_uri), ("nbdkit", kit_uri)):
                    contenders.append(fio(f"{name}, depth {depth}", settings.seconds, "4k", None, "--ioengine=nbd", f"--uri={uri}", *job))
            series = alternate(contenders, settings.rounds)
    goals = []
    for depth in DEPTHS:
        mine, theirs = series[f"lab, depth {depth}"].rate, series[f"nbdkit, depth {depth}"].rate
        goals.append(Goal(f"depth {depth}: IOPS at least nbdkit's", f"{rate(mine)} / {rate(theirs)}", mine >= theirs))
    return Result(
        title="The lab's NBD server, answering at once: 4 KiB random reads by fio over a Unix socket",
        header=["server", "IOPS"],
        rows=[[c.name, f"{rate(series[c.name].rate)} ({rate(max(series[c.name].iops))})"] for c in contenders],
        goals=goals,
        commands=[shlex.join(c).replace(folder, "FOLDER") for c in (serve, memory, *(c.command for c in contenders))],
        remarks=[
            "Servers and fio share the machine, and the server is among what else was busy. The lab counts every request in its model.",
            quietness(series),
        ],
        data={name: s.as_json() for name, s in series.items()},
    )


@contextlib.contextmanager
def server(command, socket):
    """A server that listens on `socket`, until it's no longer needed."""
    child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    try:
        end = time.monotonic() + START_S
        while not os.path.exists(socket):
            if child.poll() is not None or time.monotonic() > end:
                raise Failed(f"{shlex.join(command)}\ndoes not listen")
            time.sleep(0.01)
        yield
    finally:
        child.terminate()
        child.wait()
