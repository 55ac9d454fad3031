"""F4c: signed mint vouchers. For whom, on which chain, how often: what the contract will make of a signature before it is sent.

Computed by rule: a typed-data message is the voucher's own fields under the domain that the contract reports; a compact
signature (EIP-2098) is written out as r, s and v; the ether sent is the voucher's price.
"""

from __future__ import annotations

from typing import Any

from nftbench.chain.signing import to_compact
from nftbench.tasks.drawing import DAY
from nftbench.tasks.drops import with_files
from nftbench.tasks.families.f4_minting.sales import MILLIETHER, counters, minted, paid, price, reads
from nftbench.tasks.families.f4_minting.vouchers_plays import REDEEM, careless, play
from nftbench.tasks.families.f4_minting.vouchers_signing import Voucher, document, domain_of, issue
from nftbench.tasks.family import Case, Story, SubFamily
from nftbench.tasks.goals import At, Goal, Reading, Signature
from nftbench.tasks.model import CHAIN_ID, Step, Trigger
from nftbench.tasks.naming import slug_of
from nftbench.tasks.scene import Scene


def _collection(scene: Scene, signer: str, artifact: str = "VoucherCollection") -> str:
    return scene.collection(artifact, terms=(At(signer),))


def _publish(scene: Scene, collection: str, domain: dict[str, Any], vouchers: list[Voucher], **more: str) -> str:
    """Put the vouchers where their URI, which is given back, leads, and the files of the tokens that they are for."""
    uri = f"https://{slug_of(scene.labels[collection])}.example/vouchers/{scene.draw.number(1000, 9999)}.json"
    scene.uris[uri] = document(domain, vouchers, **more)
    with_files(scene, collection, [voucher.fields.get("tokenId", 1) for voucher in vouchers])
    return uri


def _nonces(scene: Scene, collection: str, *nonces: int) -> None:
    scene.watch(*(Reading(collection, "nonceUsed", (nonce,)) for nonce in nonces))


def _redeemed(collection: str, *vouchers: Voucher, recipient: str = "user") -> tuple[Goal, ...]:
    goals: list[Goal] = [paid(collection, sum(v.fields["price"] for v in vouchers))]
    for voucher in vouchers:
        goals += minted(collection, [voucher.fields["tokenId"]], recipient)
        goals.append(reads(collection, "nonceUsed", voucher.fields["nonce"], value=True))
    return tuple(goals)


def _curator(scene: Scene) -> str:
    """The account whose signatures a collection takes."""
    return scene.person("Curator", listed=False)


def _issued(
    scene: Scene, signer: str, domain: dict[str, Any], recipients: list[str], nonces: list[int]
) -> list[Voucher]:
    """A voucher for each of the accounts, in this order, under these numbers, all good until one day."""
    draw = scene.draw
    ids, until = draw.shuffled(draw.numbers(len(recipients), 1, 500)), scene.start + draw.number(3, 9) * DAY
    return [
        issue(scene, signer, domain, recipient=scene.address(to), tokenId=i, price=price(draw), nonce=n, deadline=until)
        for to, i, n in zip(recipients, ids, nonces, strict=True)
    ]


def _for(scene: Scene, recipient: str, vouchers: list[Voucher]) -> list[Voucher]:
    return [v for v in vouchers if v.fields["recipient"] == scene.address(recipient)]


def own_voucher(scene: Scene, _: bool) -> Story:
    """Five vouchers in one document, one of them the user's."""
    draw = scene.draw
    people = [scene.person() for _count in range(4)]
    curator = _curator(scene)
    collection = _collection(scene, curator)
    domain, nonces = domain_of(scene, collection), draw.numbers(5, 1000, 9000)
    vouchers = _issued(scene, curator, domain, draw.shuffled([*people, "user"]), nonces)
    _nonces(scene, collection, *nonces)
    uri, label = _publish(scene, collection, domain, vouchers), scene.labels[collection]
    return Story(
        phrasings=(
            f"There's a mint voucher for me among those at {uri}. Redeem it with {label}; I'll pay what it says.",
            f"{label} has put up its signed vouchers at {uri}, and one is made out to this wallet. Please cash in that one.",
            f"Please mint the {label} that I hold a voucher for. The vouchers of this round are all in {uri}; use mine.",
        ),
        goals=_redeemed(collection, *_for(scene, "user", vouchers)),
        brief={"collection": label, "document": uri, "use": "mine"},
    )


