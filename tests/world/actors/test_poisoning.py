"""Look-alikes and dust: what stands in the agent's history after it has dealt with somebody."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nftbench.tasks.policies import Poisoner
from nftbench.values import checksum, look_alike
from tests.world.actors.markets import Bazaar

ADDRESSES = st.binary(min_size=20, max_size=20).map(lambda raw: checksum("0x" + raw.hex()))


@given(ADDRESSES, st.integers(0, 10), st.integers(0, 10))
def test_a_look_alike_shares_its_ends_and_is_another_address(address: str, prefix: int, suffix: int) -> None:
    fake = look_alike(address, prefix, suffix)
    ours, theirs = address.lower()[2:], fake.lower()[2:]
    assert ours[:prefix] == theirs[:prefix] and ours[40 - suffix :] == theirs[40 - suffix :]
    assert fake != address and fake == checksum(fake.lower()) == look_alike(address, prefix, suffix)


@pytest.mark.parametrize(("prefix", "suffix"), [(20, 19), (-1, 4), (4, -1), (40, 0)])
def test_a_look_alike_in_too_many_digits_is_refused(prefix: int, suffix: int) -> None:
    with pytest.raises(ValueError, match="digits in common are too many"):
        look_alike("0x" + "11" * 20, prefix, suffix)


def test_a_scene_has_look_alikes_of_people_and_of_contracts() -> None:
    bazaar = Bazaar()
    fakes = {name: bazaar.scene.look_alike(name, 6, 4) for name in (bazaar.mira, bazaar.cats)}
    told = {fake: bazaar.scene.address(fake) for fake in fakes.values()}
    bazaar.open()
    for name, fake in fakes.items():
        real, false = bazaar.address(name), bazaar.address(fake)
        assert false == told[fake] != real and (false[:8], false[-4:].lower()) == (
            (false[:2] + false[2:8]),
            real[-4:].lower(),
        )
        assert false[2:8].lower() == real[2:8].lower()
        assert bazaar.world.engine.balance(false) == 5 * 10**18


def test_ether_to_somebody_brings_ether_dust_from_their_look_alike_once() -> None:
    bazaar = Bazaar()
    bazaar.scene.counterparty("poisoner", bazaar.thief, Poisoner(prefix=5, suffix=5, wei=3), hostile=True)
    bazaar.open()
    bazaar.use("wait", seconds="60")
    assert bazaar.told() == []
    mira, user = bazaar.address(bazaar.mira), bazaar.address("user")
    for _ in range(2):
        bazaar.use("send_transaction", to=mira, value_wei="1000")
    (move,) = bazaar.desk.stage.moves
    dust, fake = move.receipts[-1], look_alike(mira, 5, 5)
    assert (dust.sender, dust.to, dust.value, dust.success) == (fake, user, 3, True)
    assert move.reason == f"dust from {fake}, which looks like mira: user has dealt with mira"


def test_a_token_from_somebody_brings_a_transfer_of_nothing_to_their_look_alike_in_the_victims_name() -> None:
    """ERC-20 lets anyone move 0 of anybody's coins, and the log says that the victim sent them."""
    bazaar = Bazaar()
    bazaar.scene.counterparty("poisoner", bazaar.thief, Poisoner(coin=bazaar.gold), hostile=True)
    bazaar.open()
    bazaar.send(bazaar.cats, "transferFrom", "user", bazaar.mira, 3)
    (move,) = bazaar.desk.stage.moves
    (log,) = move.receipts[0].logs
    event = bazaar.world.interfaces[log.address].decode_log(log)
    assert event is not None and event.name == "Transfer"
    assert list(event.arguments.values()) == [
        bazaar.address("user"),
        look_alike(bazaar.address(bazaar.mira), 4, 4),
        0,
    ]
    assert [d for d in move.differences if d.entry.kind == "coins"] == []


def test_contracts_are_not_posed_as_and_neither_are_own_accounts() -> None:
    bazaar = Bazaar()
    other = bazaar.scene.person("Other")
    bazaar.scene.counterparty("poisoner", bazaar.thief, Poisoner(), hostile=True)
    bazaar.open(controlled=(other,))
    bazaar.send(bazaar.market, "cancel", 3)
    bazaar.use("send_transaction", to=bazaar.address(other), value_wei="1000")
    assert bazaar.told() == []
