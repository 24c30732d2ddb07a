"""BBRv3 at home: a paper on BBR, CUBIC and three queues over Wi-Fi 6."""
