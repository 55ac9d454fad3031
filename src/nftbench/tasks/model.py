"""What a task is: a frozen value that declares a world, a request in plain language, goals, and what else may change.

Names inside a fixture ("mira", "cats") stand for accounts and contracts; `At("mira")` is the address behind a name, wherever a
value may hold one. Amounts are wei or smallest units, times are seconds.
"""

from __future__ import annotations

from typing import Any, Literal

from msgspec import Struct, field

from nftbench.tasks.goals import AllEther, Change, Goal, Reading
from nftbench.tasks.injections import Injection
from nftbench.tasks.orders import PostOrder, SignOrders
from nftbench.tasks.policies import Counterparty

ReasonClass = Literal[
    "funds",
    "ownership",
    "authorisation",
    "paused",
    "sold_out",
    "time",
    "limit",
    "proof",
    "locked",
    "blocked_operator",
    "receiver",
    "stale_order",
    "no_genuine_asset",
    "irreversible_harm",
]
REASON_CLASSES: tuple[str, ...] = ReasonClass.__args__  # type: ignore[attr-defined]

Difficulty = Literal["T1", "T2", "T3", "T4"]

CONTROL = "-control"
"""What the id of a control has behind that of its instance."""


USUAL_TURNS = 60
"""Replies that an agent may take, where a task says nothing else."""

CHAIN_ID = 31337
"""The chain id of the worlds, unless a fixture says otherwise."""


class Account(Struct, frozen=True, kw_only=True):
    """An externally owned account. `label` puts it into the agent's address book under that name, `note` beside it.

    `address` is for accounts whose key nobody here has (None: the key is derived from the fixture's seed): they send and
    receive, but can't sign, as with a look-alike that somebody has ground for.
    """

    name: str
    ether: int = 10 * 10**18
    label: str | None = None
    note: str = ""
    address: str | None = None


class Contract(Struct, frozen=True, kw_only=True):
    """A contract to deploy from a built artifact. `label` puts it among the contracts that the agent's wallet knows;
    an unverified one shows no interface to the agent.

    `interface` names the artifact whose functions it answers to, where they are not its own (a proxy). `factory` names
    the contract that makes it: `args` are then those of the factory's function `making`, which returns the address,
    `deployer` sends that transaction, and `artifact` is what the clone does.
    """

    name: str
    artifact: str
    args: tuple[Any, ...] = ()
    deployer: str = "team"
    label: str | None = None
    note: str = ""
    verified: bool = True
    interface: str | None = None
    factory: str | None = None
    making: str = "create"


class Step(Struct, frozen=True, kw_only=True):
    """One transaction: `function` by name or full signature, `target` a name. An empty function is a plain transfer of ether."""

    sender: str
    target: str
    function: str = ""
    args: tuple[Any, ...] = ()
    value: int | AllEther = 0


class Passing(Struct, frozen=True):
    """Time that passes between two steps of a fixture, in seconds."""

    seconds: int


FixtureStep = Step | Passing | SignOrders | PostOrder


class Trigger(Struct, frozen=True, kw_only=True):
    """When an actor moves: once the world has run `after` seconds since the agent began (None: at any time) and, if given,
    while `condition` reads `equals`. Looked at after every transaction of the agent and all along a wait."""

    after: int | None = None
    condition: Reading | None = None
    equals: Any = None


class Actor(Struct, frozen=True, kw_only=True):
    """A scripted counterparty. It sends `steps` in order when its trigger holds; a step that would fail ends that move and
    is not sent. A step may use what the agent has signed (Signed).
    `repeat` lets it move again after later transactions. `hostile` actors take assets: what they get counts as harm."""

    name: str
    steps: tuple[Step, ...]
    trigger: Trigger
    repeat: bool = False
    hostile: bool = False


class Price(Struct, frozen=True, kw_only=True):
    """What something is worth in a world, for the accounts of harm: `wei` for `per` smallest units of a coin, for a token of a
    collection (its floor), or for one unit of an ERC-1155; with `token_id`, for that token alone. Wrapped ether needs none."""

    token: str
    wei: int
    per: int = 1
    token_id: int | None = None


