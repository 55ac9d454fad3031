"""nftbench: a benchmark of NFT work by LLM agents on EVM chains, graded on what the chain holds afterwards."""

__version__ = "0.1.0"
