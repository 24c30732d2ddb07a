"""Our numbers beside those of the Linux kernel, of ns-3, ns-2 and models, with a verdict each."""

from acklab.validate import ns3_modes, wifi_models
from acklab.validate.compare import Comparison, compare
from acklab.validate.fluid_models import rows as models_rows
from acklab.validate.kernel import paused_rows, quiet_rows
from acklab.validate.kernel import rows as kernel_rows
from acklab.validate.kernel_virtual import rows as kernel_virtual_rows
from acklab.validate.ns2 import rows as ns2_rows
from acklab.validate.ns3 import rows as ns3_rows
from acklab.validate.ns3_modes import rows as ns3_modes_rows
from acklab.validate.ns3_red import rows as ns3_red_rows
from acklab.validate.ns3_thesis import rows as ns3_thesis_rows
from acklab.validate.ns3_wifi import rows as ns3_wifi_rows

__all__ = [
    "Comparison",
    "compare",
    "kernel_rows",
    "kernel_virtual_rows",
    "models_rows",
    "ns2_rows",
    "ns3_modes",
    "ns3_modes_rows",
    "ns3_red_rows",
    "ns3_rows",
    "ns3_thesis_rows",
    "ns3_wifi_rows",
    "paused_rows",
    "quiet_rows",
    "wifi_models",
]
