"""What the way through the kernel costs: a block device that is as fast as memory."""

import shlex

from alternate import alternate
from contender import fio, plimsoll, t_io_uring
from result import Goal, Result, cost_header, cost_rows, quietness
from storage import loop_device
from table import rate

SIZE = 1 << 30
DEPTH = 32
BATCHES = (1, 4, 32)
"""I/Os handed over and waited for at once: fio's default, a few, and all."""
MIN_RATIO = 2
NEAR = 1.25
"""As near t/io_uring's cost as all the statistics may bring it."""


def measure(settings):
    """512-byte random reads of a loop device over memory, both tools with the same batches."""
    with loop_device(SIZE) as device:
        contenders = tools(settings, device)
        series = alternate(contenders, settings.rounds)
    goals = []
    for batch in BATCHES:
        mine, theirs = series[f"plimsoll, batch {batch}"], series[f"fio, batch {batch}"]
        goals += [
            Goal(
                f"batch {batch}: fio's cost at least {MIN_RATIO} times plimsoll's",
                f"{theirs.cpu / mine.cpu:.2f}",
                theirs.cpu >= MIN_RATIO * mine.cpu,
            ),
            Goal(f"batch {batch}: IOPS at least fio's", f"{rate(mine.rate)} / {rate(theirs.rate)}", mine.rate >= theirs.rate),
        ]
    for batch in (BATCHES[0], BATCHES[-1]):
        if f"t/io_uring, batch {batch}" not in series:
            break
        mine, bare = series[f"plimsoll, batch {batch}"], series[f"t/io_uring, batch {batch}"]
        goals.append(
            Goal(
                f"batch {batch}: cost at most {NEAR} times that of t/io_uring",
                f"{mine.cpu / bare.cpu:.2f}",
                mine.cpu <= NEAR * bare.cpu,
            )
        )
    return Result(
        title=f"Loop device with 512-byte sectors over memory: 512 B random reads, depth {DEPTH}",
        header=cost_header("fio, batch 1"),
        rows=cost_rows(contenders, series, "fio, batch 1"),
        goals=goals,
        commands=[shlex.join(c.command) for c in contenders],
        remarks=[
            "The loop device's kernel worker serves all tools alike and is in nobody's cost. It is one thread, and often the limit "
            "of the rate.",
            quietness(series),
        ],
        data={name: s.as_json() for name, s in series.items()},
    )


def tools(settings, device):
    """Each tool at each batch; fio tuned has neither map nor statistics."""
    seconds = settings.seconds
    reading = ["--read", "100", "--block", "512", "--access", "coverage", "--backend", "io_uring"]
    job = [f"--filename={device}", f"--size={SIZE}", "--rw=randread", "--direct=1", "--ioengine=io_uring", f"--iodepth={DEPTH}"]
    tuned = ["--norandommap", "--gtod_reduce=1", "--fixedbufs", "--registerfiles"]
    large = BATCHES[-1]
    contenders = []
    for batch in BATCHES:
        contenders.append(plimsoll(f"plimsoll, batch {batch}", device, seconds, DEPTH, batch, *reading, reap=batch))
        contenders.append(fio(f"fio, batch {batch}", seconds, "512", batch, *job, reap=batch))
    contenders.append(fio(f"fio tuned, batch {large}", seconds, "512", large, *job, *tuned, reap=large))
    if settings.has_t_io_uring:
        # What the kernel alone costs, with single I/Os and with whole batches.
        for batch in (BATCHES[0], large):
            contenders.append(t_io_uring(f"t/io_uring, batch {batch}", device, seconds, DEPTH, 512, batch))
    return contenders
