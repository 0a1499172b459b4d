"""The tools that are set beside each other: how each is called, and where it writes what it did."""

import json
import re
from dataclasses import dataclass, field
from typing import Callable

from process import Failed

PLIMSOLL = "target/release/plimsoll"
T_IO_URING = "io_uring"
"""fio's t/io_uring, as it is named once it's on the path."""


@dataclass(frozen=True)
class Did:
    """What a tool says of its own run."""

    ios: int
    iops: float
    details: dict = field(default_factory=dict)


@dataclass(frozen=True)
class Contender:
    """One tool with one set of options."""

    name: str
    batch: str
    """How many I/Os go to the kernel in a call at most, and how many are waited for."""
    command: list
    short: list | None
    """The same command for next to no I/O: its cost is the start-up's. None where a tool has none to speak of."""
    read: Callable[[str], Did]
    before: Callable[[], None] = lambda: None
    """What is done before each run, and not measured."""


def plimsoll(name, target, seconds, depth, batch, *flags, reap=1):
    """Plimsoll with one worker. `batch` I/Os are submitted at once, and `reap` waited for; None: at this depth it makes no
    difference."""
    command = [PLIMSOLL, "run", target, *flags, "--workers", "1", "--depth", str(depth)]
    if batch is not None:
        command += ["--batch", str(batch), "--reap", str(reap)]
    command += ["--json", "--no-record", "--quiet", "--warmup", "0s"]
    return Contender(
        name,
        batches(batch, reap),
        command + ["--for", f"{seconds}s"],
        command + ["--for", "50ms", "--interval", "50ms"],
        read_plimsoll,
    )


def read_plimsoll(output):
    """The step of `plimsoll run --json` (docs/run.schema.json)."""
    step = next(s for s in json.loads(output)["steps"] if not s["fill"])
    return Did(step["ios"], step["iops"], {"says_cpu_ns_per_io": step["cpu_ns_per_io"]})


def batches(submit, reap):
    """The batches in words."""
    return "-" if submit is None else f"submit {submit}, wait for {reap}"


def fio(name, seconds, block, batch, *options, reap=1):
    """fio with one job, as a thread. `batch` and `reap` as for Plimsoll; it fetches no more than a batch at once."""
    command = ["fio", "--name=bench", "--thread", f"--bs={block}", *options]
    if batch is not None and batch > 1:
        command += [f"--iodepth_batch_submit={batch}", f"--iodepth_batch_complete_max={batch}"]
        if reap > 1:
            command += [f"--iodepth_batch_complete_min={reap}"]
    command += ["--output-format=json"]
    return Contender(
        name,
        batches(batch, reap),
        command + ["--time_based", f"--runtime={seconds}"],
        command + [f"--io_size={block}"],
        read_fio,
    )


def read_fio(output):
    """The job of `fio --output-format=json`. Notes may stand before the document."""
    job = json.loads(output[output.index("{"):])["jobs"][0]
    side = job["read"] if job["read"]["total_ios"] else job["write"]
    return Did(side["total_ios"], side["iops"])


def t_io_uring(name, target, seconds, depth, block, batch):
    """fio's bare loop, which measures nothing but its rate. It says nothing of its last second, so it gets one more."""
    seconds += 1
    command = [T_IO_URING, f"-d{depth}", f"-s{batch}", f"-c{batch}", "-p0", "-B1", "-F1", f"-b{block}", f"-r{seconds}", target]
    return Contender(
        name, batches(batch, batch), command, None, lambda output: read_t_io_uring(output, seconds)
    )


def read_t_io_uring(output, seconds):
    """It prints a rate each second, and no count: the count is the mean rate for the whole time."""
    unit = {"": 1.0, "K": 1e3, "M": 1e6}
    rates = [float(n) * unit[u] for n, u in re.findall(r"^IOPS=([0-9.]+)([KM]?)", output, re.MULTILINE)]
    if not rates:
        raise Failed(f"t/io_uring stated no rate: {output[-200:]}")
    iops = sum(rates) / len(rates)
    return Did(round(iops * seconds), iops)
