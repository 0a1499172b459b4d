"""A file on the file system below this checkout."""

import os
import shlex

from alternate import alternate
from contender import fio, plimsoll, t_io_uring
from result import Goal, Result, cost_header, cost_rows, quietness
from storage import call, random_file
from table import ns

SIZE = 2 << 30
BATCH = {32: 16, 128: 32}
"""The larger batch at each depth."""


def measure(settings):
    """4 KiB random reads around the page cache, at two depths."""
    path = random_file(os.path.join(settings.folder, "random.data"), SIZE)
    rows, goals, commands, data, remarks = [], [], [], {}, []
    for depth, batch in BATCH.items():
        contenders = tools(settings, path, depth, batch)
        series = alternate(contenders, settings.rounds)
        rows += cost_rows(contenders, series, contenders[0].name)
        mine, tuned = series[f"plimsoll, depth {depth}, batch {batch}"], series[f"fio tuned, depth {depth}, batch {batch}"]
        single, default = series[f"plimsoll, depth {depth}, batch 1"], series[f"fio, depth {depth}"]
        goals += [
            Goal(
                f"depth {depth}, batch {batch}: cost at most that of fio tuned",
                f"{ns(mine.cpu)} / {ns(tuned.cpu)} ns",
                mine.cpu <= tuned.cpu,
            ),
            Goal(
                f"depth {depth}, batch 1: cost at most that of fio",
                f"{ns(single.cpu)} / {ns(default.cpu)} ns",
                single.cpu <= default.cpu,
            ),
        ]
        commands += [shlex.join(c.command) for c in contenders]
        remarks.append(f"Depth {depth}: " + quietness(series))
        data |= {name: s.as_json() for name, s in series.items()}
    kind = call("stat", "--file-system", "--format=%T", path)
    return Result(
        title=f"File on {'ext4' if kind == 'ext2/ext3' else kind}, O_DIRECT: 4 KiB random reads",
        header=cost_header("fio"),
        rows=rows,
        goals=goals,
        commands=commands,
        remarks=[
            "fio tuned has neither map nor statistics; plimsoll has all of its own. The device sets the rate here: only the cost says "
            "something of the tools.",
            *remarks,
        ],
        data=data,
    )


def tools(settings, path, depth, batch):
    """Each tool with single I/Os and with the larger batch; the first is the measure of the costs."""
    seconds = settings.seconds
    reading = ["--read", "100", "--block", "4k", "--access", "coverage", "--backend", "io_uring"]
    # Without randrepeat=0 each round of fio reads the same blocks in the same order, and the host's cache knows them.
    job = [f"--filename={path}", f"--size={SIZE}", "--rw=randread", "--randrepeat=0", "--direct=1"]
    job += ["--ioengine=io_uring", f"--iodepth={depth}"]
    tuned = ["--norandommap", "--gtod_reduce=1", "--fixedbufs", "--registerfiles"]
    contenders = [
        fio(f"fio, depth {depth}", seconds, "4k", 1, *job),
        plimsoll(f"plimsoll, depth {depth}, batch 1", path, seconds, depth, 1, *reading),
        fio(f"fio tuned, depth {depth}, batch {batch}", seconds, "4k", batch, *job, *tuned),
        plimsoll(f"plimsoll, depth {depth}, batch {batch}", path, seconds, depth, batch, *reading),
    ]
    if settings.has_t_io_uring:
        # It waits for a whole batch.
        name = f"plimsoll, depth {depth}, batch {batch}, reap {batch}"
        contenders.append(plimsoll(name, path, seconds, depth, batch, *reading, reap=batch))
        contenders.append(t_io_uring(f"t/io_uring, depth {depth}, batch {batch}", path, seconds, depth, 4096, batch))
    return contenders
