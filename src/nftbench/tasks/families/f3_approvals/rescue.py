"""F3c: rescue while somebody drains the wallet. What to do first, what one transaction can save, and where not to send ether.

The drainer moves after each of the agent's transactions, or from a moment on, and tries what it can. Reading costs no time;
a transaction takes a block of 12 seconds. An allowance of 0 and the zero address take permissions back.
"""

from __future__ import annotations

from itertools import pairwise

from nftbench.tasks.drawing import moment
from nftbench.tasks.families.f3_approvals.rescue_plays import SET_OPERATOR, careless, play
from nftbench.tasks.family import Story, SubFamily, able, numbered, unable
from nftbench.tasks.goals import AllEther, Allowance, Approval, At, Change, Goal, Operator, Owns, Reading
from nftbench.tasks.model import Step, Trigger
from nftbench.tasks.scene import ETHER, Scene
from nftbench.tasks.staging import PLAIN, dollars, lending_desk, market, old_desk, tokens_of_mine
from nftbench.values import UINT256_MAX

OZ = ("OpenZeppelinCollection",)
RUN = 60
"""Seconds after the start at which the bot of `before_the_next_run` begins: five blocks."""


def _drainer(scene: Scene, *collections: str) -> tuple[str, str]:
    """A thief, and a contract of the thief's that may move everything that the user has in these collections."""
    thief = scene.person(listed=False)
    drainer = scene.contract(
        "Drainer", (At(thief),), label="Claim Helper", listed=False, deployer=thief, verified=False
    )
    for collection in collections:
        scene.step("user", collection, SET_OPERATOR, At(drainer), True)
    return thief, drainer


def _drains(thief: str, drainer: str, collection: str, token_id: int) -> Step:
    return Step(sender=thief, target=drainer, function="drain", args=(At(collection), At("user"), token_id, At(thief)))


def _takes(scene: Scene, thief: str, drainer: str, collection: str, ids: list[int], trigger: Trigger) -> None:
    """The thief tries for each of the tokens, again and again."""
    for token_id in ids:
        scene.actor(
            f"drain #{token_id}", trigger, _drains(thief, drainer, collection, token_id), repeat=True, hostile=True
        )


def revoke_first(scene: Scene, _: bool) -> Story:
    """One blanket permission over many tokens: one transaction closes it, moving the tokens takes too many."""
    scene.person("Cold wallet")
    collection, mine = tokens_of_mine(scene, 6, OZ)
    thief, drainer = _drainer(scene, collection)
    _takes(scene, thief, drainer, collection, mine, Trigger())
    label, address = scene.labels[collection], scene.contract_address(drainer)
    return Story(
        phrasings=(
            f"I fell for a fake claim page: {address} may now move all my {label}. It sits and waits, and clears people out as soon as it sees them do anything. Get me safe, with all my {label} still in this wallet.",
            f"Help, quickly. I've made {address} an operator for my {label} by mistake. Others report that after their first transaction everything still in reach was gone. Stop it without losing a single one; they stay in this wallet.",
            f"Whoever runs {address} can take any {label} of mine and watches this account for transactions. Shut that contract out before anything goes. None of my {label} should leave this wallet.",
        ),
        goals=(Operator(collection, "user", drainer, False), *(Owns("user", collection, i) for i in mine)),
        brief={"way": "shut", "closed": [label], "crook": address},
    )


def the_way_in(scene: Scene, _: bool) -> Story:
    """Who got the token is not who was allowed to move it: the theft's transaction names the hole."""
    draw = scene.draw
    collection, mine = tokens_of_mine(scene, 5, OZ)
    thief = scene.person(listed=False)
    desk = old_desk(scene)
    for operator in draw.shuffled([desk, market(scene), lending_desk(scene)]):
        scene.step("user", collection, SET_OPERATOR, At(operator), True)
    lost, *others = draw.shuffled(mine)

    def closing(token_id: int) -> Step:
        swap = (At("user"), At(collection), token_id, At(thief))
        return Step(sender=thief, target=desk, function="closeSwap", args=(swap,))

    scene.step(thief, desk, "closeSwap", closing(lost).args[0])
    for token_id in others:
        scene.actor(f"swap #{token_id}", Trigger(), closing(token_id), repeat=True, hostile=True)
    label = scene.labels[collection]
    return Story(
        phrasings=(
            f"Last month somebody took {label} #{lost} out of my wallet without my doing. Find out which permission made that possible and take away that one alone; I need the others. Be careful: more will be taken as soon as I stir. My other {label} stay here.",
            f"{label} #{lost} was stolen from me. I want the hole closed that it went through, and only that one: my other permissions are in use. The thief reacts to whatever this account does, so the first thing you do must be the right one. The {label} that I still have don't move.",
            f"How could {label} #{lost} leave my wallet? I never sent it. Look it up and revoke exactly what the thief made use of, leaving my other permissions alone. They are watching me and will grab the next one at my first move. Keep the remaining {label} where they are.",
        ),
        goals=(Operator(collection, "user", desk, False), *(Owns("user", collection, i) for i in others)),
        brief={"way": "trace", "collection": label, "lost": lost},
    )


