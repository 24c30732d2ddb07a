"""Thin ACKs in the network, or change the endpoints: every published way on the same paths."""
