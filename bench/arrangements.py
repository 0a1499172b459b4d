"""Arrangements on real devices, each with a planted fault and as a sound twin."""

import os
import signal
import time
from dataclasses import dataclass
from typing import Callable

from room import SIZE, setting, write
from storage import MIB, call, write_random

READS = ("--read", "100", "--block", "8k", "--depth", "4")
WRITES = ("--read", "0", "--block", "8k", "--depth", "4")
RATE = ("--read", "100", "--block", "8k", "--rate", "200")
DISK = "PL125"
"""Others use the disk with temporary files too."""
SLOW = ("--filter=delay", "memory", str(SIZE), "rdelay=2ms", "wdelay=2ms")


@dataclass(frozen=True)
class Asked:
    """What Plimsoll is to run."""

    target: str
    flags: tuple = READS
    seconds: int = 5
    by: tuple = ()
    """Words before the command."""
    during: Callable = None
    """Called with the process while it counts."""


@dataclass(frozen=True)
class Pair:
    """An arrangement with its fault and without."""

    name: str
    fault: str
    decisive: str
    """Numbers of rules, one of which has to be the first doubt where the fault is planted, and none without."""
    arrange: Callable
    """Of (room, planted): makes what is needed, and says what is asked."""
    follows: str = ""
    """Numbers of rules that may doubt it too: what the fault brings about."""
    deserved: str = ""
    """Numbers of rules that may doubt both twins, for what is no part of the fault."""


def switched(planted, fault, sound=()):
    """Flags, with the fault or without."""
    return tuple(fault if planted else sound)


def hang(process, seconds):
    """Stops a process for a while."""
    os.kill(process, signal.SIGSTOP)
    time.sleep(seconds)
    os.kill(process, signal.SIGCONT)


def fallocated(room, planted):
    path = room.file()
    if planted:
        os.unlink(path)
        call("fallocate", "-l", str(SIZE), path)
    return Asked(path)


def sparse(room, planted):
    path = room.file()
    if planted:
        os.truncate(path, 0)
        os.truncate(path, SIZE)
    return Asked(path)


