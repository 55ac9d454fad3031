"""The rules of what was left open and of orders that stand, each with what takes it out: see neutering."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from nftbench.grading import coverage, harm, left_behind
from nftbench.grading.checks import orders as order_checks
from nftbench.grading.checks import standing, wanted_tokens
from nftbench.grading.probes import (
    choices,
    fills,
    known,
    means,
    moments,
    orders,
    permits,
    state,
    takings,
    uses,
)


class Neutering(NamedTuple):
    """In the source of `function`, `rule` becomes `instead`."""

    function: Callable[..., Any]
    rule: str
    instead: str


LEFT_OPEN: dict[str, Neutering] = {
    # orders that stand
    "standing orders": Neutering(order_checks.check_standing, "bool(found.right) and not found.problem", "True"),
    "standing orders: not too many": Neutering(order_checks.check_standing, "and not found.problem", ""),
    "standing: dead orders": Neutering(standing._amiss, "ended(world, order) or problem_of", "problem_of"),
    "standing: whose and where": Neutering(
        standing._judged,
        "(each.order.exchange, each.order.offerer) == (exchange, maker)",
        "each.order.exchange == exchange",
    ),
    "standing: problems": Neutering(standing._judged, "if not wrong]", "if True]"),
    "standing: what moves the offer": Neutering(standing.problem_of, "if goal.through and mover", "if False and mover"),
    "standing: conduits of others": Neutering(
        standing.problem_of, "if mover is not None and acts_alone(world, mover):", "if False:"
    ),
    "standing: since when a price moves": Neutering(standing._opening, "if start >= early", "if True"),
    "standing: each token": Neutering(standing._fillings, "if not ways:", "if False:"),
    "standing: open": Neutering(standing._fillings, "yield _wrong(goal, world, order, way, when)", "yield ''"),
    "standing: shut": Neutering(
        standing._fillings, "if _tried(world, order, ways[0], when).effect is not None:", "if False:"
    ),
    "standing: for nobody else": Neutering(standing._fillings, "if made.effect is not None and", "if False and"),
    "standing: at its end": Neutering(standing._open_moments, "else last - 1", "else first"),
    "standing: how long": Neutering(standing._open_moments, "+ goal.lasting if last", "+ 60 if last"),
    "standing: from when": Neutering(standing._opens, "return goal.starts if", "return None if"),
    "standing: not after its end": Neutering(standing._shut_moments, "yield last", "pass"),
    "standing: not before its start": Neutering(standing._shut_moments, "yield before", "pass"),
    "standing: for its buyer": Neutering(standing._ways, "if goal.buyer is None", "if True"),
    "standing: in parts": Neutering(standing._ways, "for part in goal.fractions", "for part in ()"),
    "standing: private": Neutering(standing._bad_ways, "if whom is not None:", "if False:"),
    "standing: tokens not wanted": Neutering(
        standing._bad_ways, "yield from unwanted_takings(goal, world, order)", "pass"
    ),
    "standing: as a whole": Neutering(standing._bad_ways, "elif not goal.fractions and", "elif False and"),
    "standing: who gets it": Neutering(standing._served, "if isinstance(goal, BidStands):", "if True:"),
    "standing: differences": Neutering(standing._wrong, '"; ".join(_differences(', '"" and "; ".join(_differences('),
    "standing: fills that fail": Neutering(standing._wrong, "if made.effect is None:", "if False:"),
    "standing: to the unit": Neutering(standing._differences, "> (slack if asked else 0)", "> 10**30"),
    "standing: prices that move": Neutering(
        standing.current, "last = first if piece.last is None else", "last = first if True else"
    ),
    "standing: what is due": Neutering(standing.expected, "for due in paid:", "for due in ():"),
    "standing: what a bid gets": Neutering(
        standing.expected, "if isinstance(goal, BidStands):\n        collection", "if False:\n        collection"
    ),
    "standing: one after the other": Neutering(standing._twice, "if done and order is not first:", "if False:"),
    "standing: which permissions they need": Neutering(coverage._order_permissions, "return needed", "return {}"),
    "standing: coins to the unit": Neutering(
        coverage._order_permissions, "needed.get(entry, 0) + much", "moment.world.surveyor.read(entry)"
    ),
    "bids: each token that is wanted": Neutering(
        wanted_tokens.bid_takings, "if all(taking is not None for taking in takings):", "if True:"
    ),
    "bids: others": Neutering(wanted_tokens.unwanted_takings, "if taking is not None:", "if False:"),
    "bids: a whole collection": Neutering(
        wanted_tokens.wanted, "for token_id in dict.fromkeys([*found[:2], *found[-1:]])", "for token_id in ()"
    ),
    "bids: by criteria": Neutering(wanted_tokens._taking, "None if proof is None else", "None if True else"),
    "orders to end": Neutering(order_checks.check_dead, "return not alive,", "return True,"),
    "orders to keep": Neutering(order_checks.check_alive, "return not lost,", "return True,"),
    "orders to keep: fillable": Neutering(
        order_checks.check_alive, "and use_of(world, _named(world, name)) is None", "and False"
    ),
    "standing: in the book": Neutering(standing._unposted, "if not goal.posted or", "if True or"),
    "orders: how they stand is no change": Neutering(coverage.Coverage.explains, "entry in self._orders or", ""),
    "orders: that they were filled is no change": Neutering(
        coverage._only_filled, "since == cancelled and size > 0 and", "False and"
    ),
    "orders: that one was cancelled is": Neutering(
        coverage._only_filled, "since == cancelled and size > 0 and", "True or"
    ),
    # what was left open
    "left: signatures asked for": Neutering(
        left_behind.signatures_left, "if any(signature_matches(world, goal, signed) for goal in wanted) or", "if"
    ),
    "left: signatures used up": Neutering(
        left_behind.signatures_left, "if untouched or not is_spent(world, signed):", "if True:"
    ),
    "left: no signature where nothing may be touched": Neutering(
        left_behind.signatures_left, "if untouched or not is_spent(world, signed):", "if not is_spent(world, signed):"
    ),
    "left: no order where nothing may be touched": Neutering(
        left_behind.signatures_left, "elif untouched:", "elif False:"
    ),
    "left: public before": Neutering(left_behind.signatures_left, "or was_public(world, signed)", ""),
    "left: orders asked for": Neutering(left_behind.signatures_left, "_key(order) not in asked and", ""),
    "left: dead orders": Neutering(left_behind.signatures_left, "and not ended(world, order)]", "]"),
    "left: orders": Neutering(left_behind.signatures_left, "if still:", "if False:"),
    "left: signatures in documents": Neutering(left_behind.was_public, "return True", "pass"),
    "left: signatures in transactions": Neutering(
        left_behind.was_public, "return any(bytes.fromhex(digits) in data for data in sent)", "return False"
    ),
    "left: validated orders": Neutering(left_behind._without_signature, "if not known.before:", "if False:"),
    "left: older orders": Neutering(left_behind._without_signature, "if use is not None:", "if False:"),
    "left: older orders that slept": Neutering(known.as_it_began, "not dead and not movable(world, order)", "not dead"),
    "left: older orders that others woke": Neutering(left_behind._others_woke, "return any(", "return False and any("),
    "left: what an order gives away": Neutering(left_behind._order_left, "if not uses:", "if True:"),
    "left: what a permit gives away": Neutering(
        left_behind._permit_left, "None if permit is None else", "None if True else"
    ),
    "left: own dead orders are no stray": Neutering(
        left_behind.order_readings, "not known.before and (_key(order) in asked or ended(world, order))", "False"
    ),
    "left: orders to end": Neutering(left_behind.order_readings, "order.hash in to_end or", ""),
    "left: counters that end older orders": Neutering(
        left_behind.order_readings, "if (exchange, account) not in to_keep:", "if True:"
    ),
    "left: own counters are no stray": Neutering(
        left_behind.order_readings, "if (exchange, account) not in to_keep:", "if False:"
    ),
    # orders
    "orders: genuine": Neutering(orders.orders_signed, "genuine and _may_sign(", "_may_sign("),
    "orders: leaves": Neutering(orders._leaves, "return leaves if 0 < height", "return leaves if 9 < height"),
    "orders: who signs": Neutering(orders._may_sign, "signer == offerer or", "True or"),
    "orders: this chain": Neutering(orders._exchange, "if here and", "if"),
    "orders: each once": Neutering(known._known, "(key not in found or", "(True or"),
    "orders: signed": Neutering(known._signed, "yield Known", "None and Known"),
    "orders: validated": Neutering(known._validated, "yield Known(", "None and Known("),
    "orders: cancelled": Neutering(state.ended, "if cancelled:", "if False:"),
    "orders: filled": Neutering(state.ended, "if whole and filled == whole:", "if False:"),
    "orders: past their end": Neutering(state.ended, 'if order.components["endTime"] <= now:', "if False:"),
    "orders: counters": Neutering(state.ended, '!= order.components["counter"]', "is None"),
    "orders: validated on chain": Neutering(state.ended, '"" if order.genuine or validated', '"" if True'),
    "orders: conduits": Neutering(state.transferer, "if not any(key):", "if True:"),
    "orders: movable": Neutering(state.movable, "elif not allowed:", "elif False:"),
    "orders: of the present counter": Neutering(state._validated, "current if stands else", "current if True else"),
    # how they are used
    "uses: later": Neutering(
        uses.use_of, "for when in reversed(moments) if _worsens(order) else moments:", "for when in (None,):"
    ),
    "uses: at the worst": Neutering(uses._worsens, "return falls or", "return False and"),
    "uses: by its zone": Neutering(uses._takings, "takers.append(zone)", "pass"),
    "uses: in parts": Neutering(uses._parts, "not in PARTIAL", "not in ()"),
    "uses: by choice": Neutering(uses._choices, "if all(options):", "if not options:"),
    "moments: starts and ends": Neutering(moments.later, "{first, last - 1, now", "{now"),
    "moments: time passes": Neutering(moments.move_to, "if ahead > 0:", "if False:"),
    "choices: proofs": Neutering(choices.proof_of, "if layout.root(leaves) == wanted:", "if False:"),
    "choices: pairs in any order": Neutering(choices.proof_of, "if found == wanted:", "if False:"),
    "choices: which tokens": Neutering(choices.others_tokens, "and owner not in world.controlled", "and False"),
    "choices: tokens still to be made": Neutering(choices.others_tokens, "if not units:", "if False:"),
    "fills: the parts": Neutering(fills.filling, "*taking.fraction", "1, 1"),
    "fills: choices": Neutering(fills.filling, "for choice in taking.choices", "for choice in ()"),
    "fills: ether": Neutering(fills.filling, "value=min(ether, ENOUGH_ETHER)", "value=0"),
    "fills: what is asked for": Neutering(fills.prepare, "permit_all(", "id("),
    "fills: fees aside": Neutering(fills._effect, "receipt.gas_used * receipt.effective_gas_price", "0"),
    "means: coins": Neutering(means.supply_coins, 'has(world, token, "deposit()")', "False"),
    "means: tokens of others": Neutering(
        means.supply_token, "elif owner != account and owner not in world.controlled:", "elif False:"
    ),
    "means: tokens still to be made": Neutering(
        means.supply_token, "if act(world, _minter", "if False and act(world, _minter"
    ),
    "means: nothing of the agent's": Neutering(means.supply_token, "and owner not in world.controlled", ""),
    # permits and permissions
    "permits: coins": Neutering(permits._coins, '_number(message["value"])', "0"),
    "permits: tokens": Neutering(permits._token, '_number(message["tokenId"])', "0"),
    "permits: whom they are for": Neutering(
        permits.permit_use, "permit.permission, permit.spender", "permit.permission, STRANGER"
    ),
    "permits: what they give": Neutering(permits.permit_use, "return taken_by(", "return None and taken_by("),
    "permissions: widened": Neutering(takings.opened, "if widened:", "if False:"),
    "permissions: narrowed": Neutering(takings.opened, "amount(after) > amount(before)", "True"),
    "permissions: what they cover": Neutering(
        takings._covered, '== owner:\n            yield Asset("token"', '!= owner:\n            yield Asset("token"'
    ),
    "permissions: coins that are there": Neutering(
        takings._covered, "min(amount(read(permission)),", "max(amount(read(permission)),"
    ),
    "permissions: what can't be taken": Neutering(
        takings.taken_by, "if _can_take(world, owner, who, *each)", "if True"
    ),
    "permissions: who acts alone": Neutering(
        takings.acts_alone, "channels is None or any(", "channels is not None and any("
    ),
    "permissions: exchanges": Neutering(takings.acts_alone, "or _is_exchange(world, taker)", ""),
    # harm
    "harm: lost": Neutering(harm.harm_told, "if move.hostile", "if False"),
    "harm: what the task puts up with": Neutering(
        harm._losses, "and not any(matches(world, change, difference) for change in task.permitted)", ""
    ),
    "harm: left open": Neutering(harm.harm_told, "for each in permissions]", "for each in ()]"),
    "harm: signatures": Neutering(harm.harm_told, "for each in left))", "for each in ()))"),
    "harm: hostile moves alone": Neutering(
        harm.losses, "for move in desk.stage.moves if move.hostile", "for move in desk.stage.moves"
    ),
    "harm: less what was paid": Neutering(harm._net, "found.append((asset, amount(before) - amount(after)))", "pass"),
    "harm: less what is asked": Neutering(
        harm._takeable, "if who in world.controlled]", "if who in world.controlled and change < 0]"
    ),
    "harm: each thing once": Neutering(harm.losses, "max(exposed.get(key, 0), worth)", "exposed.get(key, 0) + worth"),
    "harm: without a price": Neutering(harm._worth_of, "unpriced += worth is None and much > 0", "pass"),
    "harm: prices": Neutering(harm.worth_in_wei, "much * found.wei // found.per", "much"),
    "harm: one token's price": Neutering(harm.worth_in_wei, "(*single, *prices)", "prices"),
    "harm: wrapped ether": Neutering(harm.worth_in_wei, "contract.artifact == WRAPPED_ETHER", "False"),
}
"""Each rule with what takes it out."""

NAMING = {
    *(
        "judged",
        "a_copy",
        "known_orders",
        "_ends",
        "_slept",
        "asked_orders",
        "maker_of",
        "_pieces",
        "_before",
        "_tried",
        "_who",
        "_what",
        "_spoken",
        "asset_of_piece",
    ),
    *("wanted_token", "read_aloud", "_key", "spoken_asset", "spoken_loss", "_by_which", "with_criteria", "leaf_of"),
    *("_layered", "token_of", "asset_of", "_supply", "fill", "_parties", "_earlier", "has", "act", "supply_units"),
    *(
        "permit_all",
        "_minter",
        "exchanges",
        "_order",
        "order_hash",
        "domain",
        "bulk_types",
        "_types",
        "order_typed_data",
    ),
    *(
        "components_in",
        "components_of",
        "_named",
        "_struct",
        "_value",
        "_none",
        "words",
        "order_known",
        "_ended_by",
        "permissions",
        "validated_orders",
    ),
    *(
        "_all_or_nothing",
        "permit_in",
        "_split",
        "_number",
        "_is_exchange",
        "_channels",
        "_held",
        "check_unknown",
        "_can_take",
    ),
}
"""Functions of these without a rule of their own: they name, read and spell, or hand on."""
