"""Runs contenders in turn, so that what drifts meets them all alike."""

import sys
from dataclasses import dataclass, field
from statistics import median

from process import run

STARTUPS = 3
"""Short runs for each contender."""


@dataclass
class Series:
    """A contender's runs."""

    iops: list = field(default_factory=list)
    cpu_ns: list = field(default_factory=list)
    """CPU time for each I/O, the start-up's taken off, ns."""
    others_cpus: list = field(default_factory=list)
    """CPUs that were busy with anything else meanwhile."""
    startup_cpu_s: float = 0.0
    details: list = field(default_factory=list)

    @property
    def cpu(self):
        """Median CPU time for each I/O, ns."""
        return median(self.cpu_ns)

    @property
    def rate(self):
        """Median I/Os per second."""
        return median(self.iops)

    def as_json(self):
        """Everything, for the file of results."""
        return {
            "iops": self.iops,
            "cpu_ns_per_io": self.cpu_ns,
            "startup_cpu_s": self.startup_cpu_s,
            "others_busy_cpus": self.others_cpus,
            "details": self.details,
        }


def alternate(contenders, rounds):
    """Rounds in the order A B C, C B A, A B C, ...: a drift that is a straight line cancels over an even number."""
    series = {c.name: Series() for c in contenders}
    startup = {c.name: measure_startup(c) for c in contenders}
    for turn in range(rounds):
        for contender in contenders if turn % 2 == 0 else reversed(contenders):
            one = series[contender.name]
            contender.before()
            child = run(contender.command)
            did = contender.read(child.output)
            cpu_s, ios = startup[contender.name]
            one.startup_cpu_s = cpu_s
            one.iops.append(did.iops)
            one.cpu_ns.append((child.cpu_s - cpu_s) / max(did.ios - ios, 1) * 1e9)
            one.others_cpus.append(child.others_cpu_s / child.wall_s)
            one.details.append(did.details)
            print(
                f"  round {turn + 1}: {contender.name}: {did.iops:,.0f} IOPS, {one.cpu_ns[-1]:,.1f} ns",
                file=sys.stderr,
                flush=True,
            )
    return series


def measure_startup(contender):
    """CPU seconds and I/Os of a run of next to no length; both are taken off the long runs'."""
    if contender.short is None:
        return 0.0, 0
    runs = []
    for _ in range(STARTUPS):
        contender.before()
        child = run(contender.short)
        runs.append((child.cpu_s, contender.read(child.output).ios))
    return sorted(runs)[STARTUPS // 2]