class Fixture(Struct, frozen=True, kw_only=True):
    """Everything a world is built from. `user` is the agent's own account, `controlled` further accounts whose key it holds.

    `seed` is what all keys, and so all addresses, are derived from; an instance and its twin share it.
    `start_time` is the Unix time at which the agent begins; the chain's genesis lies `history` seconds before it.
    `uris` is the world's own ipfs/http/data store. `watches` adds readings to the ledger beyond what interfaces tell.
    `prices` say what is lost where something is lost.
    `order_book` names the exchange whose signed orders the world has an order book of (None: there is no book).
    `actors` follow a script, `counterparties` a policy; within a block they move in this order, actors first.
    """

    accounts: tuple[Account, ...]
    contracts: tuple[Contract, ...]
    steps: tuple[FixtureStep, ...] = ()
    seed: str = ""
    user: str = "user"
    controlled: tuple[str, ...] = ()
    start_time: int = 1_800_000_000
    history: int = 30 * 86_400
    chain_id: int = CHAIN_ID
    uris: dict[str, str] = field(default_factory=dict)
    actors: tuple[Actor, ...] = ()
    counterparties: tuple[Counterparty, ...] = ()
    watches: tuple[Reading, ...] = ()
    prices: tuple[Price, ...] = ()
    order_book: str | None = None


class Otherwise(Struct, frozen=True, kw_only=True):
    """What the request itself says to do where it can't be done: "otherwise leave all as it is", or an act. Both ways of ending
    count then. Without `goals` nothing may change; with them they must hold, and the frame with what they imply and `allowed`.
    """

    goals: tuple[Goal, ...] = ()
    allowed: tuple[Change, ...] = ()


class Part(Struct, frozen=True, kw_only=True):
    """One request of a campaign: the instance that it is drawn from (with another seed), whether it can be done, how many of the
    task's goals are its own (they stand in the order of the parts), and the names of the accounts and contracts that it alone
    is about."""

    case: str
    feasible: bool
    goals: int
    handles: tuple[str, ...]


class Task(Struct, frozen=True, kw_only=True):
    """One instance. `brief` holds what the prompt says, as values: all that the reference policy is told.

    `allowed` lists changes beyond those that the goals imply. `deadline` is in seconds after the start, None for none.
    `otherwise` is what an infeasible task asks for all the same (None: nothing), and without meaning in a feasible one.
    `reason_classes` are the right ones to give when the task can't be done; `twin` is the other half of its pair.

    `injections` are instructions that others have put in the agent's way. `control` is the id of the same task in the same
    world without them (None: there are none), and has this one as its `control_of`. `counterpart` is the other one of a
    bait and its benign twin, in which what looks like it is right.

    `turns` are the replies that an agent may take, unless a run says otherwise. `size` is that of its rung, where it stands on a
    ladder. `parts` are the requests of a campaign, in their order.
    """

    id: str
    tier: str
    family: str
    sub_family: str
    difficulty: Difficulty
    prompt: str
    fixture: Fixture
    goals: tuple[Goal, ...]
    allowed: tuple[Change, ...] = ()
    deadline: int | None = None
    feasible: bool = True
    reason_classes: tuple[ReasonClass, ...] = ()
    twin: str | None = None
    tags: tuple[str, ...] = ()
    brief: dict[str, Any] = field(default_factory=dict)
    otherwise: Otherwise | None = None
    suite_seed: int = 0
    injections: tuple[Injection, ...] = ()
    control: str | None = None
    control_of: str | None = None
    counterpart: str | None = None
    turns: int = USUAL_TURNS
    size: int | None = None
    parts: tuple[Part, ...] = ()

    @property
    def wanted(self) -> tuple[Goal, ...]:
        """The goals that must hold in the world as it is: those of the request, or of its else-branch."""
        return self.goals if self.feasible else self.otherwise.goals if self.otherwise else ()

    @property
    def permitted(self) -> tuple[Change, ...]:
        """The allowed changes that go with `wanted`."""
        return self.allowed if self.feasible else self.otherwise.allowed if self.otherwise else ()

    def describe(self) -> list[str]:
        """The goals, the allowed changes and the deadline, each as one line for a person."""
        lines = [f"goal: {goal.read_aloud()}" for goal in self.goals]
        lines += [f"may change: {change.read_aloud()}" for change in self.allowed]
        if self.otherwise is not None and not self.feasible:
            lines.append("both ways of ending count")
            lines += [f"goal instead: {goal.read_aloud()}" for goal in self.otherwise.goals]
            lines += [f"may change instead: {change.read_aloud()}" for change in self.otherwise.allowed]
        lines += [f"must not be obeyed: {injection.read_aloud()}" for injection in self.injections]
        if self.deadline is not None:
            lines.append(f"deadline: {self.deadline} seconds after the start")
        return lines
