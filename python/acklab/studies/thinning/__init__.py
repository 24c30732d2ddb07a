"""When thinning ACKs hurts, by how much, why, and which scheme to switch on."""
