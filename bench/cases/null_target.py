"""What the engine itself costs: reads that go nowhere."""

import shlex

from alternate import alternate
from contender import fio, plimsoll
from result import Goal, Result, cost_header, cost_rows, quietness
from table import ns

MAX_NS = 60
MIN_RATIO = 3


def measure(settings):
    """4 KiB random reads over 64 GiB of nothing, each block once a pass, all of plimsoll's statistics on."""
    reading = ["--ioengine=null", "--size=64g", "--rw=randread"]
    ours = plimsoll("plimsoll", "null:64GiB", settings.seconds, 1, None, "--read", "100", "--block", "4k", "--access", "coverage")
    default = fio("fio", settings.seconds, "4k", None, *reading)
    bare = fio("fio, no map, no statistics", settings.seconds, "4k", None, *reading, "--norandommap", "--gtod_reduce=1")
    contenders = [ours, default, bare]
    series = alternate(contenders, settings.rounds)
    mine, theirs = series[ours.name], series[default.name]
    ratio = theirs.cpu / mine.cpu
    return Result(
        title="Null target: 4 KiB random reads over 64 GiB, full coverage, depth 1",
        header=cost_header(default.name),
        rows=cost_rows(contenders, series, default.name),
        goals=[
            Goal(f"at most {MAX_NS} ns per I/O", f"{ns(mine.cpu)} ns", mine.cpu <= MAX_NS),
            Goal(f"fio's cost at least {MIN_RATIO} times plimsoll's", f"{ratio:.2f}", ratio >= MIN_RATIO),
        ],
        commands=[shlex.join(c.command) for c in contenders],
        remarks=[quietness(series)],
        data={name: s.as_json() for name, s in series.items()},
    )