def half_sparse(room, planted):
    path = room.file()
    if planted:
        os.truncate(path, SIZE // 2)
        os.truncate(path, SIZE)
    return Asked(path)


def cached(room, planted):
    return Asked(room.file(), READS + switched(planted, ("--caching", "buffered")))


def layered(room, planted):
    path = room.file()
    return Asked(room.loop(path) if planted else path)


def split(room, planted):
    return Asked(room.loop(max_sectors_kb=256), ("--read", "100", "--block", "1m" if planted else "256k", "--depth", "4"))


def few_requests(room, planted):
    return Asked(room.loop(nr_requests=4 if planted else 128), ("--read", "100", "--block", "8k", "--depth", "64"))


def neighbour(room, planted):
    device = room.loop()
    if planted:
        room.beside(f"while dd if={device} of=/dev/null bs=1M iflag=direct; do :; done")
    return Asked(device)


def neighbour_on_disk(room, planted):
    path = room.file()
    if planted:
        other = room.path("other")
        write_random(other, 64 * MIB)
        room.beside(f"while dd if={other} of={other}.copy bs=1M iflag=direct oflag=direct; do :; done")
    return Asked(path)


def neighbour_on_file_system(room, planted):
    folder = room.ext4()
    write_random(f"{folder}/target", 64 * MIB)
    if planted:
        write_random(f"{folder}/other", 32 * MIB)
        room.beside(f"while dd if={folder}/other of=/dev/null bs=1M iflag=direct; do :; done")
    return Asked(f"{folder}/target")


def busy_host(room, planted):
    device = room.loop()
    if planted:
        room.beside("while :; do :; done", 4 * os.cpu_count())
    return Asked(device, ("--read", "100", "--block", "4k", "--depth", "16"))


def busy_host_at_a_rate(room, planted):
    uri, _ = room.server(*SLOW)
    if planted:
        room.beside("while :; do :; done", 8 * os.cpu_count())
    return Asked(uri, RATE)


def shared_cpu(room, planted):
    device = room.loop()
    if planted:
        room.beside("exec taskset -c 0 sh -c 'while :; do :; done'", 2)
    return Asked(device, ("--read", "100", "--block", "4k", "--depth", "16"), by=("taskset", "-c", "0") if planted else ())


def cpu_limit(room, planted):
    value = ("20000", "20000 100000") if planted else None
    return Asked(room.loop(), by=room.group("cpu", ("cpu.cfs_quota_us", "cpu.max"), value))


def io_limit(room, planted, name="read_iops", two="riops", most="200", flags=READS):
    device = room.loop()
    with open(f"/sys/block/{os.path.basename(device)}/dev", encoding="ascii") as file:
        number = file.read().strip()
    value = (f"{number} {most}", f"{number} {two}={most}") if planted else None
    return Asked(device, flags, by=room.group("blkio", (f"blkio.throttle.{name}_device", "io.max"), value))


def bandwidth_limit(room, planted):
    return io_limit(room, planted, "write_bps", "wbps", str(4 * MIB), WRITES)


def slow_link(room, planted):
    # With few in flight a queue before the link is short, and its length says little.
    uri = room.wire("tbf rate 40mbit burst 16k latency 100ms" if planted else None, "memory", str(SIZE))
    return Asked(uri, ("--read", "100", "--block", "8k", "--depth", "16"))


def far(room, planted):
    return Asked(room.wire("netem delay 10ms" if planted else None, *SLOW))


def lossy(room, planted):
    return Asked(room.wire("netem loss 3%" if planted else None, *SLOW))


def server_hangs(room, planted):
    uri, server = room.server(*SLOW)
    return Asked(uri, RATE, during=(lambda _: hang(server.pid, 1.0)) if planted else None)


def server_hangs_closed(room, planted):
    uri, server = room.server(*SLOW)
    return Asked(uri, READS, during=(lambda _: hang(server.pid, 1.5)) if planted else None)


def host_hangs(room, planted):
    uri, _ = room.server(*SLOW)
    return Asked(uri, RATE, during=(lambda own: hang(own, 1.0)) if planted else None)


def server_slows_down(room, planted):
    path = room.path("rate")
    write(path, "80M")
    uri, _ = room.server("--filter=rate", "memory", str(SIZE), f"rate-file={path}", "connection-rate=400M")
    return Asked(uri, READS, seconds=20, during=(lambda _: (time.sleep(8), write(path, "16M"))) if planted else None)


def errors(room, planted):
    rate = "5%" if planted else "0%"
    uri, _ = room.server("--filter=error", "--filter=delay", "memory", str(SIZE), "rdelay=2ms", f"error-pread-rate={rate}", "error=EIO")
    return Asked(uri)


def server_dies(room, planted):
    uri, server = room.server(*SLOW)
    return Asked(uri, RATE, during=(lambda _: server.kill()) if planted else None)


def no_room(room, planted):
    folder = room.ext4()
    with open(f"{folder}/target", "wb") as file:
        file.truncate(64 * MIB)
    if planted:
        call("sh", "-c", f"dd if=/dev/zero of={folder}/filler bs=1M 2>/dev/null || true")
    else:
        write_random(f"{folder}/target", 64 * MIB)
    return Asked(f"{folder}/target", WRITES)


def little_room(room, planted):
    folder = room.ext4()
    write_random(f"{folder}/target", 64 * MIB)
    if planted:
        call("sh", "-c", f"dd if=/dev/zero of={folder}/filler bs=1M 2>/dev/null; truncate -s -4M {folder}/filler; sync")
    return Asked(f"{folder}/target", WRITES)


def in_memory(room, planted):
    if not planted:
        return Asked(room.file())
    path = f"{room.memory()}/target"
    write_random(path, SIZE)
    return Asked(path, READS + ("--caching", "buffered"))


def zeros(room, planted):
    return Asked(room.loop(), WRITES + switched(planted, ("--content", "zeros")))


def zeros_on_zram(room, planted):
    return Asked(room.zram(), WRITES + switched(planted, ("--content", "zeros")))


def reducible(room, planted):
    return Asked(room.zram(), WRITES + switched(planted, ("--content", "compress=4")))


def misaligned(room, planted):
    start = "512" if planted else "4096"
    return Asked(room.loop(), READS + ("--range", f"{start}-200m"))


def odd_block(room, planted):
    return Asked(room.loop(), ("--read", "100", "--block", "1536" if planted else "4k", "--depth", "4"))


def small(room, planted):
    path = room.file(4 * MIB if planted else SIZE)
    return Asked(path)


def hit_area(room, planted):
    return Asked(room.loop(), READS + switched(planted, ("--hits", "read=90,area=64k")))


def one_out(room, planted):
    uri, _ = room.server(*SLOW)
    return Asked(uri, ("--read", "100", "--block", "8k", "--depth", "1" if planted else "8"))


def too_many_out(room, planted):
    uri, _ = room.server(*SLOW)
    return Asked(uri, ("--read", "100", "--block", "8k", "--depth", "4096" if planted else "8"))


def too_much(room, planted):
    uri, _ = room.server("--filter=rate", "memory", str(SIZE), "rate=80M")
    return Asked(uri, ("--read", "100", "--block", "8k", "--rate", "5000" if planted else "300"))


def dirty(room, planted):
    return Asked(room.file(), WRITES + switched(planted, ("--caching", "buffered")))


def volatile(room, planted):
    device = room.loop()
    setting(device, "write_cache", "write back" if planted else "write through")
    return Asked(device, WRITES + ("--claim", "device"))


PAIRS = [
    Pair("fallocated", "extents that were reserved and never written", "PL121", fallocated, "PL106 PL114", deserved=DISK),
    Pair("sparse", "a file that is one hole", "PL121 PL154", sparse, "PL106 PL114", deserved=DISK),
    Pair("half-sparse", "the second half is a hole", "PL121 PL154", half_sparse, "PL106 PL114", deserved=DISK),
    Pair("page-cache", "reads through a warm page cache", "PL120 PL019", cached, "PL106 PL114 PL307", deserved=DISK),
    Pair("loop-over-cache", "a loop device without direct I/O, over a cached file", "PL124", layered, "PL106", deserved=DISK),
    Pair("split", "1 MiB of a device that takes 256 KiB", "PL126 PL308", split),
    Pair("few-requests", "64 in flight on a queue of four requests", "PL148 PL309", few_requests),
    Pair("neighbour-device", "dd reads the same device", "PL125", neighbour),
    Pair("neighbour-disk", "dd copies a file on the same disk", "PL125", neighbour_on_disk, deserved=DISK),
    Pair("neighbour-files", "dd reads another file of the same file system", "PL125", neighbour_on_file_system),
    Pair("busy-cpus", "four spinning loops for each CPU", "PL130 PL412", busy_host, "PL151"),
    Pair("busy-cpus-rate", "eight spinning loops for each CPU, at a rate", "PL130 PL412", busy_host_at_a_rate, "PL406"),
    Pair("shared-cpu", "pinned to the CPU that two loops spin on", "PL130", shared_cpu, "PL151"),
    Pair("cpu-limit", "a control group gives a fifth of a CPU", "PL131", cpu_limit, "PL130 PL405"),
    Pair("iops-limit", "a control group lets 200 reads a second through", "PL132", io_limit, "PL148 PL116"),
    Pair("bandwidth-limit", "a control group lets 4 MiB a second be written", "PL132", bandwidth_limit, "PL148 PL116"),
    Pair("slow-link", "a link of 40 Mbit/s to the server", "PL149 PL144", slow_link),
    Pair("far", "10 ms of way to a server that takes 2 ms", "PL149", far),
    Pair("lossy", "a link that loses three packets of a hundred", "PL146 PL147", lossy, "PL149"),
    Pair("server-hangs-rate", "the server is stopped for 1 s, at a rate", "PL407 PL409", server_hangs),
    Pair("server-hangs", "the server is stopped for 1.5 s, in a closed loop", "PL407", server_hangs_closed, "PL411"),
    Pair("host-hangs", "Plimsoll itself is stopped for 1 s", "PL405", host_hangs, "PL412"),
    Pair("slows-down", "the server's bandwidth falls to a fifth", "PL108 PL411", server_slows_down, "PL410"),
    Pair("errors", "one read of twenty fails", "PL400", errors, "PL402 PL404"),
    Pair("server-dies", "the server is killed", "PL400 PL420 PL408 PL423", server_dies, "PL404 PL102 PL104"),
    Pair("no-room", "writes into holes of a full file system", "PL400", no_room, "PL317 PL402 PL404"),
    Pair("little-room", "4 MiB are left of the file system", "PL317", little_room),
    Pair("in-memory", "a file in memory", "PL300 PL106 PL120", in_memory, "PL019 PL114", deserved=DISK),
    Pair("zeros", "zeros are written", "PL012", zeros),
    Pair("zeros-on-zram", "zeros are written to zram", "PL123 PL012", zeros_on_zram, "PL106 PL114"),
    Pair("reducible", "four to one, to a zram that compresses", "PL014", reducible, "PL114"),
    Pair("misaligned", "addresses begin at 512 bytes", "PL022", misaligned),
    Pair("odd-block", "transfers of 1,536 bytes", "PL021 PL022", odd_block),
    Pair("small", "a file of 4 MiB", "PL015", small, deserved=DISK),
    Pair("hit-area", "nine of ten reads go to 64 KiB", "PL024 PL018 PL112", hit_area),
    Pair("one-out", "one in flight", "PL033", one_out),
    Pair("too-many-out", "4,096 in flight", "PL034", too_many_out),
    Pair("too-much", "four times the rate that the server lets through", "PL102", too_much, "PL104 PL037"),
    Pair("dirty", "writes through the page cache", "PL122 PL019", dirty, "PL027 PL106", deserved=DISK),
    Pair("volatile", "a volatile cache, claimed of the device", "PL311", volatile, deserved="PL101"),
]
