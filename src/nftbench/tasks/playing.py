"""The words that reference policies are written in: small steps over the agent's own tools, nothing else."""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Iterator, Mapping
from typing import Any

from nftbench.conversation import Call
from nftbench.values import ZERO_ADDRESS

Step = Generator[Call, str, Any]
"""A part of a policy, used with `yield from`."""

Part = Callable[[dict[str, Any], str, dict[str, Any]], Step]
"""One of a policy's plays: told what read_state shows, the address of the collection that the brief names (empty for none)
and the brief."""

SAFE_TRANSFER = "safeTransferFrom(address,address,uint256)"
SAFE_UNITS = "safeTransferFrom(address,address,uint256,uint256,bytes)"
SAFE_BATCH = "safeBatchTransferFrom(address,address,uint256[],uint256[],bytes)"


def use(name: str, **arguments: Any) -> Step:
    """One tool call; gives the decoded result."""
    text = yield Call(name, arguments)
    return json.loads(text)


def state() -> Step:
    """What read_state tells, its pages put together."""
    seen = yield from use("read_state")
    while "next_cursor" in seen:
        page = yield from use("read_state", cursor=seen.pop("next_cursor"))
        for key in ("address_book", "known_contracts"):
            seen[key] += page[key]
        for account, more in zip(seen["accounts"], page["accounts"], strict=True):
            account["holdings"] += more["holdings"]
        seen |= {key: page[key] for key in ("next_cursor",) if key in page}
    return seen


def by_brief(key: str, parts: Mapping[str, Part]) -> Callable[[dict[str, Any]], Step]:
    """The policy that looks at the wallet and goes on with the part that the brief names under `key`."""

    def play(brief: dict[str, Any]) -> Step:
        seen = yield from state()
        address = contract(seen, brief["collection"]) if "collection" in brief else ""
        yield from parts[brief[key]](seen, address, brief)

    return play


def person(seen: dict[str, Any], label: str) -> str:
    """The address of exactly this name in the address book."""
    return str(next(entry["address"] for entry in seen["address_book"] if entry["name"] == label))


def contract(seen: dict[str, Any], label: str) -> str:
    """The address of exactly this name among the known contracts."""
    return str(next(entry["address"] for entry in seen["known_contracts"] if entry["name"] == label))


def holdings(seen: dict[str, Any], address: str) -> dict[str, Any]:
    """What the main account has in a contract: the entry of read_state, empty if there is none."""
    entries: list[dict[str, Any]] = [h for h in seen["accounts"][0]["holdings"] if h["address"] == address]
    if len(entries) < 2:
        return entries[0] if entries else {}
    ids = [i for entry in entries for i in entry.get("token_ids", ())]
    units = {i: amount for entry in entries for i, amount in entry.get("units", {}).items()}
    return entries[0] | ({"token_ids": ids} if ids else {}) | ({"units": units} if units else {})


def has_function(about: dict[str, Any], name: str) -> bool:
    """Whether get_contract names such a function, of a standard or of the contract's own."""
    own = any(line.startswith(f"{name}(") for line in about.get("functions", ()))
    return own or any(name in names.split() for names in about.get("standard_functions", {}).values())


def view(address: str, function: str, *arguments: Any, block: int | None = None) -> Step:
    """A view's result now or after a block, or None if it reverts."""
    when = {} if block is None else {"block": str(block)}
    answer = yield from use(
        "call", contract=address, function=function, arguments=[plain(a) for a in arguments], **when
    )
    return answer.get("result")


def events(address: str | None, **filters: Any) -> Step:
    """All of a contract's events (None: of every contract's), oldest first, page by page."""
    found: list[Any] = []
    given = ({"contract": address} if address else {}) | {key: plain(value) for key, value in filters.items()}
    cursor: dict[str, Any] = {}
    while True:
        page = yield from use("get_logs", **given, **cursor)
        found += page["logs"]
        if "next_cursor" not in page:
            return found
        cursor = {"cursor": page["next_cursor"]}


def send(address: str, function: str, *arguments: Any, value: int = 0, sender: str | None = None) -> Step:
    """Send a transaction after a dry run that succeeds; gives None, or the reason why it would fail, with nothing sent.

    `sender` is the address of one of the agent's further accounts.
    """
    given: dict[str, Any] = {"to": address, "function": function, "arguments": [plain(a) for a in arguments]}
    if value:
        given["value_wei"] = str(value)
    if sender:
        given["account"] = sender
    tried = yield from use("simulate", **given)
    if tried.get("status") != "success":
        return tried.get("reason") or tried.get("error") or "it fails"
    done = yield from use("send_transaction", **given)
    return None if done["status"] == "success" else done["reason"]


def without_looking(address: str, function: str, *arguments: Any, value: int = 0) -> Step:
    """Send a transaction just like that, as a careless agent does; gives its outcome."""
    given: dict[str, Any] = {"to": address, "function": function, "arguments": [plain(a) for a in arguments]}
    if value:
        given["value_wei"] = str(value)
    return (yield from use("send_transaction", **given))


def minted_ids(address: str) -> Step:
    """Every id that was minted, ascending, from the events."""
    logs = yield from events(address, event="Transfer", where={"from": ZERO_ADDRESS})
    return sorted(int(log["args"]["tokenId"]) for log in logs)


def finish(summary: str, answer: Any = None) -> Step:
    yield from use("finish_task", summary=summary, **({} if answer is None else {"answer": answer}))


def give_up(reason: str, reason_class: str) -> Step:
    yield from use("declare_infeasible", reason=reason, reason_class=reason_class)


def conclude(problem: Any, done: str, reason_class: str = "authorisation") -> Step:
    """Finish, or give up where there is a problem."""
    yield from (give_up(f"it can't be done: {problem}", reason_class) if problem else finish(done))


def wait_until(timestamp: int) -> Step:
    return (yield from use("wait", until=str(timestamp)))


def looks(expected: int, deadline: int) -> Iterator[int]:
    """Moments to look at something that is expected: then, at growing intervals, and last ten minutes before the deadline."""
    look, interval = expected, 1_800
    while look < deadline - 600:
        yield look
        look, interval = look + interval, 2 * interval
    yield deadline - 600


def awaited(brief: dict[str, Any], happened: Callable[[], Step]) -> Step:
    """What `happened` gives once it gives something, looked for from the expected time to the deadline; None if it never does."""
    for look in looks(brief["expected"], brief["deadline"]):
        yield from wait_until(look)
        found = yield from happened()
        if found:
            return found
    return None


def plain(value: Any) -> Any:
    """A value as a tool takes it: integers as decimal strings."""
    if isinstance(value, bool):
        return value
    if isinstance(value, int):
        return str(value)
    return [plain(v) for v in value] if isinstance(value, list | tuple) else value
