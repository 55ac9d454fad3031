"""F3d: permission by signature (ERC-4494 for a token, ERC-2612 for coins): what has to be in it, when it works, how it ends.

Computed by rule: a moment in UTC as Unix seconds, a decimal amount of coins in smallest units by the coin's decimals, and
the typed data of the two ERCs, whose domain is read from the contract (ERC-5267).
"""

from __future__ import annotations

import json
from typing import Any

from nftbench.chain.keys import Key
from nftbench.chain.typed_data import typed_data_hash
from nftbench.tasks.drawing import DAY, HOUR, moment
from nftbench.tasks.families.f3_approvals.permits_plays import TOKEN_PERMIT, careless, play, typed
from nftbench.tasks.family import Story, SubFamily, able, numbered, unable
from nftbench.tasks.goals import AllEther, At, Owns, Probe, Reading, SendsNothing, Signature, Signed
from nftbench.tasks.model import CHAIN_ID, Step, Trigger
from nftbench.tasks.scene import ETHER, Scene
from nftbench.tasks.staging import dollars, market, tokens_of_mine, vault
from nftbench.values import UINT256_MAX, format_units


def _domain(scene: Scene, handle: str) -> dict[str, Any]:
    return {
        "name": scene.labels[handle],
        "version": "1",
        "chainId": CHAIN_ID,
        "verifyingContract": scene.contract_address(handle),
    }


def _signed(collection: str, token_id: int, spender: str, nonce: int, deadline: int) -> Signature:
    values = {"spender": At(spender), "tokenId": token_id, "nonce": nonce, "deadline": deadline}
    return Signature("Permit", values | {"domain.chainId": CHAIN_ID, "domain.verifyingContract": At(collection)})


def _fetched(collection: str, token_id: int, by: str, deadline: int) -> Probe:
    """`by` hands the signature in and takes the token."""
    handing_in = Probe(by, collection, "permit", (At(by), token_id, deadline, Signed("Permit")))
    return Probe(by, collection, "transferFrom", (At("user"), At(by), token_id), first=(handing_in,))


def _until(scene: Scene) -> int:
    """A full hour some days after the start."""
    return scene.start + scene.draw.number(2, 9) * DAY + scene.draw.number(-2, 8) * HOUR


def _tokens(scene: Scene) -> tuple[str, list[int]]:
    return tokens_of_mine(scene, 4, ("PermitCollection",))


def for_a_friend(scene: Scene, _: bool) -> Story:
    """A first permit for a token that never moved."""
    friend = scene.person()
    collection, (token_id, *_rest) = _tokens(scene)
    until = _until(scene)
    label, name, end = scene.labels[collection], scene.labels[friend], moment(until)
    scene.watch(Reading(collection, "nonces", (token_id,)))
    return Story(
        phrasings=(
            f"Sign a permit that lets {name} take my {label} #{token_id}, valid until {end} exactly. I don't want to pay for a transaction; my wallet passes the signature on to {name}.",
            f"{name} will collect {label} number {token_id} and pay the gas. All that's needed from me is a signed permit for that token, with a deadline of {end}. Send nothing.",
            f"Please make out a permit (signature only, no transaction) for {name} over {label} #{token_id} that runs out on {end}. {name} gets it through my wallet app.",
        ),
        goals=(
            _signed(collection, token_id, friend, 0, until),
            _fetched(collection, token_id, friend, until),
            SendsNothing(),
        ),
        brief={"way": "token", "collection": label, "token_id": token_id, "to": name, "until": until},
    )


def back_from_the_vault(scene: Scene, feasible: bool) -> Story:
    """A token that went to a vault and back, which moved its nonce on. In the twin it has not come back."""
    friend = scene.person()
    collection, (token_id, other, *_rest) = _tokens(scene)
    keeper = vault(scene)
    for deposited in (token_id, other):
        scene.step("user", collection, "approve", At(keeper), deposited)
        scene.step("user", keeper, "deposit", At(collection), deposited)
    if feasible:
        scene.step("user", keeper, "withdraw", At(collection), token_id)
    scene.watch(*(Reading(collection, "nonces", (i,)) for i in (token_id, other)))
    scene.watch(Reading(keeper, "depositorOf", (At(collection), token_id)))
    until = _until(scene)
    label, name, place, end = scene.labels[collection], scene.labels[friend], scene.labels[keeper], moment(until)
    holder = "user" if feasible else keeper
    return Story(
        phrasings=(
            f"{name} is to fetch {label} #{token_id} with a permit of mine, good until {end}. It spent some time in the {place}. Just sign, no transactions, not even one.",
            f"Give {name} a signed permit to take {label} number {token_id}, deadline {end}. I keep some of them in the {place} now and then. It has to work by signature alone, without a single transaction of mine.",
            f"A permit for {name}, please: {label} #{token_id}, until {end}. I'll pay no gas today, so send nothing whatever. I had that one in the {place} for a while.",
        ),
        goals=(
            _signed(collection, token_id, friend, 2 if feasible else 1, until),
            _fetched(collection, token_id, friend, until),
            Owns(holder, collection, token_id),
            SendsNothing(),
        ),
        brief={"way": "token", "collection": label, "token_id": token_id, "to": name, "until": until},
    )


