"""How fast virtual time passes: runs on the lab's model of an array."""

import json
import os
import shlex
from dataclasses import dataclass
from statistics import median

from contender import PLIMSOLL
from process import run
from result import Goal, Result
from table import rate

SPEED = 5_000_000
"""I/Os per second with a cache of up to 1 GiB."""
SPEED_LARGE = 2_000_000
"""With larger ones."""
DAY_S = 60
OVERWRITES_S = 10

# At a scale of 64 the array has 1 GiB of cache, at 16 it has 4 GiB.
READS = "lab:scale-out-flash-8?scale=64"
READS_LARGE = "lab:scale-out-flash-8?scale=16"
COMMON = ["--warmup", "0s", "--seed", "1", "--json", "--quiet"]


@dataclass(frozen=True)
class Passed:
    """One run in virtual time."""

    ios: int
    virtual_s: float
    wall_s: float
    cpu_s: float


def measure(settings):
    """The rate is that of a long run less a short one: building and filling an array is no I/O. The other two count it."""
    os.makedirs(settings.folder, exist_ok=True)
    record = ["--record", os.path.join(settings.folder, "virtual.plim"), "--overwrite"]
    rows, goals, commands, data = [], [], [], {}
    for what, target, goal, seconds in (
        ("cache of 1 GiB", READS, SPEED, 500 * settings.seconds),
        ("cache of 4 GiB", READS_LARGE, SPEED_LARGE, 125 * settings.seconds),
    ):
        for name, read in (("reads", 100), ("70 % reads", 70)):
            command = [
                PLIMSOLL, "run", target, "--read", str(read), "--block", "4k", "--depth", "32", *COMMON, "--no-record", "--for",
            ]
            runs = [passed(command + [f"{seconds}s"]) for _ in range(settings.rounds)]
            short = passed(command + ["1s"])
            speeds = [(r.ios - short.ios) / (r.cpu_s - short.cpu_s) for r in runs]
            rows.append(row(f"4 KiB {name}, {what}", runs, rate(median(speeds))))
            commands.append(shlex.join(command + [f"{seconds}s"]))
            data[f"{name}, {what}"] = [vars(r) for r in [short, *runs]]
            goals.append(Goal(f"{name}, {what}: at least {goal / 1e6:g} million a second", rate(median(speeds)), median(speeds) >= goal))
    for what, limit, command in (
        ("18 h at 2,000/s, recorded", DAY_S, day(record)),
        ("three overwrites of single-ssd", OVERWRITES_S, overwrites(settings.folder, record)),
    ):
        runs = [passed(command) for _ in range(max(1, settings.rounds // 2))]
        took = median(r.cpu_s for r in runs)
        rows.append(row(what, runs, rate(median(r.ios / r.cpu_s for r in runs))))
        goals.append(Goal(f"{what}: less than {limit} s", f"{took:.1f} s", took < limit))
        commands.append(shlex.join(command))
        data[what] = [vars(r) for r in runs]
    return Result(
        title="Virtual time",
        header=["", "I/Os", "virtual time", "wall time", "CPU time", "I/Os per s"],
        rows=rows,
        goals=goals,
        commands=commands,
        remarks=[
            "There is one thread, so CPU time is what an idle machine takes; the goals are about it. *I/Os per s*: of CPU time; for "
            "the first four that of a run of one second is taken off, as the array is built and filled in it. Most of it is waiting "
            "for memory: on a machine whose caches others use it is twice as much."
        ],
        data=data,
    )


def day(record):
    """A long run at a low rate: statistics and record weigh most."""
    return [
        PLIMSOLL, "run", READS, "--read", "70", "--block", "4k", "--rate", "2000", *COMMON, *record, "--for", "18h",
    ]


def overwrites(folder, record):
    """Random writes of three times the volume, on a drive that has to collect its garbage."""
    definition = os.path.join(folder, "overwrites.toml")
    with open(definition, "w", encoding="utf-8") as file:
        file.write(
            'seed = 1\n[target.ssd]\npath = "lab:single-ssd"\n[workload.overwrite]\nread = 0\nblock = "4k"\n'
            '[[run]]\nload = "max"\nfor = "1d"\nwarmup = "0s"\nlimits = { written = "48g" }\n'
        )
    return [PLIMSOLL, "run", definition, "--json", "--quiet", *record]


def passed(command):
    """Runs it."""
    child = run(command)
    steps = json.loads(child.output)["steps"]
    ios = sum(s["ios"] for s in steps)
    return Passed(ios, sum(s["counted_s"] for s in steps), child.wall_s, child.cpu_s)


def row(what, runs, speed):
    """The median run."""
    wall, cpu = median(r.wall_s for r in runs), median(r.cpu_s for r in runs)
    return [what, rate(runs[0].ios), f"{runs[0].virtual_s:,.0f} s", f"{wall:.2f} s", f"{cpu:.2f} s", speed]
