"""The machine in words that another one can be compared with; no names of hosts."""

import os
import platform
import re

from storage import call


def facts(plimsoll):
    """Name and value, in the order to be shown."""
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        cpuinfo = file.read()
    model = re.search(r"^model name\s*:\s*(.*)$", cpuinfo, re.MULTILINE)
    family = re.search(r"^cpu family\s*:\s*(.*)$", cpuinfo, re.MULTILINE)
    number = re.search(r"^model\s*:\s*(.*)$", cpuinfo, re.MULTILINE)
    cpu = model.group(1) if model else platform.machine()
    if family and number:
        cpu += f" (family {family.group(1)}, model {number.group(1)})"
    if " hypervisor" in cpuinfo:
        cpu += ", a virtual machine"
    with open("/proc/meminfo", encoding="ascii") as file:
        memory = int(file.readline().split()[1]) / (1 << 20)
    return {
        "CPU": cpu,
        "CPUs": str(len(os.sched_getaffinity(0))),
        "memory": f"{memory:.0f} GiB",
        "kernel": re.match(r"[0-9.]+", platform.release()).group(0).rstrip("."),
        "plimsoll": call(plimsoll, "--version").removeprefix("plimsoll "),
        "fio": call("fio", "--version").removeprefix("fio-"),
    }
