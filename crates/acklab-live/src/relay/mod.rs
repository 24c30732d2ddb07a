//! A UDP relay that sends packets through links of the simulator in real time.
