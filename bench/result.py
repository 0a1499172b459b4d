"""What a case came to."""

from dataclasses import dataclass, field

from table import ns, rate, table


@dataclass
class Goal:
    """Something to reach, and whether it was."""

    text: str
    measured: str
    met: bool

    @property
    def verdict(self):
        """In a word."""
        return "met" if self.met else "NOT MET"


@dataclass
class Result:
    """One case, ready to be shown and saved."""

    title: str
    header: list
    rows: list
    goals: list
    commands: list = field(default_factory=list)
    """The commands that were run, one for each contender."""
    remarks: list = field(default_factory=list)
    data: dict = field(default_factory=dict)
    """The single runs, for the file of results."""

    def text(self):
        """The case as Markdown."""
        parts = [f"## {self.title}"]
        if self.rows:
            parts.append(table(self.header, self.rows))
        if self.goals:
            parts.append(table(["goal", "measured", ""], [[g.text, g.measured, g.verdict] for g in self.goals]))
        parts += self.remarks
        if self.commands:
            parts.append("```sh\n" + "\n".join(self.commands) + "\n```")
        return "\n\n".join(parts) + "\n"

    def as_json(self):
        """The case for the file of results."""
        return {
            "title": self.title,
            "goals": [{"goal": g.text, "measured": g.measured, "met": g.met} for g in self.goals],
            "commands": self.commands,
            "remarks": self.remarks,
            "runs": self.data,
        }


def cost_rows(contenders, series, against):
    """A row for each contender: rate and CPU cost, median (best), and its cost as a multiple of `against`'s."""
    rows = []
    for contender in contenders:
        one = series[contender.name]
        rows.append([
            contender.name,
            contender.batch,
            f"{rate(one.rate)} ({rate(max(one.iops))})",
            f"{ns(one.cpu)} ({ns(min(one.cpu_ns))})",
            f"{one.cpu / series[against].cpu:.2f}",
        ])
    return rows


def cost_header(against):
    """Names `cost_rows`' columns."""
    return ["tool", "batch", "IOPS", "CPU ns per I/O", f"CPU / {against}"]


def quietness(series):
    """How much else went on, in a sentence."""
    busy = sorted(b for s in series.values() for b in s.others_cpus)
    return f"Meanwhile {busy[len(busy) // 2]:.2f} CPUs (median; at most {busy[-1]:.2f}) were busy with anything else."
