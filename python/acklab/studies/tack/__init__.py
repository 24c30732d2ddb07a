"""The TACK paper's figures and equations: Li et al., SIGCOMM 2020."""
