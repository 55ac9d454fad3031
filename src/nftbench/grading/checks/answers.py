"""The answer given, against the goal's."""

from __future__ import annotations

from nftbench.grading.answers import judge
from nftbench.grading.moment import Finding, Moment
from nftbench.tasks.goals import Answer, Goal


def check_answer(goal: Goal, moment: Moment) -> Finding:
    assert isinstance(goal, Answer)
    ending = moment.desk.ending
    return judge(goal, moment.world.resolve(goal.value), ending.answer if ending else None)
