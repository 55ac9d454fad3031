"""Ladders: kinds of work whose size doubles from rung to rung, until every agent falls."""
