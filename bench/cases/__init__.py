"""The cases, in the order they are run: name and function from settings to result."""

from dataclasses import dataclass

from cases import ext4, fresh_data, loop_device, names, nbd_client, nbd_server, null_target, offered_rate, stall, virtual_time

ALL = {
    "null": null_target.measure,
    "loop": loop_device.measure,
    "ext4": ext4.measure,
    "names": names.measure,
    "fresh": fresh_data.measure,
    "rate": offered_rate.measure,
    "stall": stall.measure,
    "virtual": virtual_time.measure,
    "nbd-server": nbd_server.measure,
    "nbd-client": nbd_client.measure,
}


@dataclass(frozen=True)
class Settings:
    """What holds for all cases."""

    rounds: int
    """Runs of each tool in each case."""
    seconds: int
    """Length of a run."""
    folder: str
    """Where files to be read are kept."""
    has_t_io_uring: bool
    """Whether fio's bare loop is at hand. Packages of fio seldom carry it."""
