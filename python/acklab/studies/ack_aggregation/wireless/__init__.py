"""The wireless part: aggregation at the MAC of 802.11n (section 4.2, Tables 4 and 5, Fig. 5, 6)."""
