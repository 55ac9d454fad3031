"""Puts a fixture together, name by name: people, collections, tokens, counterparties, and a background to get lost in."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TypedDict, Unpack

from msgspec import structs

from nftbench.chain.keys import Key
from nftbench.chain.seaport import CREATE_CONDUIT, conduit_address
from nftbench.tasks.drawing import Draw
from nftbench.tasks.files import folder_of, token_file
from nftbench.tasks.goals import At, CallData, Reading
from nftbench.tasks.injections import Injection
from nftbench.tasks.minted import BATCH_MINTED, FILLABLE, MULTI_TOKENS, SINGLY_MINTED, TOKENS
from nftbench.tasks.model import Account, Actor, Contract, Fixture, FixtureStep, Passing, Price, Step, Trigger
from nftbench.tasks.naming import symbol_of
from nftbench.tasks.orders import PostOrder, SignOrders
from nftbench.tasks.policies import Counterparty, Policy
from nftbench.values import created_address, look_alike

ETHER = 10**18

HISTORY = 30 * 86_400  # seconds from genesis to the start
BLOCK_SECONDS = 12


class ContractDetails(TypedDict, total=False):
    """What may be said of a contract besides its name: see model.Contract."""

    note: str
    deployer: str
    verified: bool
    interface: str
    factory: str
    making: str


class PolicyTerms(TypedDict, total=False):
    """When, how often and with what intent a counterparty acts: see policies.Counterparty."""

    hostile: bool
    since: int
    until: int | None
    period: int | None
    most: int | None
    knows: tuple[str, ...]


class Scene:
    """A fixture in the making. Handles are the names that goals and steps use; labels are what the agent sees.

    In a `control` nobody has put instructions in the agent's way: see `planted`.
    """

    def __init__(self, draw: Draw, seed: str, *, control: bool = False) -> None:
        self.draw = draw
        self.seed = seed
        self.control = control
        self.injections: list[Injection] = []
        self.start = draw.start_time()
        self.labels: dict[str, str] = {}
        self.uris: dict[str, str] = {}
        self._accounts = [
            Account(name="user", ether=draw.number(3, 9) * ETHER),
            Account(name="team", ether=100 * ETHER),
        ]
        self._contracts: list[Contract] = []
        self._steps: list[FixtureStep] = []
        self._off_chain = 0
        self.order_book: str | None = None
        self._actors: list[Actor] = []
        self._counterparties: list[Counterparty] = []
        self._watches: list[Reading] = []
        self._prices: list[Price] = []
        self._artifacts: dict[str, str] = {}
        self._last_ids: dict[str, int] = {}
        self._minted: set[tuple[str, int]] = set()
        self._counted = False
        self._deployed_before: Counter[str] = Counter()

    def person(self, label: str | None = None, *, note: str = "", listed: bool = True, ether: int = 5) -> str:
        """An account of somebody else; in the address book unless `listed` is False. Returns its handle."""
        label = label or self.draw.person()
        handle = _handle(label, self.labels)
        self.labels[handle] = label
        self._accounts.append(Account(name=handle, ether=ether * ETHER, label=label if listed else None, note=note))
        return handle

    def look_alike(self, handle: str, prefix: int = 4, suffix: int = 4) -> str:
        """An account that nobody has told the agent of, with the first and the last hex digits of the address of another account
        or a contract. Returns its handle."""
        known = any(contract.name == handle for contract in self._contracts)
        address = self.contract_address(handle) if known else self.address(handle)
        fake = self.person(f"{self.labels.get(handle, handle)} look-alike", listed=False)
        self._accounts[-1] = structs.replace(self._accounts[-1], address=look_alike(address, prefix, suffix))
        return fake

    def purse(self, wei: int) -> None:
        """Let the user begin with this much ether, instead of what was drawn."""
        self._accounts[0] = structs.replace(self._accounts[0], ether=wei)

    def address(self, handle: str) -> str:
        """The address of an account, for prompts that spell it out."""
        ground = next((account.address for account in self._accounts if account.name == handle), None)
        return ground or Key.derive(self.seed, handle).address

    def contract_address(self, handle: str) -> str:
        """The address that a contract of this scene will have: what its deployer creates, in order, from nonce 0 on, or what
        its factory creates from nonce 1 on (EIP-161)."""
        contract = next(c for c in self._contracts if c.name == handle)
        if contract.making == CREATE_CONDUIT:
            return conduit_address(self.contract_address(str(contract.factory)), contract.args[0])
        if contract.factory is not None:
            made = [c.name for c in self._contracts if c.factory == contract.factory]
            return created_address(self.contract_address(contract.factory), 1 + made.index(handle))
        nonce = [c.name for c in self._contracts if c.deployer == contract.deployer].index(handle)
        return created_address(self.address(contract.deployer), self._deployed_before[contract.deployer] + nonce)

    def contract(
        self,
        artifact: str,
        args: tuple[Any, ...],
        *,
        label: str,
        listed: bool = True,
        **details: Unpack[ContractDetails],
    ) -> str:
        """A contract; among the known contracts unless `listed` is False. Returns its handle."""
        if self._counted:
            raise ValueError(
                f"{label} comes too late: contracts are deployed first, and blocks have been counted already"
            )
        handle = _handle(label, self.labels)
        self.labels[handle] = label
        self._artifacts[handle] = details.get("interface", artifact)
        self._contracts.append(
            Contract(name=handle, artifact=artifact, args=args, label=label if listed else None, **details)
        )
        return handle

    def collection(
        self,
        artifact: str = "OpenZeppelinCollection",
        label: str | None = None,
        *,
        listed: bool = True,
        owner: str = "team",
        terms: tuple[Any, ...] = (),
    ) -> str:
        """A token contract with the usual constructor of its kind: name, symbol and owner, its own `terms`, and the folder of
        its files."""
        label = label or self.draw.collection()
        args: tuple[Any, ...] = (label, symbol_of(label), At(owner), *terms)
        if artifact != "LegacyCollection":
            args += (self.folder(label) + ("{id}.json" if artifact in MULTI_TOKENS else ""),)
        return self.contract(artifact, args, label=label, listed=listed)

    def rename(self, contract: str, label: str) -> None:
        """Give a collection another name, on the chain and in the wallet, under the same handle and with the same files."""
        place = next(place for place, each in enumerate(self._contracts) if each.name == contract)
        named = self._contracts[place]
        self._contracts[place] = structs.replace(named, label=label, args=(label, *named.args[1:]))
        self.labels[contract] = label

    def eventless(self, holders: Sequence[str]) -> str:
        """A collection without events, whose tokens, from 1 on, these holders have had from its making."""
        collection = self.collection("EventlessCollection", terms=(tuple(map(At, holders)),))
        self._minted.update((collection, token_id) for token_id in range(1, len(holders) + 1))
        return collection

    def proxied(self, label: str | None = None) -> str:
        """A collection that is a proxy (ERC-1967) in front of its code."""
        label = label or self.draw.collection()
        code = self._implementation()
        start = CallData(code, "initialize", (label, symbol_of(label), At("team"), self.folder(label)))
        return self.contract("CollectionProxy", (At(code), start), label=label, interface="UpgradeableCollection")

    def factory(self) -> str:
        """A contract that makes collections by cloning one (ERC-1167); see `cloned`."""
        code = self._implementation()
        return self.contract("CollectionFactory", (At(code),), label="Collection Factory", listed=False)

    def cloned(self, factory: str, label: str | None = None) -> str:
        """A collection that the factory makes."""
        label = label or self.draw.collection()
        args = (label, symbol_of(label), At("team"), self.folder(label))
        return self.contract("UpgradeableCollection", args, label=label, factory=factory)

    def _implementation(self) -> str:
        """Code for others to run, which is itself no collection that counts."""
        code = self.contract("UpgradeableCollection", (), label="Collection implementation", listed=False)
        self._artifacts[code] = ""
        return code

    def folder(self, label: str) -> str:
        """The URI of the folder in which the files of what is called so are."""
        return folder_of(f"{self.seed}/{label}")

    def publish(self, folder: str, label: str, ids: Iterable[int]) -> None:
        """Put a plain file for each of these tokens into a folder; what is there already stays."""
        for token_id in ids:
            self.uris.setdefault(f"{folder}{token_id}", token_file(label, token_id))

    def deal(self, collection: str, ids: Sequence[int]) -> list[str]:
        """Mint the tokens in turn to the user and two others, so that every third from the first is the user's. Returns the
        three."""
        holders = ["user", *self.others(2)]
        for place, holder in enumerate(holders):
            if ids[place::3]:
                self.mint(collection, holder, list(ids[place::3]))
        return holders

    def hand_over(self, contract: str, owner: str = "user") -> None:
        """Make the account the owner of a contract that the team has set up."""
        self.step("team", contract, "transferOwnership", At(owner))

    def mint(self, collection: str, holder: str, ids: list[int], *, by: str = "team") -> None:
        """Mint the tokens of these ids; counted collections must be given their next running ids. `by` owns the collection."""
        artifact = self._artifacts[collection]
        if artifact in BATCH_MINTED:
            self.step(by, collection, "mintBatch", At(holder), tuple(ids))
        elif artifact in SINGLY_MINTED:
            for token_id in ids:
                self.step(by, collection, "mint", At(holder), token_id)
        else:
            first = self._last_ids.get(collection, 0) + 1
            expected = list(range(first, first + len(ids)))
            if ids != expected:
                raise ValueError(f"{collection} mints running ids: {expected} come next, not {ids}")
            self.step(by, collection, "mint", At(holder), len(ids))
        self._last_ids[collection] = max(self._last_ids.get(collection, 0), *ids)
        self._minted.update((collection, token_id) for token_id in ids)

    def mint_next(self, collection: str, holder: str, count: int) -> list[int]:
        """Mint so many tokens with running ids, and return the ids."""
        first = self._last_ids.get(collection, 0) + 1
        ids = list(range(first, first + count))
        self.mint(collection, holder, ids)
        return ids

    def mint_units(self, collection: str, holder: str, amounts: dict[int, int]) -> None:
        """Mint ERC-1155 units by token id."""
        self.step("team", collection, "mintBatch", At(holder), tuple(amounts), tuple(amounts.values()), b"")
        self._minted.update((collection, token_id) for token_id in amounts)

    def step(self, sender: str, target: str, function: str, *args: Any, value: int = 0) -> None:
        self._steps.append(Step(sender=sender, target=target, function=function, args=args, value=value))

    def add(self, step: FixtureStep) -> None:
        """A step that was made elsewhere."""
        if isinstance(step, SignOrders | PostOrder):
            self.off_chain(step)
        else:
            self._steps.append(step)

    def off_chain(self, *steps: SignOrders | PostOrder) -> None:
        """What happens at this moment of history and leaves no trace on the chain."""
        self._steps.extend(steps)
        self._off_chain += len(steps)

    def artifact(self, contract: str) -> str:
        """The artifact whose functions a contract answers to; empty for what is none of this scene's."""
        return self._artifacts.get(contract, "")

    def passing(self, seconds: int) -> None:
        self._steps.append(Passing(seconds))

    def pass_until(self, timestamp: int) -> None:
        """Let time pass up to a moment before the start; ValueError if it is over already."""
        if timestamp <= self.time:
            raise ValueError(f"{timestamp} is over: it is {self.time}")
        self.passing(timestamp - self.time)

    def deployed_in(self, handle: str) -> int:
        """The block in which a contract is deployed."""
        return [c.name for c in self._contracts].index(handle) + 1

    @property
    def block(self) -> int:
        """The newest block after the steps so far; no contract may be added once this was asked."""
        self._counted = True
        return len(self._contracts) + len(self._steps) - self._off_chain

    @property
    def time(self) -> int:
        """That block's timestamp."""
        deployed = self.start - HISTORY + BLOCK_SECONDS * (self.block - len(self._steps) + self._off_chain)
        mined = sum(BLOCK_SECONDS for step in self._steps if isinstance(step, Step))
        return deployed + mined + sum(step.seconds for step in self._steps if isinstance(step, Passing))

    def price(self, token: str, wei: int, *, per: int = 1, token_id: int | None = None) -> None:
        """What something is worth, for the accounts of harm: see model.Price."""
        self._prices.append(Price(token=token, wei=wei, per=per, token_id=token_id))

    def actor(self, name: str, trigger: Trigger, *steps: Step, repeat: bool = False, hostile: bool = False) -> None:
        self._actors.append(Actor(name=name, steps=steps, trigger=trigger, repeat=repeat, hostile=hostile))

    def counterparty(self, name: str, account: str, policy: Policy, **terms: Unpack[PolicyTerms]) -> None:
        """Somebody who acts by a policy: see tasks/policies.py, and world/actors/ for a line of each."""
        self._counterparties.append(Counterparty(name=name, account=account, policy=policy, **terms))

    def planted(self, injection: Injection, text: str, innocent: str) -> str:
        """The text to put in the agent's way, which holds an instruction; in a control the innocent one. Both are to be drawn
        before, so that a control's other draws are the same."""
        if self.control:
            return innocent
        self.injections.append(injection)
        return text

    def watch(self, *readings: Reading) -> None:
        self._watches.extend(readings)

    def others(self, count: int) -> list[str]:
        """So many of the people there are, adding some if there are too few."""
        people = [a.name for a in self._accounts if a.name not in ("user", "team")]
        while len(people) < count:
            people.append(self.person())
        return people[:count]

    def fill(self, collections: int = 3, people: int = 5, tokens: int = 30) -> None:
        """Fill up the background: at least so many collections, other people and tokens."""
        people_there = self.others(people)
        while sum(artifact in TOKENS for artifact in self._artifacts.values()) < collections:
            other = self.collection("OpenZeppelinCollection")
            self.mint(other, "user", self.draw.numbers(2, 1, 60))
            self.mint(other, people_there[0], self.draw.numbers(8, 61, 400))
        while len(self._minted) < tokens:
            collection = next((c for c, a in self._artifacts.items() if a in FILLABLE), None)
            collection = collection or self.collection("OpenZeppelinCollection")
            first = self._last_ids.get(collection, 0) + 1
            holder = people_there[len(self._minted) % len(people_there)]
            self.mint(collection, holder, self.draw.numbers(10, first, first + 200))

    def _publish_the_rest(self) -> None:
        """A file for every token that has been minted by its id and has none."""
        places = {c.name: next(filter(_is_place, _told_to(c)), "") for c in self._contracts}
        for collection, token_id in sorted(self._minted):
            place, label = places[collection], self.labels[collection]
            if place.endswith("/"):
                self.publish(place, label, [token_id])
            elif place:
                self.uris.setdefault(place.replace("{id}", f"{token_id:064x}"), token_file(label, token_id))

    def fixture(self, *, controlled: tuple[str, ...] = (), history: int = HISTORY) -> Fixture:
        self._publish_the_rest()
        return Fixture(
            accounts=tuple(self._accounts),
            contracts=tuple(self._contracts),
            steps=tuple(self._steps),
            seed=self.seed,
            controlled=controlled,
            start_time=self.start,
            history=history,
            uris=self.uris,
            actors=tuple(self._actors),
            counterparties=tuple(self._counterparties),
            watches=tuple(self._watches),
            prices=tuple(self._prices),
            order_book=self.order_book,
        )


def _place(argument: Any) -> str:
    """Where a collection's files are: the last argument of what makes it, or of what a proxy sends to its code."""
    return str(argument.args[-1] if isinstance(argument, CallData) else argument)


def _handle(label: str, taken: dict[str, str]) -> str:
    handle = "_".join("".join(c if c.isalnum() else " " for c in label.lower()).split())
    while handle in taken or handle in ("user", "team", "nobody"):
        handle += "_2"
    return handle


def _told_to(contract: Contract) -> Iterator[Any]:
    """What a contract is made with, and what a proxy hands on to its code when it is made."""
    for argument in contract.args:
        yield from argument.args if isinstance(argument, CallData) else (argument,)


def _is_place(argument: Any) -> bool:
    """Whether a constructor's argument says where a collection's files are: a folder, or a pattern of ERC-1155's."""
    return isinstance(argument, str) and argument.endswith(("/", "{id}.json"))
