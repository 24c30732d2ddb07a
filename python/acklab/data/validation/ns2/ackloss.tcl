# One TCP of ns-2 over a dumbbell whose way back loses acknowledgements.
#
#   ns ackloss.tcl variant Newreno size 1024 window 50 ackloss 0.2 dataloss 0 seconds 200 seed 1
#
# Prints one line: packets that the application of the receiver got, timeouts, packets sent again.
# All else is as ns-default.tcl of ns-2.35 has it: no delayed ACKs, no timestamps, a clock of 10 ms,
# timeouts of 0.2 to 60 s, two packets at first, limited transmit.

array set opt {
    variant Newreno size 1024 window 50 ackloss 0 dataloss 0 seconds 200 seed 1 dupacks 3
    rate 10Mb delay 20ms queue 50
}
array set opt $argv

ns-random $opt(seed)
set ns [new Simulator]

# The sender, two routers, the receiver.
foreach node {left enter leave right} { set $node [$ns node] }
$ns duplex-link $left $enter 100Mb 2ms DropTail
$ns duplex-link $enter $leave $opt(rate) $opt(delay) DropTail
$ns duplex-link $leave $right 100Mb 2ms DropTail
# Only the bottleneck on the way there may overflow.
foreach {from to} "$left $enter $enter $left $leave $enter $leave $right $right $leave" {
    $ns queue-limit $from $to 100000
}
$ns queue-limit $enter $leave $opt(queue)

# Each way loses packets independently, with numbers of its own.
proc lose {from to rate} {
    global ns
    set draw [new RandomVariable/Uniform]
    set rng [new RNG]
    # A stream of its own, far from those of other seeds.
    $rng next-substream
    $draw use-rng $rng
    set losses [new ErrorModel]
    $losses unit pkt
    $losses set rate_ $rate
    $losses ranvar $draw
    $losses drop-target [new Agent/Null]
    $ns lossmodel $losses $from $to
}
if {$opt(ackloss) > 0} { lose $leave $enter $opt(ackloss) }
if {$opt(dataloss) > 0} { lose $enter $leave $opt(dataloss) }

set tcp [new Agent/TCP/$opt(variant)]
set sink [new Agent/TCPSink[expr {$opt(variant) in {Sack1 Fack} ? "/Sack1" : ""}]]
# Duplicate ACKs that begin fast recovery.
$tcp set numdupacks_ $opt(dupacks)
$tcp set packetSize_ $opt(size)
$tcp set window_ $opt(window)
$ns attach-agent $left $tcp
$ns attach-agent $right $sink
$ns connect $tcp $sink
set bulk [new Application/FTP]
$bulk attach-agent $tcp
$ns at 0 "$bulk start"

proc report {} {
    global opt tcp sink
    # Packets come with a header of 40 B, the first of them (the SYN) is nothing else.
    set packets [expr {max(0, int(([$sink set bytes_] - 40) / ($opt(size) + 40)))}]
    puts "$packets [$tcp set nrexmit_] [$tcp set nrexmitpack_]"
    exit 0
}
$ns at $opt(seconds) report
$ns run
