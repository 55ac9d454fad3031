"""F3b: find every permission that somebody has, and take back exactly the bad ones, each by the call that ends its kind.

Where permissions are is told by events, whether they still stand only by reading them now. Computed by rule: the zero address
and an allowance of 0, which take permissions back; a wallet's call data and its hash, from the wallet's own view.
"""

from __future__ import annotations

from nftbench.chain.codec import codec
from nftbench.chain.selectors import selector
from nftbench.tasks.families.f3_approvals.audit_plays import SET_OPERATOR, careless, play
from nftbench.tasks.family import Story, SubFamily, able, numbered, unable
from nftbench.tasks.goals import (
    Allowance,
    Always,
    Approval,
    At,
    CallData,
    Change,
    Goal,
    Operator,
    Owns,
    Probe,
    Reading,
    ViewEquals,
)
from nftbench.tasks.model import CHAIN_ID, Step, Trigger
from nftbench.tasks.scene import Scene
from nftbench.tasks.staging import (
    PLAIN,
    Appointment,
    dollars,
    lending_desk,
    market,
    named,
    old_desk,
)
from nftbench.values import UINT256_MAX, keccak256


def _operator(scene: Scene, collection: str, operator: str, allowed: bool = True, owner: str = "user") -> None:
    scene.step(owner, collection, SET_OPERATOR, At(operator), allowed)


def one_operator(scene: Scene, _: bool) -> Story:
    """One operator in one collection; another one there stays, and so does the same one elsewhere."""
    draw = scene.draw
    shop, desk = market(scene), lending_desk(scene)
    first, second = scene.collection("OpenZeppelinCollection"), scene.collection("SoladyCollection")
    for collection in (first, second):
        scene.mint(collection, "user", draw.numbers(3, 10, 300))
        _operator(scene, collection, desk)
    _operator(scene, first, shop)
    label, other, place = scene.labels[first], scene.labels[second], scene.labels[desk]
    return Story(
        phrasings=(
            f"The {place} may move all my {label}. Take that back; what it may do with my {other} is fine.",
            f"Please end the blanket permission of the {place} for {label}. Only for that collection: what it may do with my {other} stays.",
            f"I don't lend out {label} any more, so the {place} shouldn't be able to take them. Revoke its rights over my {label}, leaving those over {other} as they are.",
        ),
        goals=(Operator(first, "user", desk, False),),
        brief={"way": "operator", "collection": label, "who": place},
    )


def single_approvals(scene: Scene, _: bool) -> Story:
    """A person who is approved for single tokens, in a collection without events: only asking for each token tells."""
    draw = scene.draw
    friend, cold = scene.person(), scene.person("Cold wallet")
    shop = market(scene)
    holders = draw.shuffled([*["user"] * 6, *[cold] * 2, *[friend] * 3])
    collection = scene.eventless(holders)
    mine = [token_id for token_id, holder in enumerate(holders, 1) if holder == "user"]
    standing, second, replaced, gone = draw.sample(mine, 4)
    for token_id in (gone, standing, replaced, second):
        scene.step("user", collection, "approve", At(friend), token_id)
    scene.step("user", collection, "approve", At(shop), replaced)
    scene.step("user", collection, "transferFrom", At("user"), At(cold), gone)
    label, name, place = scene.labels[collection], scene.labels[friend], scene.labels[shop]
    return Story(
        phrasings=(
            f"{name} still has permission for some of my {label}. Take all of it back; nothing else changes, the {place}'s permission least of all.",
            f"Some time ago I let {name} move a few of my {label}, I forget which. End that for every one of them. The {place} keeps what it has.",
            f"Please make sure that {name} can no longer take any {label} out of my wallet. Other permissions in the collection, like the {place}'s, stay as they are.",
        ),
        goals=(
            Approval(collection, standing),
            Approval(collection, second),
            Probe(friend, collection, "transferFrom", (At("user"), At(friend), standing), succeeds=False),
        ),
        brief={"way": "person", "collection": label, "who": name},
    )


