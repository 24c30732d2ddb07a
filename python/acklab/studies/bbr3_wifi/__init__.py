"""BBRv3 that knows of aggregation: the paper's future work, over Wi-Fi 6 and over wires."""
