"""What the NBD client costs, and how fast it is: beside fio's nbd engine, against nbdkit's memory plugin."""

import os
import shlex
import shutil
import tempfile

from alternate import alternate
from cases.nbd_server import server
from contender import fio, plimsoll
from process import Failed, run
from result import Goal, Result, cost_header, cost_rows, quietness
from table import ns, rate

SIZE = 1 << 30
DEPTHS = (1, 32)


def measure(settings):
    """4 KiB random reads of data that was written, at both depths."""
    if shutil.which("nbdkit") is None:
        raise Failed("nbdkit is missing; scripts/tools installs it")
    with tempfile.TemporaryDirectory() as folder:
        socket = os.path.join(folder, "nbdkit")
        uri = f"nbd+unix:///?socket={socket}"
        memory = ["nbdkit", "--foreground", "--unix", socket, "memory", str(SIZE)]
        with server(memory, socket):
            run(["fio", "--name=fill", "--ioengine=nbd", f"--uri={uri}", "--rw=write", "--bs=1M", "--iodepth=4",
                 f"--size={SIZE}", "--refill_buffers"])
            contenders = []
            for depth in DEPTHS:
                job = ["--ioengine=nbd", f"--uri={uri}", "--rw=randread", f"--size={SIZE}", f"--iodepth={depth}"]
                contenders.append(fio(f"fio, depth {depth}", settings.seconds, "4k", None, *job))
                reading = ["--read", "100", "--block", "4k", "--access", "coverage"]
                contenders.append(plimsoll(f"plimsoll, depth {depth}", uri, settings.seconds, depth, None, *reading))
            series = alternate(contenders, settings.rounds)
    goals, rows = [], []
    for depth in DEPTHS:
        pair = [c for c in contenders if c.name.endswith(f"depth {depth}")]
        rows += cost_rows(pair, series, pair[0].name)
        theirs, mine = series[pair[0].name], series[pair[1].name]
        goals += [
            Goal(f"depth {depth}: cost at most fio's", f"{ns(mine.cpu)} / {ns(theirs.cpu)} ns", mine.cpu <= theirs.cpu),
            Goal(f"depth {depth}: IOPS at least fio's", f"{rate(mine.rate)} / {rate(theirs.rate)}", mine.rate >= theirs.rate),
        ]
    return Result(
        title="The NBD client: 4 KiB random reads from nbdkit's memory over a Unix socket",
        header=cost_header("fio"),
        rows=rows,
        goals=goals,
        commands=[shlex.join(c).replace(folder, "FOLDER") for c in (memory, *(c.command for c in contenders))],
        remarks=[
            "The server shares the machine with the client that is measured; its CPU time is not counted.",
            quietness(series),
        ],
        data={name: s.as_json() for name, s in series.items()},
    )