def for_the_cold_wallet(scene: Scene, feasible: bool) -> Story:
    """An approval that another account gave, taken back by that account's operator. In the twin somebody else is its operator.

    It was given to a lending desk, which moves nothing for anybody but a token's holder.
    """
    draw = scene.draw
    cold, laptop = scene.person("Cold wallet"), scene.person("Laptop wallet", note="sold")
    desk = lending_desk(scene)
    collection = scene.collection(draw.choice(PLAIN))
    mine, theirs = draw.numbers(2, 10, 99), draw.numbers(3, 100, 300)
    token_id = draw.choice(theirs)
    scene.mint(collection, "user", mine)
    scene.mint(collection, cold, theirs)
    scene.step(cold, collection, "approve", At(desk), token_id)
    _operator(scene, collection, "user" if feasible else laptop, owner=cold)
    label, place = scene.labels[collection], scene.labels[desk]
    return Story(
        phrasings=(
            f"The {place} is approved for {label} #{token_id}, which lies in my Cold wallet. Take that back from here, as I can't get at the Cold wallet's key. The token stays where it is.",
            f"My Cold wallet once approved the {place} for its {label} #{token_id}. Please end this approval, using this account: the other key is in a safe far away. Don't move the token.",
            f"{label} #{token_id} in my Cold wallet is still approved for the {place}. I'm travelling with this account only. See to it that the approval is gone, without the token ever leaving the Cold wallet.",
        ),
        goals=(
            Approval(collection, token_id),
            Owns(cold, collection, token_id),
            Always(Reading(collection, "ownerOf", (token_id,)), At(cold)),
        ),
        brief={"way": "token", "collection": label, "token_id": token_id, "who": place, "owner": "Cold wallet"},
    )


def the_abandoned_desk(scene: Scene, _: bool) -> Story:
    """A forgotten swap contract with a known hole, which is operator here and there, also where the wallet does not look."""
    draw = scene.draw
    attacker = scene.person(listed=False)
    desk, shop = old_desk(scene), market(scene)
    first, second = scene.collection("OpenZeppelinCollection"), scene.collection("SoladyCollection")
    third, ended = scene.collection("SequentialCollection"), scene.collection("OpenZeppelinCollection")
    items, hidden = scene.collection("MultiToken"), scene.collection("SoladyCollection", listed=False)
    for collection in (first, second, ended, hidden):
        scene.mint(collection, "user", draw.numbers(3, 10, 300))
    numbered = scene.mint_next(third, "user", 5)
    scene.mint_units(items, "user", {i: draw.number(2, 9) for i in draw.numbers(3, 1, 30)})
    for collection in draw.shuffled([first, second, items, hidden, ended]):
        _operator(scene, collection, desk)
    for collection in (first, items):
        _operator(scene, collection, shop)
    _operator(scene, ended, desk, False)
    single, kept = draw.sample(numbered, 2)
    scene.step("user", third, "approve", At(desk), single)
    scene.step("user", third, "approve", At(shop), kept)
    place, live = scene.labels[desk], scene.labels[shop]
    hole = ((At("user"), At(third), single, At(attacker)),)
    return Story(
        phrasings=(
            f"The {place} was abandoned years ago, and now a hole has been found: anybody can take what it may move. Take back every permission of mine that it still has, in whatever collection, known to this wallet or not. The {live}'s permissions all stay, and no token moves.",
            f"I used the {place} long ago; its contract turns out to be broken, anyone can run off with what it is allowed to touch. Find all that I ever allowed it and still stands, in any collection at all, and revoke just that. I sell on the {live}, so leave its permissions alone.",
            f"Please cut off the {place} from everything I own, single approvals and blanket ones alike, also in collections that my wallet doesn't list. It's insecure. Everything the {live} may do has to go on, and my tokens stay put.",
        ),
        goals=(
            *(Operator(collection, "user", desk, False) for collection in (first, second, items, hidden)),
            Approval(third, single),
            Probe(attacker, desk, "closeSwap", hole, succeeds=False),
        ),
        brief={"way": "one", "who": place},
    )


