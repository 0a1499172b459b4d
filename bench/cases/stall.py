"""Whether a stall is seen: a schedule of 1000 I/Os a second meets storage that stands still for one second of six."""

import fcntl
import json
import os
import shlex
import subprocess
import threading
import time
from dataclasses import dataclass

from contender import PLIMSOLL
from process import Failed, run
from result import Goal, Result
from storage import loop_device, mounted_ext4, write_random

RATE = 1000
SECONDS = 6
STALL_S = 1.0
DEPTH = 32
TOLERANCE = 0.02
DEVICE_SIZE = 1 << 30
FILE_SIZE = 256 << 20

# linux/fs.h
FIFREEZE = 0xC0045877
FITHAW = 0xC0045878

SCRIPTED = ["cargo", "test", "--release", "--locked", "-p", "plimsoll-engine", "stall", "--", "--nocapture"]


@dataclass(frozen=True)
class Stall:
    """How long the file system stood still, s. Both calls, to freeze and to thaw, take a while: it is between these."""

    at_least_s: float
    at_most_s: float

    @property
    def p99_ms(self):
        """The true 99th percentile, from and to: the waits of the stalled I/Os are even from 0 to the stall, and a hundredth of all I/Os
        is the top of them."""
        return tuple((s - SECONDS / 100) * 1e3 for s in (self.at_least_s, self.at_most_s))

    def error(self, p99_ms):
        """Share by which a percentile is off."""
        low, high = self.p99_ms
        return max(1 - p99_ms / low, p99_ms / high - 1, 0.0)


@dataclass(frozen=True)
class Seen:
    """What a tool says of a run with a stall in it."""

    mean_ms: float
    p50_ms: float
    p99_ms: float
    max_ms: float


def measure(settings):
    """The scripted stall is the measurement; the frozen file system shows the same on real I/O, beside fio."""
    scripted, goals = scripted_stall()
    try:
        rows, commands, true_goals, data = frozen(settings)
        goals += true_goals
        remarks = []
    except Failed as reason:
        rows, commands, data = [], [], {}
        remarks = [f"The file system was not frozen: {reason}"]
    return Result(
        title=f"Storage that stands still for {STALL_S:g} s of {SECONDS} s, at {RATE}/s",
        header=["tool", "what", "mean ms", "p50 ms", "p99 ms", "max ms", "truth: p99 ms"],
        rows=rows,
        goals=goals,
        commands=[shlex.join(SCRIPTED), *commands],
        remarks=[
            *(["What the scripted stall prints:\n\n" + "\n".join(scripted)] if scripted else []),
            f"The table: 4 KiB random writes to a file on an ext4 that is frozen (FIFREEZE) for {STALL_S:g} s and a little more. The "
            "I/Os of that time wait from 0 to all of it, evenly, so that of the whole schedule one in a hundred waits longer than the "
            "stall less a hundredth of the run: that is the truth, as exactly as the calls that freeze and thaw can be timed.",
            *remarks,
        ],
        data=data,
    )


def scripted_stall():
    """The engine's loop on a scripted clock against a scripted target: the same in each run, on every machine."""
    done = subprocess.run(SCRIPTED, capture_output=True, text=True)
    lines = done.stdout.splitlines()
    ran = sum(line.startswith("test ") and line.endswith(("ok", "FAILED")) for line in lines)
    said = [f"    {line.strip()}" for line in lines if "p99" in line]
    passed = f"{ran} passed" if done.returncode == 0 else "failed"
    goal = Goal(
        f"scripted: p99 of response within {TOLERANCE:.0%} of the truth",
        passed if ran else "no such test ran",
        done.returncode == 0 and ran > 0,
    )
    return said, [goal]


