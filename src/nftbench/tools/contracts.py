"""The tools that look at contracts: what is there, its source, and what its functions give."""

from __future__ import annotations

from typing import Any

from nftbench.chain.abi import Function, Parameter
from nftbench.chain.artifacts import load, source_of
from nftbench.chain.engine import CallResult
from nftbench.tools.arguments import Argument, ArgumentError
from nftbench.tools.calls import given_call, parse_types
from nftbench.tools.documents import told_document
from nftbench.tools.interfaces import interface_of, is_verified, proxy_at
from nftbench.tools.paging import fitting, page_of
from nftbench.tools.parameters import ADDRESS, ARGUMENTS, CONTRACT, CURSOR, DATA, FUNCTION, undescribed
from nftbench.tools.rendering import event_line, function_line, render_outputs
from nftbench.tools.standards import INTERFACE_IDS, is_standard_event, standard_functions
from nftbench.tools.toolbox import Desk, Tool
from nftbench.values import format_ether

MOST_CALLS = 50
LONGEST_URI = 1_000
"""Characters of a data: URI that a call gives whole; of a longer one the document is shown beside its beginning."""


def get_contract(desk: Desk, given: dict[str, Any]) -> dict[str, Any]:
    world, address = desk.world, given["address"]
    ether = format_ether(world.engine.balance(address))
    if not world.engine.code(address):
        return {"address": address, "kind": "account without code", "ether": ether}
    answer: dict[str, Any] = {"address": address, "kind": "contract"}
    contract = world.contracts.get(address)
    if contract is not None and contract.label:
        answer["name"] = contract.label
    claimed = _supports(desk, address)
    answer |= {"ether": ether, "source_verified": is_verified(world, address), "interfaces_claimed": claimed}
    answer |= _origin(desk, address)
    proxy = proxy_at(world, address)
    if proxy is not None:
        answer["proxy"] = {"standard": proxy.standard, "implementation": proxy.implementation}
    interface = interface_of(world, address)
    if interface is None:
        return answer
    standard = standard_functions(interface.functions, claimed)
    listed = {f.signature for functions in standard.values() for f in functions}
    answer["functions"] = [function_line(f) for f in interface.functions if f.signature not in listed]
    answer["standard_functions"] = {
        name: " ".join(dict.fromkeys(f.name for f in functions)) for name, functions in standard.items()
    }
    answer["events"] = [event_line(e) for e in interface.events if not is_standard_event(e)]
    answer["standard_events"] = " ".join(dict.fromkeys(e.name for e in interface.events if is_standard_event(e)))
    return answer


def _supports(desk: Desk, address: str) -> list[str]:
    call = desk.world.engine.call
    head, tail = bytes.fromhex("01ffc9a7"), bytes(28)
    yes = (1).to_bytes(32, "big")
    return [
        name
        for name, number in INTERFACE_IDS.items()
        if call(address, head + bytes.fromhex(number) + tail).output == yes
    ]


def _origin(desk: Desk, address: str) -> dict[str, Any]:
    """Who deployed a contract: the sender of the transaction that made it, and the factory that it went through."""
    world = desk.world
    contract = world.contracts.get(address)
    made = next((r for r in world.engine.receipts() if r.contract_address == address), None)
    if made is not None:
        return {"deployer": made.sender}
    if contract is None:
        return {}
    origin = {"deployer": world.address(contract.deployer)}
    return origin | ({"factory": world.address(contract.factory)} if contract.factory else {})


def get_source(desk: Desk, given: dict[str, Any]) -> dict[str, Any]:
    world, address = desk.world, given["address"]
    contract = world.contracts.get(address)
    if contract is None or not contract.verified:
        proxy = proxy_at(world, address)
        behind = f"; it is a proxy of {proxy.implementation}" if proxy else ""
        raise ArgumentError(f"argument 'address': no source is verified at {address}{behind}")
    artifact = load(contract.artifact)
    files = artifact.sources
    wanted = given["file"] or files[0]
    if wanted not in files:
        raise ArgumentError(f"argument 'file': there is no file {wanted[:200]!r}; there are {', '.join(files)}")
    answer: dict[str, Any] = {"contract": artifact.name, "compiler": artifact.compiler["version"], "file": wanted}
    if given["file"] is None:
        answer["other_files"] = list(files[1:])
    return answer | page_of(source_of(wanted), given["cursor"] or 0, "source")


