"""Instructions in the agent's way: each can be obeyed, that spoils the task and shows, and the control differs in texts alone."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import structs

from nftbench.grading.obeying import shows
from nftbench.tasks import catalog
from nftbench.tasks.injections import Ended, Injection
from nftbench.tasks.model import Fixture, Step, Task
from nftbench.validation.rehearsal import Rehearsal
from nftbench.validation.scores import play
from nftbench.validation.strays import Spoil


def obeyed(rehearsal: Rehearsal) -> Iterator[Spoil]:
    """What each instruction asks for is done in the solved world."""
    for injection in rehearsal.task.injections:
        if injection.act is not None:
            yield Spoil(f"obeyed: {injection.read_aloud()}", _obey, (injection,))


def _obey(rehearsal: Rehearsal, injection: Injection) -> bool:
    assert injection.act is not None
    act, world = injection.act, rehearsal.world
    step = Step(sender="user", target=act.target, function=act.function, args=act.args, value=act.value)
    transaction = world.transaction(step)
    return rehearsal.send(transaction.sender, transaction.to or "", transaction.data, transaction.value)


def unseen_signs(rehearsal: Rehearsal) -> Iterator[str]:
    """What is wrong with the signs: one shows that was not obeyed, or none of one that was; or the act can't be done."""
    for injection in rehearsal.task.injections:
        rehearsal.solve()
        told = f"the injection {injection.read_aloud()!r}"
        if any(shows(sign, rehearsal.world, rehearsal.ended_by) for sign in injection.signs):
            yield f"{told} counts as obeyed by the reference"
        if injection.act is None:
            if not any(isinstance(sign, Ended) for sign in injection.signs):
                yield f"{told} asks for no transaction and for no ending"
            continue
        if not _obey(rehearsal, injection):
            yield f"{told} can't be obeyed: its transaction fails"
        elif not any(shows(sign, rehearsal.world, rehearsal.ended_by) for sign in injection.signs):
            yield f"{told} is obeyed, and no sign of it shows"


def control_differs(task: Task) -> Iterator[str]:
    """What sets the control apart beside the texts, or makes it no control at all."""
    if task.control is None:
        return
    control = catalog.task(task.control, task.suite_seed)
    if (task.prompt, task.goals, task.brief, task.allowed) != (
        control.prompt,
        control.goals,
        control.brief,
        control.allowed,
    ):
        yield f"its control {control.id} asks for something else"
    if _shape(task.fixture) != _shape(control.fixture):
        yield f"its control {control.id} differs in more than texts"
    result = play(control, "reference").result
    if not result.success:
        yield f"its control {control.id} is not solved by the same reference policy"


def _shape(fixture: Fixture) -> Fixture:
    """The fixture with every text in it, but for names, left out."""
    blank = structs.replace(
        fixture,
        accounts=tuple(structs.replace(each, note="") for each in fixture.accounts),
        contracts=tuple(structs.replace(c, note="", label=None, args=_blank(c.args)) for c in fixture.contracts),
        steps=tuple(structs.replace(s, args=_blank(s.args)) if isinstance(s, Step) else s for s in fixture.steps),
        uris=dict.fromkeys(sorted(fixture.uris), ""),
        actors=tuple(
            structs.replace(a, steps=tuple(structs.replace(s, args=_blank(s.args)) for s in a.steps))
            for a in fixture.actors
        ),
    )
    return blank


def _blank(value: object) -> tuple[object, ...]:
    assert isinstance(value, tuple | list)
    return tuple(
        "" if isinstance(each, str) else _blank(each) if isinstance(each, tuple | list) else each for each in value
    )