def frozen(settings):
    """Plimsoll and fio in turn on one frozen file system."""
    ours, theirs = [], []
    folder = os.path.join(settings.folder, "frozen")
    file = os.path.join(folder, "data")
    with loop_device(DEVICE_SIZE) as device, mounted_ext4(device, folder):
        write_random(file, FILE_SIZE)
        ours_command, theirs_command = plimsoll_command(file), fio_command(file)
        for turn in range(2):
            for mine in (True, False) if turn % 2 == 0 else (False, True):
                output, stall = with_stall(ours_command if mine else theirs_command, folder)
                if mine:
                    ours.append((read_plimsoll(output), stall))
                else:
                    theirs.append((read_fio(output), stall))
    rows = [row("plimsoll", "response", *one) for one in ours] + [row("fio", "lat", *one) for one in theirs]
    worst = max(stall.error(seen.p99_ms) for seen, stall in ours)
    goal = Goal(f"frozen ext4: p99 of response within {TOLERANCE:.0%} of the truth", f"{worst:.1%} off", worst <= TOLERANCE)
    data = {
        name: [{**vars(stall), **vars(seen)} for seen, stall in runs] for name, runs in (("plimsoll", ours), ("fio", theirs))
    }
    return rows, [shlex.join(ours_command), shlex.join(theirs_command)], [goal], data


def row(tool, what, seen, stall):
    """One run."""
    numbers = (seen.mean_ms, seen.p50_ms, seen.p99_ms, seen.max_ms)
    low, high = stall.p99_ms
    return [tool, what, *(f"{n:,.3f}" if n < 10 else f"{n:,.0f}" for n in numbers), f"{low:,.0f} to {high:,.0f}"]


def with_stall(command, folder):
    """Runs the command while the file system stands still for a time that begins a third into the run; and that time."""
    stalls = []
    freezer = threading.Thread(target=lambda: stalls.append(freeze(folder, SECONDS / 3)))
    freezer.start()
    try:
        child = run(command)
    finally:
        freezer.join()
    if stalls[0] is None:
        raise Failed("this file system can't be frozen")
    return child.output, stalls[0]


def freeze(folder, after_s):
    """Freezes after a time, and thaws again. None where that can't be done."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        time.sleep(after_s)
        before = time.monotonic()
        fcntl.ioctl(handle, FIFREEZE, 0)
        frozen = time.monotonic()
        try:
            time.sleep(STALL_S)
            at_least_s = time.monotonic() - frozen
        finally:
            fcntl.ioctl(handle, FITHAW, 0)
        return Stall(at_least_s, time.monotonic() - before)
    except OSError:
        return None
    finally:
        os.close(handle)


def plimsoll_command(file):
    """Even gaps, as fio's are."""
    return [
        PLIMSOLL, "run", file, "--read", "0", "--block", "4k", "--rate", str(RATE), "--arrival", "even", "--workers", "1",
        "--depth", str(DEPTH), "--warmup", "0s", "--for", f"{SECONDS}s", "--json", "--quiet", "--no-record", "--destroy", file,
    ]


def fio_command(file):
    """As fio's users do it."""
    return [
        "fio", "--name=bench", "--thread", f"--filename={file}", f"--size={FILE_SIZE}", "--rw=randwrite", "--bs=4k", "--direct=1",
        "--ioengine=io_uring", f"--iodepth={DEPTH}", f"--rate_iops={RATE}", "--time_based", f"--runtime={SECONDS}",
        "--lat_percentiles=1", "--output-format=json",
    ]


def read_plimsoll(output):
    """Response times."""
    response = json.loads(output)["steps"][0]["response"]
    percentiles = response["percentiles_us"]
    return Seen(response["mean_us"] / 1e3, percentiles["50"] / 1e3, percentiles["99"] / 1e3, response["max_us"] / 1e3)


def read_fio(output):
    """`lat`: from before the submission to the completion."""
    lat = json.loads(output[output.index("{"):])["jobs"][0]["write"]["lat_ns"]
    return Seen(lat["mean"] / 1e6, lat["percentile"]["50.000000"] / 1e6, lat["percentile"]["99.000000"] / 1e6, lat["max"] / 1e6)