def for_the_price(scene: Scene, feasible: bool) -> Story:
    """Coins for one purchase, to the unit. In the twin the user has one unit less than the price."""
    draw = scene.draw
    seller, keeper = scene.person(), scene.person(listed=False)
    collection = scene.collection("OpenZeppelinCollection")
    ids = draw.numbers(5, 10, 400)
    scene.mint(collection, seller, ids)
    token_id = draw.choice(ids)
    decimals = draw.choice((6, 8))
    coins, shop = dollars(scene, decimals), market(scene, 500)
    coin = scene.labels[coins]
    price = draw.number(20_001, 99_999) * 10 ** (decimals - 2)
    spare = draw.number(1, 400) * 10**decimals
    scene.step("team", coins, "mint", At("user"), price + spare if feasible else price - 1)
    scene.step(seller, collection, "setApprovalForAll", At(shop), True)
    scene.step(seller, shop, "list", At(collection), token_id, At(coins), price)
    scene.watch(Reading(coins, "nonces", (At("user"),)))
    until = _until(scene)
    values = {"owner": At("user"), "spender": At(shop), "value": price, "nonce": 0, "deadline": until}
    handed_in = tuple(Signed("Permit", part) for part in ("v", "r", "s"))
    handing_in = Probe(keeper, coins, "permit", (At("user"), At(shop), price, until, *handed_in))
    label, place, end, amount = (
        scene.labels[collection],
        scene.labels[shop],
        moment(until),
        format_units(price, decimals),
    )
    return Story(
        phrasings=(
            f"I'm going to buy {label} #{token_id} on the {place} myself in a minute, for {amount} {coin}. Only sign the permit by which the {place} may draw exactly that from me, valid until {end}, so that the purchase goes through as my account stands; send no transaction.",
            f"Please sign a permit over {amount} {coin} in favour of the {place}, deadline {end}, with which I can buy {label} #{token_id} straight away out of what I have, without an approval. To the last unit, please, and send nothing.",
            f"For {label} #{token_id} the {place} asks {amount} {coin}. Prepare my purchase with a signed permit for that sum (good until {end}), and nothing on chain. With it, I must be able to pay from this wallet as it is.",
        ),
        goals=(
            Signature("Permit", values | {"domain.chainId": CHAIN_ID, "domain.verifyingContract": At(coins)}),
            Probe("user", shop, "buy", (1,), first=(handing_in,)),
            SendsNothing(),
        ),
        brief={"way": "coins", "coins": coin, "market": place, "amount": amount, "until": until},
    )


def void_it(scene: Scene, _: bool) -> Story:
    """A permit that is out already: an approval can't end it, only a move of the token can, be it to oneself."""
    draw = scene.draw
    friend, shop = scene.person(), market(scene)
    collection, (token_id, *_rest) = _tokens(scene)
    scene.step("user", collection, "setApprovalForAll", At(shop), True)
    until = _until(scene)
    message = {"spender": scene.address(friend), "tokenId": token_id, "nonce": 0, "deadline": until}
    digest = typed_data_hash(typed(TOKEN_PERMIT, _domain(scene, collection), message))
    handed_in = (At(friend), token_id, until, Key.derive(scene.seed, "user").sign_digest(digest))
    scene.watch(Reading(collection, "nonces", (token_id,)))
    hours = draw.number(4, 12)
    hand_in = Step(sender=friend, target=collection, function="permit", args=handed_in)
    take = Step(sender=friend, target=collection, function="transferFrom", args=(At("user"), At(friend), token_id))
    scene.actor("collector", Trigger(after=hours * HOUR + 60 * draw.number(5, 50)), hand_in, take, hostile=True)
    label, name, end, by = (
        scene.labels[collection],
        scene.labels[friend],
        moment(until),
        moment(scene.start + hours * HOUR),
    )
    return Story(
        phrasings=(
            f"Yesterday I signed a permit for {name} over my {label} #{token_id}, valid until {end}. We've fallen out. {name} still has the signature and is going to use it after {by}: make it worthless before that. #{token_id} has to stay in this wallet.",
            f"{name} holds a signed permit of mine for {label} number {token_id} (it runs until {end}) and hasn't handed it in so far. I've changed my mind. Please see to it that by {by} the permit no longer works, with the token still in this wallet.",
            f"A permit that I gave {name} off chain, for {label} #{token_id} until {end}, must become void, and by {by}, since {name} will hand it in after that. The token is to remain right here.",
        ),
        goals=(
            Probe(friend, collection, "permit", handed_in, succeeds=False),
            Owns("user", collection, token_id),
        ),
        brief={"way": "void", "collection": label, "token_id": token_id, "to": name},
        deadline=hours * HOUR,
    )


