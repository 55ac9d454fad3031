"""L2: payouts that have to be worked out from the chain, over ever longer lists of events."""