def cheapest_good_one(scene: Scene, _: bool) -> Story:
    """Five vouchers for the user; from the cheapest up, one was used, one voided, one has expired, and two are good."""
    draw = scene.draw
    friend = scene.person()
    curator = _curator(scene)
    collection = _collection(scene, curator)
    domain, me, now = domain_of(scene, collection), scene.address("user"), scene.start
    ids, nonces = draw.numbers(5, 1, 500), draw.numbers(5, 1000, 9000)
    costs = [draw.number(10 * step + 3, 10 * step + 9) * MILLIETHER for step in range(1, 6)]
    ends = [now + 5 * DAY, now + 4 * DAY, now - draw.number(1, 3) * DAY, now + draw.number(2, 4) * DAY, now + 6 * DAY]
    vouchers = [
        issue(scene, curator, domain, recipient=me, tokenId=i, price=cost, nonce=nonce, deadline=end)
        for i, cost, nonce, end in zip(draw.shuffled(ids), costs, nonces, ends, strict=True)
    ]
    scene.step("user", collection, REDEEM, *vouchers[0].arguments, value=costs[0])
    scene.step("user", collection, "transferFrom", At("user"), At(friend), vouchers[0].fields["tokenId"])
    scene.step("team", collection, "voidVoucher", nonces[1])
    _nonces(scene, collection, *nonces)
    uri, label = _publish(scene, collection, domain, draw.shuffled(vouchers)), scene.labels[collection]
    return Story(
        phrasings=(
            f"Over the months I've been given several {label} vouchers ({uri}). Redeem one of them: the cheapest that is still good.",
            f"{uri} holds my {label} vouchers, of which some may be dead by now. I want one token only, by the one with the lowest price that still works.",
            f"Please use a single voucher from {uri} to mint one {label} token. Of those that the contract still takes, choose the one that costs least.",
        ),
        goals=_redeemed(collection, vouchers[3]),
        brief={"collection": label, "document": uri, "use": "cheapest"},
    )


def wrong_chain(scene: Scene, feasible: bool) -> Story:
    """Vouchers that the user signed for another chain, and may sign again, being the signer. In the twin it is not."""
    draw = scene.draw
    people = [scene.person() for _count in range(4)]
    friend, curator = people[0], _curator(scene)
    collection = _collection(scene, "user" if feasible else curator)
    domain = domain_of(scene, collection, draw.choice((1, 10, 137, 8453)))
    nonces = draw.numbers(4, 1000, 9000)
    vouchers = _issued(scene, "user", domain, draw.shuffled(people), nonces)
    (voucher,) = _for(scene, friend, vouchers)
    _nonces(scene, collection, *nonces)
    uri, label, to = _publish(scene, collection, domain, vouchers), scene.labels[collection], scene.labels[friend]
    right = {f"domain.{k}": v for k, v in domain_of(scene, collection, CHAIN_ID).items()}
    return Story(
        phrasings=(
            f"My script has made {label} vouchers for some people ({uri}), signed with this wallet. Redeem {to}'s at my expense, so that {to} has the token. The script got the signatures wrong, I hear, so you may sign that very voucher anew with this wallet.",
            f"Please get {to} the {label} of {to}'s voucher in {uri}; I pay its price. I signed those with this wallet, by a script that I no longer trust. You're free to issue this one again with this wallet, word for word, with a signature that counts.",
            f"{to} is to have the token on the {label} voucher that is made out to {to} at {uri}, paid by me. The signatures there are this wallet's, and I'm not sure that they are right: you may re-sign this voucher unchanged.",
        ),
        goals=(*_redeemed(collection, voucher, recipient=friend), Signature("Voucher", {**voucher.fields, **right})),
        brief={"collection": label, "document": uri, "use": "mine", "for": to, "may_sign": True},
    )


def both_or_neither(scene: Scene, feasible: bool) -> Story:
    """Two vouchers that belong together. In the twin both have one number, so that the second dies with the first."""
    draw = scene.draw
    people = [scene.person(), scene.person()]
    curator = _curator(scene)
    collection = _collection(scene, curator)
    domain, numbers = domain_of(scene, collection), draw.numbers(4, 1000, 9000)
    recipients = draw.shuffled([*people, "user", "user"])
    first, second = (i for i, to in enumerate(recipients) if to == "user")
    nonces = list(numbers)
    if not feasible:
        nonces[second] = nonces[first]
    vouchers = _issued(scene, curator, domain, recipients, nonces)
    _nonces(scene, collection, *numbers)
    uri, label = _publish(scene, collection, domain, vouchers), scene.labels[collection]
    return Story(
        phrasings=(
            f"Two of the {label} vouchers at {uri} are mine, for a pair of tokens that is worth nothing broken up. Redeem both for me.",
            f"Please redeem my two vouchers from {uri} with {label}. I need both: a single one of the pair is no good to me.",
            f"The pair of {label} on the two vouchers in {uri} that are made out to me should be mine. Mint both of them; I don't want to have paid for just one.",
        ),
        goals=_redeemed(collection, *_for(scene, "user", vouchers)),
        brief={"collection": label, "document": uri, "use": "all"},
    )