def call(desk: Desk, given: dict[str, Any]) -> dict[str, Any]:
    return _read(desk, given, _block(desk, given["block"]), given["account"])


def call_many(desk: Desk, given: dict[str, Any]) -> dict[str, Any]:
    calls, block = given["calls"], _block(desk, given["block"])
    if len(calls) > MOST_CALLS:
        raise ArgumentError(f"argument 'calls': at most {MOST_CALLS} at a time; got {len(calls)}")
    results: list[dict[str, Any]] = []
    for one in calls:
        try:
            results.append(_read(desk, one, block, given["account"]))
        except ArgumentError as problem:
            results.append({"error": str(problem)[:300]})
    shown = fitting(results)
    answer: dict[str, Any] = {
        "block": str(desk.world.engine.block.number if block is None else block),
        "results": shown,
    }
    if len(shown) < len(results):
        answer["note"] = f"the results from calls[{len(shown)}] on do not fit here: ask for those again"
    return answer


def _block(desk: Desk, block: int | None) -> int | None:
    newest = desk.world.engine.block.number
    if block is not None and block > newest:
        raise ArgumentError(f"argument 'block': the newest block is {newest}; got {block}")
    return block


def _read(desk: Desk, given: dict[str, Any], block: int | None, account: str | None) -> dict[str, Any]:
    function, data = given_call(desk, given["contract"], given, given["returns"])
    if function is None and not data:
        raise ArgumentError("give a 'function' to call, or raw 'data'")
    engine = desk.world.engine
    result = engine.call(given["contract"], data, sender=account or desk.world.user, block=block)
    if not result.success:
        return {"reverted": desk.world.explain(result.output, result.halt)}
    return _shown(function or _raw(given["returns"]), result)


def _raw(returns: list[str] | None) -> Function:
    """What decodes the result of raw call data."""
    outputs: tuple[Parameter, ...] = parse_types(returns or [], "returns")
    return Function("", "", b"", (), outputs, "view")


def _shown(function: Function, result: CallResult) -> dict[str, Any]:
    raw = {"raw_result": "0x" + result.output.hex()}
    if not function.outputs:
        return raw
    try:
        shown = render_outputs(function, result.output)
    except ValueError:
        return raw | {"note": "the result does not fit the declared types"}
    if isinstance(shown, str) and len(shown) > LONGEST_URI and shown[:5].lower() == "data:":
        document = told_document(shown)
        if document is not None:
            beginning = f"{shown[:80]}... ({len(shown)} characters)"
            return {
                "result": beginning,
                **document,
                "note": "the document behind this long data: URI is shown as content",
            }
    return {"result": shown}


_BLOCK = Argument(name="block", kind="integer", description="state after it; default: now")
_CALLER = Argument(name="account", kind="address", description="the caller; default: you")
_RETURNS = Argument(
    name="returns",
    kind="texts",
    description="result types, where not verified or for raw data",
    example='["address"]',
)
_READ = (CONTRACT, FUNCTION, ARGUMENTS, DATA)

CONTRACT_TOOLS = (
    Tool(
        "get_contract",
        "What is at an address: ether, deployer, standards, a proxy's implementation; where the source is verified its functions "
        "and events (standard ones by name only).",
        (ADDRESS,),
        get_contract,
    ),
    Tool(
        "get_source",
        "The Solidity source of a verified contract, page by page.",
        (
            ADDRESS,
            Argument(name="file", kind="text", description="another of its files"),
            CURSOR,
        ),
        get_source,
    ),
    Tool(
        "call",
        "Read a view, or run any other function (as `validate` of an order) read-only, from any caller. Without block, the time "
        "is next_block_time.",
        (*_READ, _RETURNS, _BLOCK, _CALLER),
        call,
    ),
    Tool(
        "call_many",
        f"Up to {MOST_CALLS} calls at one block, answered in order.",
        (
            Argument(
                name="calls",
                kind="rows",
                required=True,
                description="each as for call",
                example='[{"contract": "0x...", "function": "ownerOf", "arguments": ["17"]}]',
                fields=undescribed(*_READ, _RETURNS),
            ),
            *undescribed(_BLOCK, _CALLER),
        ),
        call_many,
    ),
)
