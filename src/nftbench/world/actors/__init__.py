"""Counterparties: what others do on the chain, around the agent's transactions and while time passes, and never at random.

An `Actor` of a fixture follows a script: steps and a trigger. A `Counterparty` follows a policy, which sees what a watcher of the
chain, the mempool and the order book sees, and has a memory; it is told nothing of tasks. Both kinds are played by a `Stage`, and
all that they do is a `Move` with a reason. A family declares them in its scene, a line each:

    scene.counterparty("floor", dora, FloorBuyer(market, cats, limit=5 * ETHER))
    scene.counterparty("sniper", bot, Sniper(market, cats, limit=ShareOfMedian(9_000)), hostile=True)
    scene.counterparty("hoarder", bot, Sniper(market, cats, limit=ETHER, only_alarmed=True), hostile=True)
    scene.counterparty("rival", eve, Bidder(Reading(auction, "highestBid"), Reading(auction, "leader"),
                       Call(target=auction, function="bid", value=Amount()), limit=4 * ETHER, step=ETHER // 10), period=3600)
    scene.counterparty("bids", eve, OfferBidder(seaport, cats, gold, limit=900, step=10, opening=500), until=3 * DAY)
    scene.counterparty("shy", sam, ShySeller(market, cats, signs=("pending", "allowance"), raised=12_000), most=2)
    scene.counterparty("drainer", thief, Drainer(through=(drainer,), fakes=(false_cats,)), hostile=True)
    scene.counterparty("poisoner", thief, Poisoner(prefix=4, suffix=4, coin=gold), hostile=True)
    scene.counterparty("sandwich", bot, Sandwicher(shop, "mint", before=(Call(target=shop, function="mint", args=(2,)),)))
    fake = scene.look_alike(friend, prefix=6, suffix=4)     # an account that is there from the start

Where they stand against the agent's transaction: *ahead* of it and right *behind* it at its own time, as transactions of one
block do (the engine gives each a number of its own, so that whose doing a change is can be read), or *after* it, in later
blocks, which is when scripts move, too. A dry run shows the world without those who will move ahead.

A counterparty with a negative `since` has a past: it acts in the history while the world is built, by the same policy, and goes
on from there. So habits can be learned from the chain; `scene.block` and `scene.time` don't know of such transactions.

`stage` plays them, `acts` is what they do, `sight` what they see, `behaviours` the table of policies.
"""

from nftbench.world.actors.acts import Move
from nftbench.world.actors.stage import Past, Stage, StageMark

__all__ = ["Move", "Past", "Stage", "StageMark"]