def so_many_in_all(scene: Scene, _: bool) -> Story:
    """A voucher without a number works every time; a friend redeems it once as well, when the user begins."""
    draw = scene.draw
    friend, other = scene.person(), scene.person()
    curator = _curator(scene)
    collection = _collection(scene, curator, "OpenVoucherCollection")
    domain, cost, until = domain_of(scene, collection), price(draw), scene.start + draw.number(3, 9) * DAY
    voucher = issue(scene, curator, domain, recipient=scene.address("user"), price=cost, deadline=until)
    theirs = issue(scene, curator, domain, recipient=scene.address(other), price=cost, deadline=until)
    before = draw.number(1, 3)
    for _count in range(before):
        scene.step(other, collection, REDEEM, *theirs.arguments, value=cost)
    scene.step("user", collection, REDEEM, *voucher.arguments, value=cost)
    sold, more = before + 1, draw.number(2, 4)
    step = Step(sender=friend, target=collection, function=REDEEM, args=voucher.arguments, value=cost)
    scene.actor("friend", Trigger(condition=Reading(collection, "totalMinted"), equals=sold + 1), step)
    scene.watch(Reading(collection, "balanceOf", (At(other),)))
    with_files(scene, collection)
    uri, label, name = _publish(scene, collection, domain, [voucher]), scene.labels[collection], scene.labels[friend]
    return Story(
        phrasings=(
            f"I want to own exactly {1 + more} {label}, counting what I have. My voucher ({uri}) can be used any number of times. {name} has it too and means to treat me to a token on it about now, so keep counting.",
            f"Top me up to {1 + more} {label} in all, not one more, with the voucher at {uri}, which isn't used up by redeeming. Mind that {name} may redeem it for me as well while you're at it and pay for that; it counts.",
            f"The {label} voucher at {uri} works again and again. Redeem it until there are {1 + more} of them in this wallet and stop right there. {name} wanted to put one in as a present meanwhile; take that into account.",
        ),
        goals=(
            *minted(collection, range(sold + 1, sold + 1 + more)),
            reads(collection, "balanceOf", At("user"), value=1 + more),
            paid(collection, (more - 1) * cost),
        ),
        allowed=counters(collection, sold + more, "totalMinted"),
        brief={"collection": label, "document": uri, "use": "count", "total": 1 + more},
    )


def compact_signature(scene: Scene, _: bool) -> Story:
    """A friend's voucher, for which anyone may pay, with its signature in the short form that the contract doesn't read."""
    draw = scene.draw
    people = [scene.person() for _count in range(3)]
    friend, curator = people[0], _curator(scene)
    collection = _collection(scene, curator)
    domain, nonces = domain_of(scene, collection), draw.numbers(3, 1000, 9000)
    full = _issued(scene, curator, domain, draw.shuffled(people), nonces)
    vouchers = [Voucher(v.fields, to_compact(v.signature)) for v in full]
    _nonces(scene, collection, *nonces)
    uri = _publish(scene, collection, domain, vouchers, signatures="compact, 64 bytes (EIP-2098)")
    label, to = scene.labels[collection], scene.labels[friend]
    return Story(
        phrasings=(
            f"{to} has a {label} voucher in {uri}, and I promised to pay for it. Redeem it at my cost; the token is {to}'s, of course.",
            f"My present for {to}: redeem {to}'s voucher from {uri} at {label} and pay the price on it from this wallet.",
            f"Please pay for the {label} token that the list of vouchers at {uri} promises {to}, by sending in that voucher, so that {to} gets it.",
        ),
        goals=_redeemed(collection, *_for(scene, friend, vouchers), recipient=friend),
        brief={"collection": label, "document": uri, "use": "mine", "for": to},
    )


F4C = SubFamily(
    name="F4c",
    title="signed mint vouchers",
    cases=(
        Case(tell=own_voucher, difficulty="T1", tags=("EIP-712",)),
        Case(tell=cheapest_good_one, difficulty="T3", tags=("EIP-712", "trap:dead-voucher")),
        Case(tell=wrong_chain, difficulty="T3", tags=("EIP-712", "trap:chain-id")),
        Case(tell=wrong_chain, difficulty="T3", tags=("EIP-712",), twin_of=3, reasons=("proof", "authorisation")),
        Case(tell=both_or_neither, difficulty="T2", tags=("EIP-712", "all-or-none")),
        Case(tell=so_many_in_all, difficulty="T4", tags=("EIP-712", "trap:count")),
        Case(tell=compact_signature, difficulty="T3", tags=("EIP-2098", "trap:signature-form")),
        Case(
            tell=both_or_neither,
            difficulty="T2",
            tags=("EIP-712", "all-or-none"),
            twin_of=5,
            reasons=("limit", "proof"),
        ),
    ),
    policy=play,
    derivations=("compact",),
    careless=careless,
)
