"""What it costs to write data that no array can shorten."""

import shlex

from alternate import alternate
from contender import fio, plimsoll
from result import Goal, Result, quietness
from table import ns, rate

BLOCK = 128 * 1024
MIN_GB_PER_S = 25


def measure(settings):
    """128 KiB writes to nothing, every block filled anew."""
    rows, commands, data, goals, remarks = [], [], {}, [], []
    for depth in (1, 2):
        ours = plimsoll(
            f"plimsoll, depth {depth}", "null:64GiB", settings.seconds, depth, None,
            "--read", "0", "--block", "128k", "--access", "random", "--content", "unique",
        )
        theirs = fio(
            f"fio, depth {depth}", settings.seconds, "128k", None,
            "--ioengine=null", "--size=64g", "--rw=randwrite", f"--iodepth={depth}", "--refill_buffers",
        )
        series = alternate([ours, theirs], settings.rounds)
        for contender in (ours, theirs):
            one = series[contender.name]
            rows.append([contender.name, rate(one.rate), ns(one.cpu), f"{speed(one.cpu):.1f} ({speed(min(one.cpu_ns)):.1f})"])
        reached = speed(series[ours.name].cpu)
        goals.append(Goal(f"depth {depth}: at least {MIN_GB_PER_S} GB/s per core", f"{reached:.1f} GB/s", reached >= MIN_GB_PER_S))
        commands += [shlex.join(c.command) for c in (ours, theirs)]
        remarks.append(f"Depth {depth}: " + quietness(series))
        data |= {name: s.as_json() for name, s in series.items()}
    return Result(
        title="Null target: 128 KiB writes of fresh, unique, incompressible data",
        header=["tool", "IOPS", "CPU ns per I/O", "GB/s per core"],
        rows=rows,
        goals=goals,
        commands=commands,
        remarks=["GB/s are 10^9 bytes for each second of CPU time.", *remarks],
        data=data,
    )


def speed(cpu_ns):
    """GB for each second of CPU time."""
    return BLOCK / cpu_ns