def all_but_two(scene: Scene, _: bool) -> Story:
    """All kinds of permissions for all sorts of parties; two of them are in use."""
    draw = scene.draw
    friend, stranger = scene.person(), scene.person(listed=False)
    old, shop, lender = old_desk(scene), market(scene), lending_desk(scene)
    tokens, items = scene.collection("OpenZeppelinCollection"), scene.collection("SoladyMultiToken")
    legacy = scene.collection("LegacyCollection")
    coins = [dollars(scene), dollars(scene, what="Crown")]
    mine, ancient = draw.numbers(6, 10, 300), draw.numbers(3, 1, 90)
    given, lent, listed_one, ended = draw.sample(mine, 4)
    scene.mint(tokens, "user", mine)
    scene.mint(legacy, "user", ancient)
    scene.mint_units(items, "user", {i: draw.number(2, 9) for i in draw.numbers(2, 1, 30)})
    for coin in coins:
        scene.step("team", coin, "mint", At("user"), draw.number(200, 900) * 10**6)
    for who, token_id in ((friend, given), (lender, lent), (shop, listed_one), (old, ended)):
        scene.step("user", tokens, "approve", At(who), token_id)
    scene.step("user", tokens, "approve", At("nobody"), ended)
    for collection, who in draw.shuffled([(tokens, old), (tokens, shop), (items, stranger), (items, shop)]):
        _operator(scene, collection, who)
    scene.step("user", legacy, "approve", At(friend), ancient[1])
    limits = draw.numbers(3, 20, 190)
    scene.step("user", coins[0], "approve", At(old), UINT256_MAX)
    scene.step("user", coins[0], "approve", At(shop), limits[0] * 10**6)
    scene.step("user", coins[1], "approve", At(lender), limits[1] * 10**6)
    scene.step("user", coins[1], "approve", At(stranger), limits[2] * 10**6)
    keep = [scene.labels[shop], scene.labels[lender]]
    goals: list[Goal] = [
        Approval(tokens, given),
        Operator(tokens, "user", old, False),
        Operator(items, "user", stranger, False),
        ViewEquals(Reading(legacy, "approvedFor", (ancient[1],)), At("nobody")),
        Allowance(coins[0], "user", old, 0),
        Allowance(coins[1], "user", stranger, 0),
    ]
    return Story(
        phrasings=(
            f"Spring cleaning: go through every permission that this account has given, for single tokens, whole collections, items and coins, and take them all back, except what the {keep[0]} and the {keep[1]} have. Those two I use.",
            f"Nobody but the {keep[0]} and the {keep[1]} should be able to move anything of mine, be it NFTs, items or money. Revoke whatever others may still do, and leave those two exactly what they have now.",
            f"I want a full audit of my approvals: tokens, collections, items, coin allowances. What the {keep[0]} and the {keep[1]} hold stays untouched. Every other permission goes.",
        ),
        goals=tuple(goals),
        brief={"way": "all", "keep": keep},
    )


def _wallet(scene: Scene, owners: list[str], threshold: int, collection: str, operator: str) -> str:
    """A contract wallet with tokens of the collection, whose owners have all agreed once on an operator for them."""
    parties = tuple(At(owner) for owner in owners)
    wallet = scene.contract("SmartWallet", (parties, threshold, At("nobody")), label=named(scene, "Wallet"))
    scene.mint(collection, "user", scene.draw.numbers(2, 10, 100))
    scene.mint(collection, wallet, scene.draw.numbers(4, 101, 400))
    for owner in owners[1:]:
        scene.step(owner, wallet, "approveHash", _wallet_hash(scene, wallet, collection, operator, True, nonce=0))
    agreed = CallData(collection, SET_OPERATOR, (At(operator), True))
    scene.step(owners[0], wallet, "execTransaction", At(collection), 0, agreed)
    return wallet


