"""TAC: TCP ACK compression at an access point, against what else keeps uploads fair.

M. Kim, E.-C. Park, W. Kim, *TCP Acknowledgement Compression for Fairness Among Uplink TCP Flows in
IEEE 802.11n WLANs*, Journal of Institute of Control, Robotics and Systems, 2013: Figures 2 to 6.
"""
