"""Jobs on names: files made, asked for and deleted by fio's engines, and by `plimsoll fio` with the same words."""

import os
import shlex
import shutil
from statistics import median

from alternate import alternate
from contender import PLIMSOLL, Contender, read_fio
from result import Goal, Result, quietness
from storage import call
from table import ns, rate

FILES = 2_000
"""Names of each job. With more of them fio takes time for each that grows with their number, unless all may be open at once."""
BYTES = 4096


def measure(settings):
    """Each operation with one job and with two, each on names of its own in one folder."""
    rows, goals, commands, data, remarks = [], [], [], {}, []
    folder = os.path.join(settings.folder, "names")
    for operation in ("create", "stat", "delete"):
        for jobs in (1, 2):
            contenders = [tool(name, words, folder, operation, jobs) for name, words in tools(folder, operation, jobs)]
            series = alternate(contenders, settings.rounds)
            mine, theirs = (series[c.name] for c in contenders)
            faster, cheaper = spread(mine.iops, theirs.iops), spread(mine.cpu_ns, theirs.cpu_ns)
            rows += [
                [c.name, f"{rate(s.rate)} ({rate(max(s.iops))})", f"{ns(s.cpu)} ({ns(min(s.cpu_ns))})"]
                for c, s in ((c, series[c.name]) for c in contenders)
            ]
            what = f"file{operation}, {jobs} job{'s' if jobs > 1 else ''}"
            goals += [
                Goal(f"{what}: at least fio's operations a second", words_of(faster), faster[0] >= 1),
                Goal(f"{what}: at most fio's CPU time for each", words_of(cheaper), cheaper[0] <= 1),
            ]
            commands += [shlex.join(c.command) for c in contenders]
            remarks.append(f"{what}: " + quietness(series))
            data |= {name: s.as_json() for name, s in series.items()}
    kind = call("stat", "--file-system", "--format=%T", settings.folder)
    shutil.rmtree(folder)
    return Result(
        title=f"Names on {'ext4' if kind == 'ext2/ext3' else kind}: {FILES:,} files of each job made, asked for and deleted",
        header=["tool", "operations/s", "CPU ns per operation"],
        rows=rows,
        goals=goals,
        commands=commands,
        remarks=[
            "Ratios are plimsoll's to fio's of the same round: median (lowest to highest). The CPU time has the look at all names that both "
            "take before they begin.",
            *remarks,
        ],
        data=data,
    )


def spread(mine, theirs):
    """Ratios of the rounds: the median, the lowest and the highest."""
    each = [a / b for a, b in zip(mine, theirs)]
    return median(each), min(each), max(each)


def words_of(ratios):
    """`1.20 (1.10 to 1.30) times`."""
    return "{:.2f} ({:.2f} to {:.2f}) times".format(*ratios)


def tools(folder, operation, jobs):
    """How each tool is called."""
    names = [f"--destroy={folder}/f.{job}.*" for job in range(jobs)] if operation == "delete" else []
    return [(f"plimsoll, file{operation}, {jobs}", [PLIMSOLL, "fio", "--no-record", *names]), (f"fio, file{operation}, {jobs}", ["fio"])]


def tool(name, words, folder, operation, jobs):
    """A tool that does the operation once on each name. What it is to find there is put there before each run."""

    def command(files):
        return [
            *words,
            "--output-format=json",
            "--group_reporting",
            "--name=bench",
            f"--directory={folder}",
            "--filename_format=f.$jobnum.$filenum",
            f"--ioengine=file{operation}",
            f"--nrfiles={files}",
            f"--numjobs={jobs}",
            f"--filesize={BYTES}",
            *(["--create_on_open=1"] if operation == "create" else []),
            *(["--loops=100"] if operation == "stat" else []),
        ]

    def before():
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
        if operation == "create":
            return
        for job in range(jobs):
            for number in range(FILES):
                with open(f"{folder}/f.{job}.{number}", "wb") as file:
                    file.write(bytes(BYTES))
        os.sync()

    return Contender(name, "-", command(FILES), command(1), read_fio, before)
