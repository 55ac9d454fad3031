"""Chain values as a model reads them: integers as decimal strings, bytes as hex, tuples by field name."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from nftbench.chain.abi import Event, Function, Parameter
from nftbench.chain.engine import Log, Receipt, Refused
from nftbench.tools.interfaces import interface_of
from nftbench.world.world import World

EVENTS_SHOWN = 40


def element_of(parameter: Parameter) -> Parameter:
    """The elements of an array parameter, as a parameter."""
    kind, canonical = parameter.type, parameter.canonical
    return Parameter(parameter.name, kind[: kind.rindex("[")], canonical[: canonical.rindex("[")], parameter.components)


def render_value(value: Any, parameter: Parameter | None = None) -> Any:
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return value
    if isinstance(value, int):
        return str(value)
    if isinstance(value, bytes):
        return "0x" + value.hex()
    components = parameter.components if parameter else ()
    if components and parameter and parameter.type == "tuple" and all(c.name for c in components):
        return {c.name: render_value(v, c) for c, v in zip(components, value, strict=True)}
    item = None
    if parameter and parameter.type.endswith("]"):
        item = element_of(parameter)
    return [render_value(v, item) for v in value]


def render_outputs(function: Function, output: bytes) -> Any:
    """One result as itself, several as an object by name or a list."""
    values = function.decode_output(output)
    outputs = function.outputs
    rendered = [render_value(v, p) for v, p in zip(values, outputs, strict=True)]
    if len(rendered) == 1:
        return rendered[0]
    names = [p.name for p in outputs]
    return dict(zip(names, rendered, strict=True)) if all(names) and len(set(names)) == len(names) else rendered


def parameters_line(parameters: Sequence[Parameter]) -> str:
    """Parameters as Solidity declares them."""
    return ", ".join(f"{_type(p)}{' indexed' if p.indexed else ''} {p.name}".strip() for p in parameters)


def _type(parameter: Parameter) -> str:
    """A type as Solidity writes it, a struct by its fields."""
    if not parameter.components:
        return parameter.canonical
    return f"({parameters_line(parameter.components)}){parameter.type.removeprefix('tuple')}"


def function_line(function: Function) -> str:
    line = f"{function.name}({parameters_line(function.inputs)}) {function.mutability}"
    return line + (f" returns ({parameters_line(function.outputs)})" if function.outputs else "")


def event_line(event: Event) -> str:
    return f"{event.name}({parameters_line(event.inputs)})"


def utc(timestamp: int) -> str:
    """A time as ISO 8601 in UTC with the day of the week."""
    return datetime.fromtimestamp(timestamp, UTC).strftime("%Y-%m-%dT%H:%M:%SZ (%A)")


def contract_label(world: World, address: str) -> str | None:
    contract = world.contracts.get(address)
    return contract.label if contract else None


def render_log(world: World, log: Log) -> dict[str, Any]:
    """An event by name and arguments where the contract is verified, raw topics and data otherwise."""
    shown: dict[str, Any] = {"contract": log.address}
    label = contract_label(world, log.address)
    if label:
        shown["contract_name"] = label
    interface = interface_of(world, log.address)
    event = interface.decode_log(log) if interface else None
    if event is None:
        return shown | {"topics": ["0x" + t.hex() for t in log.topics], "data": "0x" + log.data.hex()}
    return shown | {"event": event.name, "args": {k: render_value(v) for k, v in event.arguments.items()}}


def render_events(world: World, logs: Sequence[Log]) -> list[dict[str, Any]]:
    shown = [render_log(world, log) for log in logs[:EVENTS_SHOWN]]
    if len(logs) > EVENTS_SHOWN:
        shown.append({"note": f"{len(logs) - EVENTS_SHOWN} more events are not shown; see get_logs"})
    return shown


def render_outcome(world: World, outcome: Receipt | Refused) -> dict[str, Any]:
    """A transaction's outcome: refused, reverted with its reason, or success with its events."""
    if isinstance(outcome, Refused):
        return {"status": "refused", "reason": outcome.message}
    shown: dict[str, Any] = {"status": "success" if outcome.success else "reverted"}
    if not outcome.success:
        shown["reason"] = world.explain(outcome.output, outcome.halt)
    shown["block"] = str(outcome.block_number)
    shown["gas_used"] = str(outcome.gas_used)
    shown["fee_wei"] = str(outcome.gas_used * outcome.effective_gas_price)
    if outcome.success:
        shown["events"] = render_events(world, outcome.logs)
    return shown
