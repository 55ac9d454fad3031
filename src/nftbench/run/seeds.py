"""The sampling seed of each attempt: trials of one instance with one seed would be one answer said several times."""

from __future__ import annotations

import hashlib


def seed_of(seed: int, instance_id: str, trial: int) -> int:
    """The seed sent in a trial, counted from 1: the given one in the first, one derived from it, the instance and the number
    of the trial (31 bits, which every server takes) in each further one."""
    if trial == 1:
        return seed
    digest = hashlib.sha256(f"{seed}/{instance_id}/{trial}".encode()).digest()
    return int.from_bytes(digest[:4], "big") & 0x7FFFFFFF