def with_a_second_owner(scene: Scene, feasible: bool) -> Story:
    """A contract wallet's own permission, which takes two of its three owners. In the twin it takes all three."""
    draw = scene.draw
    partner, absent = scene.person(), scene.person()
    desk, collection = old_desk(scene), scene.collection("OpenZeppelinCollection")
    wallet = _wallet(scene, ["user", partner, absent], 2 if feasible else 3, collection, desk)
    asked = _wallet_hash(scene, wallet, collection, desk, False, nonce=1)
    confirmed = {who: Reading(wallet, "approvedHashes", (At(who), asked)) for who in ("user", partner)}
    scene.watch(*confirmed.values())
    when = Appointment(scene, (2, 5), (8, 16))
    confirms = Step(sender=partner, target=wallet, function="approveHash", args=(asked,))
    scene.actor(
        "partner",
        Trigger(after=when.expected + 60 * draw.number(2, 40), condition=confirmed["user"], equals=True),
        confirms,
    )
    place, label, club = scene.labels[desk], scene.labels[collection], scene.labels[wallet]
    second, third = scene.labels[partner], scene.labels[absent]
    about, by = when.about, when.by
    return Story(
        phrasings=(
            f"The {place} may still move the {label} of our {club}. Get that permission taken back by {by}. {second} is in on it and confirms on chain what I have confirmed there first, but not before {about}; {third} can't be reached, so it has to do without {third}.",
            f"Our {club} (owners: {second}, {third} and I) has made the {place} an operator for its {label}. I want that ended by {by}. {second} will confirm the same call of the wallet once I've done so, from about {about} on. {third} is away and won't.",
            f"Please revoke what the {place} may do with the {label} in our {club}, at the latest on {by}. As an owner I confirm first, then {second} confirms, some time after {about}. {third} has lost the key and is out.",
        ),
        goals=(Operator(collection, wallet, desk, False),),
        allowed=(
            Change(kind="view", contract=wallet, subject="nonce()", to=2),
            *(
                Change(kind="view", contract=wallet, subject="approvedHashes(address,bytes32)", detail=r.args, to=True)
                for r in confirmed.values()
            ),
        ),
        brief={
            "way": "wallet",
            "wallet": club,
            "collection": label,
            "who": place,
            "partner": second,
            **when.brief,
        },
        deadline=when.deadline,
    )


def _wallet_hash(scene: Scene, wallet: str, collection: str, operator: str, allowed: bool, *, nonce: int) -> bytes:
    """What the wallet's getTransactionHash says of one setApprovalForAll."""
    arguments = codec("(address,bool)").encode((scene.contract_address(operator), allowed))
    call = keccak256(selector(f"{SET_OPERATOR}(address,bool)") + arguments)
    values = (CHAIN_ID, scene.contract_address(wallet), scene.contract_address(collection), 0, call, nonce)
    return keccak256(codec("(uint256,address,address,uint256,bytes32,uint256)").encode(values))


F3B = SubFamily(
    name="F3b",
    title="audit and revoke",
    cases=numbered(
        able(one_operator, "T1", "operator"),
        able(single_approvals, "T2", "approval", "trap:wrong-call"),
        able(for_the_cold_wallet, "T3", "approval", "operator", "trap:own-name"),
        unable(3, "authorisation", "ownership"),
        able(the_abandoned_desk, "T3", "operator", "ERC-1155", "trap:known-collections"),
        able(all_but_two, "T3", "operator", "ERC-20", "ERC-1155", "pre-standard", "trap:operators-only"),
        able(with_a_second_owner, "T4", "operator", "Safe", "trap:own-name"),
        unable(7, "authorisation", "proof", "limit"),
    ),
    policy=play,
    careless=careless,
    derivations=("moment", "serial"),
)
