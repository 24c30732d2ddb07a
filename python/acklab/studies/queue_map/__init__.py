"""A map for those who own a router: controllers, queues, rates, delays, and a busy channel."""
