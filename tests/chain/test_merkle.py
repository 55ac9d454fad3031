"""Both layouts of Merkle trees; the figures for OpenZeppelin's are those of its package @openzeppelin/merkle-tree 1.0.8."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nftbench.chain.merkle import LAYOUTS
from nftbench.values import keccak256

ROOTS = {
    1: "bc36789e7a1e281436464229828f817d6612f7b477d66591ff96a9e064bcc98a",
    2: "b2521d64679bc4720dabfbae7ce17947a5d373d987d3b0cc1e3042ba2054da4a",
    3: "d359d2743bb3a93ded4c902716931497ae3080f478c14e7af96344a92e9ddd51",
    4: "a6acd53a13cd3887be772d9f62f4ec0d528832f3608e618c57fdf86820730333",
    5: "806ebfdd294fe1b9c4cf959ffb742f7122806379a001ba00e067ea1ac90d259b",
    6: "8ea2b8c004b294c12fb76be355b63e91707ea29dca784071ef6e08d399629f93",
    7: "710426d6c25ffa16bd4a78dc6ea868f4b17858c4bc0741ca38181e98b14ddd86",
    8: "474b4ff446406764e2c9b7c5345ea2c73dd2b668d32e91ea9c56bf45904646e0",
    9: "d92b2aac2b341efc926a46da18fd0ff52608b32a887fc8b15dec8f749574cd88",
}
"""SimpleMerkleTree.of over the hashes of the bytes 0 to n - 1."""
PROOF_OF_5 = (
    "f2ee15ea639b73fa3db9b34a245bdfa015c260c598b211bf05a1ecc4b3e3b4f2",
    "460705b2c816a244a5bbc3d1e82564c20ef556b8c7677c4c6160ec8cea0d3deb",
)


def leaves(count: int) -> list[bytes]:
    return [keccak256(bytes([i])) for i in range(count)]


@pytest.mark.parametrize("count", ROOTS)
def test_openzeppelins_layout_has_the_roots_of_its_package(count: int) -> None:
    assert LAYOUTS["openzeppelin"].root(leaves(count)).hex() == ROOTS[count]


def test_openzeppelins_proofs_are_those_of_its_package() -> None:
    proof = LAYOUTS["openzeppelin"].proof(leaves(5), leaves(5)[0])
    assert tuple(step.hex() for step in proof) == PROOF_OF_5


@pytest.mark.parametrize("count", [5, 7, 9])
def test_the_layouts_differ_where_pairs_are_left_over(count: int) -> None:
    assert LAYOUTS["plain"].root(leaves(count)) != LAYOUTS["openzeppelin"].root(leaves(count))


@given(st.integers(1, 70), st.integers(0, 69), st.sampled_from(sorted(LAYOUTS)))
def test_every_proof_leads_to_the_root(count: int, which: int, name: str) -> None:
    """As MerkleProof.processProof does it: hash with each step, the smaller first."""
    layout, nodes = LAYOUTS[name], leaves(count)
    node = nodes[which % count]
    for step in layout.proof(nodes, node):
        node = keccak256(min(node, step) + max(node, step))
    assert node == layout.root(nodes[::-1])


@pytest.mark.parametrize("name", LAYOUTS)
def test_no_leaves_and_a_foreign_leaf_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match="at least one leaf"):
        LAYOUTS[name].root([])
    with pytest.raises(ValueError, match="not among the leaves"):
        LAYOUTS[name].proof(leaves(3), bytes(32))
