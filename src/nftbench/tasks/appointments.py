"""What somebody expects to happen at a time of the day, and the time by which all has to be done."""

from __future__ import annotations

from typing import NamedTuple

from nftbench.tasks.drawing import HOUR, moment
from nftbench.tasks.scene import Scene


class Appointment(NamedTuple):
    """Both times in seconds after the start, which is Unix time."""

    start: int
    expected: int
    deadline: int

    @property
    def about(self) -> str:
        """The expected time as a person writes it."""
        return moment(self.start + self.expected)

    @property
    def by(self) -> str:
        """The deadline as a person writes it."""
        return moment(self.start + self.deadline)

    @property
    def told(self) -> dict[str, int]:
        """Both for a brief, as Unix times."""
        return {"expected": self.start + self.expected, "deadline": self.start + self.deadline}


def appointment(scene: Scene, hours: tuple[int, int] = (5, 9)) -> Appointment:
    """Something in two to seven hours, to be dealt with within so many hours more."""
    expected = scene.draw.number(2, 7) * HOUR
    return Appointment(scene.start, expected, expected + scene.draw.number(*hours) * HOUR)
