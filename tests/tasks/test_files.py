"""Files of a world: content identifiers that other software takes, and a document behind every URI that a token names."""

from __future__ import annotations

import hashlib
import json
import re
from base64 import b32decode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nftbench.tasks import catalog
from nftbench.tasks.drawing import Draw
from nftbench.tasks.files import content_id, folder
from nftbench.tasks.goals import Reading
from nftbench.tasks.scene import Scene
from nftbench.tools.standard import standard_toolbox
from nftbench.tools.toolbox import Desk
from nftbench.world.build import build_world

CID = re.compile(r"ipfs://([^/\"\s}]*)")


def is_content_id(text: str) -> bool:
    """Read by hand: base 32 without padding, version 1, dag-pb, and a multihash of SHA-256 with 32 bytes."""
    if not re.fullmatch("b[a-z2-7]+", text):
        return False
    digits = text[1:].upper()
    raw = b32decode(digits + "=" * (-len(digits) % 8))
    return raw[:4] == bytes.fromhex("01701220") and len(raw) == 36


def test_the_empty_folder_of_unixfs_has_the_content_id_that_every_ipfs_node_knows_it_by() -> None:
    assert content_id("\n\x02\x08\x01") == "bafybeiczsscdsbs7ffqz55asqdf3smv6klcw3gofszvwlyarci47bgf354"


@given(st.text())
def test_a_content_id_holds_the_digest_of_its_content(content: str) -> None:
    text = content_id(content)
    digits = text[1:].upper()
    assert is_content_id(text)
    assert b32decode(digits + "=" * (-len(digits) % 8))[4:] == hashlib.sha256(content.encode()).digest()


def test_folders_differ_from_draw_to_draw_and_from_seed_to_seed() -> None:
    draw = Draw("a")
    scenes = [Scene(Draw("a"), "a"), Scene(Draw("a"), "b")]
    assert len({folder(draw), folder(draw), folder(Draw("b")), *(s.folder("Cats") for s in scenes)}) == 5
    assert scenes[0].folder("Cats") == Scene(Draw("a"), "a").folder("Cats")


@pytest.mark.parametrize("suite_seed", [0, 3])
def test_no_world_and_no_prompt_holds_an_ipfs_uri_without_a_valid_content_id(suite_seed: int) -> None:
    for name in catalog.instance_ids():
        task = catalog.task(name, suite_seed)
        texts = [task.prompt, *task.fixture.uris, *task.fixture.uris.values()]
        texts += [str(value) for contract in task.fixture.contracts for value in contract.args]
        found = {cid for text in texts for cid in CID.findall(text)}
        assert all(map(is_content_id, found)), (name, [cid for cid in found if not is_content_id(cid)])


def unresolved(name: str, suite_seed: int) -> list[str]:
    """What tokens that exist and contracts name at the start, and no one has."""
    task = catalog.task(name, suite_seed)
    world = build_world(task.fixture)
    box = standard_toolbox(Desk(world))
    missing = []
    for address, interface in world.interfaces.items():
        has = {function.signature for function in interface.functions}
        ids = {e.subject for e in world.start if e.kind == "owner" and e.contract == address}
        asked = [("contractURI", ())] * ("contractURI()" in has)
        asked += [("tokenURI", (i,)) for i in sorted(ids)] * ("tokenURI(uint256)" in has)
        for function, args in asked:
            uri = world.read(Reading(world.names[address], function, args))
            if isinstance(uri, str) and "content" not in json.loads(box.call("fetch_uri", {"uri": uri}).text):
                missing.append(f"{world.names[address]} {function}{args} {uri}")
    return missing


@pytest.mark.parametrize("name", [i for i in catalog.instance_ids() if i[:2] in ("F4", "F5", "F6")])
def test_every_uri_that_a_token_or_a_contract_names_leads_to_a_document(name: str) -> None:
    for suite_seed in (0, 4):
        assert unresolved(name, suite_seed) == []