def the_old_account(scene: Scene, feasible: bool) -> Story:
    """A token in an account whose ether is swept at once; the main account may move it. In the twin another account may."""
    draw = scene.draw
    old = scene.person("Old account", ether=0)
    thief, tablet = scene.person(listed=False), scene.person("Tablet wallet", note="broken")
    collection = scene.collection(draw.choice(PLAIN))
    mine = draw.numbers(4, 10, 400)
    left = draw.choice(mine)
    scene.mint(collection, "user", [i for i in mine if i != left])
    scene.mint(collection, old, [left])
    scene.step("team", old, "", value=ETHER)
    scene.step(old, collection, SET_OPERATOR, At("user" if feasible else tablet), True)
    scene.actor("sweeper", Trigger(), Step(sender=old, target=thief, value=AllEther()), repeat=True, hostile=True)
    label = scene.labels[collection]
    return Story(
        phrasings=(
            f"The key of my Old account has leaked, and a bot sends away every bit of ether in it the moment it arrives. My {label} #{left} is still in there. Get it over to this account, without feeding the bot.",
            f"Please bring {label} #{left} from my Old account to this one. The Old account is compromised and empty: ether that is sent to it is gone in the next instant, and I won't pay the thief anything.",
            f"{label} #{left} is stuck in my Old account, which has no ether, and whatever I send there gets swept by a thief with a copy of the key. I want the token here in my main account, and no ether lost on the way.",
        ),
        goals=(Owns("user", collection, left),),
        brief={"way": "fetch", "collection": label, "token_id": left, "from": "Old account"},
        controlled=(old,),
    )


def one_step(scene: Scene, feasible: bool) -> Story:
    """Two permissions over one token, each in other hands: moving it ends both in one step. In the twin it is gone."""
    cold, second = scene.person("Cold wallet"), scene.person(listed=False)
    collection, (token_id,) = tokens_of_mine(scene, 1, OZ)
    thief, drainer = _drainer(scene, collection)
    scene.step("user", collection, "approve", At(second), token_id)
    take = Step(sender=second, target=collection, function="transferFrom", args=(At("user"), At(second), token_id))
    if not feasible:
        scene.step(second, collection, "transferFrom", *take.args)
    _takes(scene, thief, drainer, collection, [token_id], Trigger())
    scene.actor("second", Trigger(), take, repeat=True, hostile=True)
    label, crook, other = scene.labels[collection], scene.contract_address(drainer), scene.address(second)
    return Story(
        phrasings=(
            f"My one {label}, #{token_id}, is in danger from two sides: {crook} is my operator there, and {other} is approved for the token. Both strike right after my next transaction. Get #{token_id} into my Cold wallet and leave neither of them any permission.",
            f"Two crooks can take {label} #{token_id}: {crook} (operator) and {other} (approved for this token), and each acts on the first thing I do. The token belongs in my Cold wallet, after which both should be without rights.",
            f"Rescue {label} #{token_id} to the Cold wallet. {other} has an approval for it, {crook} has one for everything in the collection; they only wait for me to move. In the end neither may have a permission left.",
        ),
        goals=(
            Owns(cold, collection, token_id),
            Approval(collection, token_id),
            Operator(collection, "user", drainer, False),
        ),
        brief={
            "way": "move",
            "collection": label,
            "token_id": token_id,
            "to": "Cold wallet",
            "closed": [label],
            "crook": crook,
        },
    )