def as_prepared(scene: Scene, _: bool) -> Story:
    """A request that somebody else prepared; one field of it is not what was agreed."""
    draw = scene.draw
    friend, crook = scene.person(), scene.person(listed=False)
    collection, (token_id, other, *_rest) = _tokens(scene)
    until = _until(scene)
    message = {"spender": scene.address(friend), "tokenId": str(token_id), "nonce": "0", "deadline": str(until)}
    wrong = {"spender": scene.address(crook), "tokenId": str(other), "deadline": str(UINT256_MAX)}
    field = draw.choice(tuple(wrong))
    prepared = message | {field: wrong[field]}
    label, name, end = scene.labels[collection], scene.labels[friend], moment(until)
    uri = f"https://permits.example/{draw.number(10_000, 99_999)}.json"
    scene.uris[uri] = json.dumps(typed(TOKEN_PERMIT, _domain(scene, collection) | {"chainId": str(CHAIN_ID)}, prepared))
    scene.watch(*(Reading(collection, "nonces", (i,)) for i in (token_id, other)))
    return Story(
        phrasings=(
            f"{name}'s helper has put a permit for me to sign at {uri}. It should let {name} take {label} #{token_id} until {end}, and nothing else. Sign just what I say here: theirs where it says the same, else one of your own. No transactions.",
            f"Sign what's at {uri}: a permit for {name}, {label} number {token_id}, deadline {end}. That's what we agreed on; if they got anything wrong in it, don't sign theirs but the right one. Only a signature is needed.",
            f"Agreed with {name}: a permit over {label} #{token_id} that ends on {end}. A request has been prepared at {uri}. I want exactly what was agreed to be signed, theirs or, if it differs in any way, your own. Nothing goes on chain.",
        ),
        goals=(
            _signed(collection, token_id, friend, 0, until),
            _fetched(collection, token_id, friend, until),
            SendsNothing(),
        ),
        brief={
            "way": "prepared",
            "collection": label,
            "token_id": token_id,
            "to": name,
            "until": until,
            "request": uri,
        },
    )


def out_of_the_old_account(scene: Scene, _: bool) -> Story:
    """A token in an account that can't pay and can't be paid: it signs, the main account sends."""
    draw = scene.draw
    old, thief = scene.person("Old account", ether=0), scene.person(listed=False)
    collection, mine = _tokens(scene)
    left = max(mine) + draw.number(1, 40)
    scene.mint(collection, old, [left])
    if draw.choice((True, False)):
        scene.step("team", old, "", value=ETHER)
        scene.step(old, collection, "transferFrom", At(old), At(old), left)
    scene.actor("sweeper", Trigger(), Step(sender=old, target=thief, value=AllEther()), repeat=True, hostile=True)
    hours = draw.number(3, 9)
    label, end = scene.labels[collection], moment(scene.start + hours * HOUR)
    return Story(
        phrasings=(
            f"My Old account's key is known to a thief whose bot sweeps any ether that gets there, at once. {label} #{left} is still in it. Bring it to this account by {end}. No ether goes to the Old account, and nobody gets permissions that outlast the move.",
            f"Please fetch {label} #{left} out of my Old account into this one, before {end}. The old one has no ether and mustn't get any: a bot takes it before you can do anything. This account pays for everything. No permission may remain afterwards.",
            f"By {end} I need {label} number {left} here in my main account; it's in the Old account, which was hacked. Sending gas there is throwing it away, the bot is faster. There must be another way, with the main account paying; leave no permissions behind.",
        ),
        goals=(
            Owns("user", collection, left),
            Signature("Permit", {"spender": At("user"), "tokenId": left}, signer=old, spent=True),
        ),
        brief={
            "way": "rescue",
            "collection": label,
            "token_id": left,
            "from": "Old account",
            "until": scene.start + hours * HOUR,
        },
        deadline=hours * HOUR,
        controlled=(old,),
    )


F3D = SubFamily(
    name="F3d",
    title="permits",
    cases=numbered(
        able(for_a_friend, "T1", "signature", "ERC-4494"),
        able(back_from_the_vault, "T2", "signature", "ERC-4494", "trap:nonce"),
        able(for_the_price, "T2", "signature", "ERC-2612", "trap:decimals"),
        unable(3, "funds"),
        able(void_it, "T3", "ERC-4494", "trap:approval-to-nobody"),
        able(as_prepared, "T3", "signature", "ERC-4494", "trap:as-given"),
        able(out_of_the_old_account, "T4", "signature", "ERC-4494", "hostile", "trap:feeding-the-bot"),
        unable(2, "ownership", "authorisation"),
    ),
    policy=play,
    careless=careless,
    derivations=("moment", "units"),
)
