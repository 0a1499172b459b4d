"""Whether an asked-for rate is kept, and when the I/Os really go out."""

import json
import math
import os
import shlex
import sqlite3
from dataclasses import dataclass
from statistics import median

from contender import PLIMSOLL
from process import run
from result import Goal, Result
from table import rate

RATES = (10_000, 100_000, 1_000_000)
DEPTH = 32
TOLERANCE = 0.001


@dataclass(frozen=True)
class Kept:
    """One run of plimsoll at a rate."""

    due: int
    """I/Os whose drawn start fell into the run."""
    done: int
    lateness_p50_us: float | None
    lateness_p99_us: float | None

    @property
    def error(self):
        """Share by which the done I/Os differ from the due ones."""
        return abs(self.done - self.due) / self.due


def measure(settings):
    """Exponential gaps on the null target. Short runs would be all scatter: they last twice the others'."""
    seconds = 2 * settings.seconds
    record = os.path.join(settings.folder, "rate.plim")
    os.makedirs(settings.folder, exist_ok=True)
    rows, goals, commands, data = [], [], [], {}
    for offered in RATES:
        ours_command, theirs_command = plimsoll_command(offered, seconds, record), fio_command(offered, seconds)
        kept, fio_rates = [], []
        for turn in range(settings.rounds):
            for ours in (True, False) if turn % 2 == 0 else (False, True):
                if ours:
                    kept.append(plimsoll_run(ours_command, record))
                else:
                    fio_rates.append(fio_run(theirs_command))
        rows.append(row(offered, seconds, kept, fio_rates))
        worst = max(k.error for k in kept)
        goals.append(
            Goal(f"{rate(offered)}/s: all runs within {TOLERANCE:.1%} of the drawn schedule", f"{worst:.4%} off", worst <= TOLERANCE)
        )
        commands += [shlex.join(ours_command), shlex.join(theirs_command)]
        data[str(offered)] = {"plimsoll": [vars(k) for k in kept], "fio_iops": fio_rates, "seconds": seconds}
    return Result(
        title=f"Offered rate on the null target, exponential gaps, depth {DEPTH}",
        header=["offered/s", "plimsoll achieved", "of due", "lateness p50", "p99", "fio achieved", "scatter of a count"],
        rows=rows,
        goals=goals,
        commands=commands,
        remarks=[
            "Achieved: median of the runs, against the nominal rate. *Of due*: against the starts that the schedule really drew. *Scatter*: "
            "one standard deviation of a Poisson count of this length; a deviation from the nominal rate of two of them means nothing. "
            "*Lateness*: actual issue minus drawn start, where a slot was free. fio states neither a schedule nor its lateness.",
            "That the drawn gaps are exponential is tested with Anderson and Darling's A² at each of these rates: "
            "`exponential_gaps_are_exponential` in load/traffic/src/arrival/steady.rs, part of `make test`.",
        ],
        data=data,
    )


def row(offered, seconds, kept, fio_rates):
    """The runs at one rate."""

    def us(value):
        return "-" if value is None else f"{value:,.2f} us"

    def against(value):
        return f"{rate(value)} ({value / offered - 1:+.2%})"

    p50 = [k.lateness_p50_us for k in kept if k.lateness_p50_us is not None]
    p99 = [k.lateness_p99_us for k in kept if k.lateness_p99_us is not None]
    return [
        rate(offered),
        against(median(k.done for k in kept) / seconds),
        f"{median(k.done / k.due for k in kept):.4%}",
        us(median(p50) if p50 else None),
        us(median(p99) if p99 else None),
        against(median(fio_rates)),
        f"{1 / math.sqrt(offered * seconds):.2%}",
    ]


def plimsoll_command(offered, seconds, record):
    """The record, and not only the JSON, says how many I/Os were due."""
    return [
        PLIMSOLL, "run", "null:64GiB", "--read", "100", "--block", "4k", "--rate", str(offered), "--arrival", "exponential",
        "--workers", "1", "--depth", str(DEPTH), "--warmup", "0s", "--for", f"{seconds}s", "--json", "--quiet",
        "--record", record, "--overwrite",
    ]


def fio_command(offered, seconds):
    """fio's own Poisson process."""
    return [
        "fio", "--name=bench", "--thread", "--ioengine=null", "--size=64g", "--bs=4k", "--rw=randread", f"--iodepth={DEPTH}",
        f"--rate_iops={offered}", "--rate_process=poisson", "--time_based", f"--runtime={seconds}", "--output-format=json",
    ]


def plimsoll_run(command, record):
    """Runs it, and asks its record."""
    step = json.loads(run(command).output)["steps"][0]
    with sqlite3.connect(f"file:{record}?mode=ro", uri=True) as db:
        (due,) = db.execute("SELECT sum(due) FROM interval_streams WHERE step = ?", (step["number"],)).fetchone()
    os.unlink(record)
    lateness = step["lateness"]["percentiles_us"]
    return Kept(due, step["ios"], lateness["50"], lateness["99"])


def fio_run(command):
    """The rate that fio states."""
    output = run(command).output
    return json.loads(output[output.index("{"):])["jobs"][0]["read"]["iops"]