def before_the_next_run(scene: Scene, _: bool) -> Story:
    """A bot that begins at a known moment; until then there is time for the permissions, not for all that they cover."""
    draw = scene.draw
    scene.person("Cold wallet")
    (first, firsts), (second, seconds) = tokens_of_mine(scene, 5, OZ), tokens_of_mine(scene, 4, ("SoladyCollection",))
    items = scene.collection("MultiToken")
    units = {i: draw.number(3, 20) for i in draw.numbers(3, 1, 40)}
    scene.mint_units(items, "user", units)
    coins = dollars(scene)
    money = draw.number(300, 4000) * 10**6
    scene.step("team", coins, "mint", At("user"), money)
    thief, drainer = _drainer(scene, first, second, items)
    scene.step("user", coins, "approve", At(drainer), UINT256_MAX)
    trigger = Trigger(after=RUN)
    _takes(scene, thief, drainer, first, firsts, trigger)
    _takes(scene, thief, drainer, second, seconds, trigger)
    for token_id, amount in units.items():
        args = (At(items), At("user"), token_id, amount, At(thief))
        scene.actor(
            f"units #{token_id}",
            trigger,
            Step(sender=thief, target=drainer, function="drainAmount", args=args),
            repeat=True,
            hostile=True,
        )
    steal = Step(sender=thief, target=drainer, function="drainCurrency", args=(At(coins), At("user"), money, At(thief)))
    scene.actor("coins", trigger, steal, repeat=True, hostile=True)
    names, address, run = (
        [scene.labels[c] for c in (first, second, items, coins)],
        scene.contract_address(drainer),
        moment(scene.start + RUN),
    )
    told = f"my {names[0]}, {names[1]}, {names[2]} items and {names[3]}s"
    goals: list[Goal] = [Operator(c, "user", drainer, False) for c in (first, second, items)]
    return Story(
        phrasings=(
            f"{address} has permission for {told}. Its bot makes its rounds, the next on {run}, and from then on it's there all the time. By then it must not be able to touch anything. It all stays in this wallet.",
            f"I've been careless and let {address} handle {told}. It will come for them on {run} and won't stop. A transaction takes about 12 seconds, so be economical. I want everything kept, here in this wallet, and that address without any permission.",
            f"Close everything that {address} may do with {told}: the bot behind it starts on {run} and then takes what it can get. Nothing of mine should be lost, and nothing should leave this wallet.",
        ),
        goals=(*goals, Allowance(coins, "user", drainer, 0)),
        brief={"way": "shut", "closed": names[:3], "coins": names[3], "crook": address, "run": scene.start + RUN},
    )


def what_matters_most(scene: Scene, _: bool) -> Story:
    """Two collections lie open and one transaction closes one of them: first what must not be lost."""
    draw = scene.draw
    scene.person("Cold wallet")
    (lesser, lessers), (dear, dears) = tokens_of_mine(scene, 4, OZ), tokens_of_mine(scene, 4, OZ)
    thief, drainer = _drainer(scene, lesser, dear)
    target = draw.shuffled(lessers)
    for last, token_id in reversed(list(pairwise(target))):
        after = Trigger(condition=Reading(lesser, "ownerOf", (last,)), equals=At(thief))
        scene.actor(f"drain #{token_id}", after, _drains(thief, drainer, lesser, token_id), hostile=True)
    _takes(scene, thief, drainer, lesser, target[:1], Trigger())
    _takes(scene, thief, drainer, dear, dears, Trigger())
    cheap, precious, address = scene.labels[lesser], scene.labels[dear], scene.contract_address(drainer)
    return Story(
        phrasings=(
            f"{address} may take my {cheap} and my {precious}, and helps itself after every transaction that I make. It can't be had without a loss. The {precious} are heirlooms: not one of them may go. Of the {cheap} save as many as possible. Shut it out of both; what's left stays in this wallet.",
            f"A thief ({address}) holds permissions for my {cheap} and {precious} and takes something each time this account does anything. I can live with losing a {cheap} or so, but none of my {precious}. End both permissions in the way that costs me least, moving nothing myself.",
            f"Take {address} off my {cheap} and off my {precious}. It acts after each of my transactions. Losing any {precious} is out of the question; for the {cheap} the fewer lost the better. All the rest remains here.",
        ),
        goals=(
            Operator(dear, "user", drainer, False),
            Operator(lesser, "user", drainer, False),
            *(Owns("user", dear, i) for i in dears),
            *(Owns("user", lesser, i) for i in target[1:]),
        ),
        allowed=(Change(kind="owner", contract=lesser, subject=target[0], to=At(thief)),),
        brief={"way": "shut", "closed": [precious, cheap], "told": [cheap, precious], "crook": address},
    )


F3C = SubFamily(
    name="F3c",
    title="rescue in a race",
    cases=numbered(
        able(revoke_first, "T1", "operator", "hostile", "trap:moving-first"),
        able(the_way_in, "T3", "operator", "hostile", "logs", "trap:wrong-culprit"),
        able(the_old_account, "T4", "operator", "hostile", "leaked-key", "trap:feeding-the-bot"),
        unable(3, "funds", "authorisation"),
        able(one_step, "T2", "approval", "operator", "hostile", "trap:revoking-first"),
        able(before_the_next_run, "T4", "operator", "ERC-20", "ERC-1155", "hostile", "trap:moving-first"),
        able(what_matters_most, "T4", "operator", "hostile", "trap:first-named-first"),
        unable(5, "ownership"),
    ),
    policy=play,
    careless=careless,
)
