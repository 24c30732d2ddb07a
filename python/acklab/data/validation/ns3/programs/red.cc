// (f) RED: n senders -access- L -bottleneck with RED- R -access- n receivers. The law is set to be Linux's:
// bytes, not gentle, no waiting after a drop, and a device queue of one packet below it.
#include "common.h"

using namespace ns3;
using namespace peer;

int
main(int argc, char** argv)
{
    std::string tcp = "newreno", tag;
    uint32_t flows = 1, size = 1448, buf = 4194304, delack = 2, seed = 1, wlog = 9;
    double dur = 60, start = 2, bneck = 10, bdelay = 20, least = 30000, most = 90000, limit = 400000, inverse = 50;
    bool header = false;
    CommandLine cmd(__FILE__);
    cmd.AddValue("tcp", "newreno|linuxreno|cubic", tcp);
    cmd.AddValue("flows", "flows", flows);
    cmd.AddValue("min", "lower threshold, B", least);
    cmd.AddValue("max", "upper threshold, B", most);
    cmd.AddValue("limit", "B", limit);
    cmd.AddValue("inverse", "1 / probability just below max (LInterm)", inverse);
    cmd.AddValue("wlog", "weight of the average, 2^-wlog", wlog);
    cmd.AddValue("size", "segment bytes", size);
    cmd.AddValue("buf", "TCP snd/rcv buffer", buf);
    cmd.AddValue("delack", "DelAckCount", delack);
    cmd.AddValue("dur", "s", dur);
    cmd.AddValue("bneck", "bottleneck Mbps", bneck);
    cmd.AddValue("bdelay", "bottleneck one-way ms", bdelay);
    cmd.AddValue("seed", "RngRun", seed);
    cmd.AddValue("tag", "first CSV column", tag);
    cmd.AddValue("header", "print CSV header", header);
    cmd.Parse(argc, argv);
    RngSeedManager::SetRun(seed);
    TcpDefaults(tcp, size, buf, buf, delack, 1);

    NodeContainer s, d, r;
    s.Create(flows);
    d.Create(flows);
    r.Create(2);
    InternetStackHelper().InstallAll();
    PointToPointHelper acc, bot;
    acc.SetDeviceAttribute("DataRate", StringValue("100Mbps"));
    acc.SetChannelAttribute("Delay", StringValue("2ms"));
    bot.SetDeviceAttribute("DataRate", DataRateValue(DataRate(bneck * 1e6)));
    bot.SetChannelAttribute("Delay", TimeValue(Seconds(bdelay * 1e-3)));
    bot.SetQueue("ns3::DropTailQueue", "MaxSize", QueueSizeValue(QueueSize(QueueSizeUnit::PACKETS, 1)));
    auto bd = bot.Install(r.Get(0), r.Get(1));
    TrafficControlHelper tch;
    tch.SetRootQueueDisc("ns3::RedQueueDisc", "MaxSize", QueueSizeValue(QueueSize(QueueSizeUnit::BYTES, limit)),
                         "MinTh", DoubleValue(least), "MaxTh", DoubleValue(most), "LInterm", DoubleValue(inverse),
                         "QW", DoubleValue(std::pow(2.0, -double(wlog))), "MeanPktSize", UintegerValue(size + 52),
                         "Gentle", BooleanValue(false), "Wait", BooleanValue(false),
                         "LinkBandwidth", DataRateValue(DataRate(bneck * 1e6)));
    auto red = tch.Install(bd.Get(0)).Get(0);
    Ipv4AddressHelper ip("10.0.0.0", "255.255.255.0");
    ip.Assign(bd);
    std::vector<Ptr<Flow>> fl;
    std::vector<Ptr<PacketSink>> sk;
    auto jitter = CreateObject<UniformRandomVariable>();
    for (uint32_t i = 0; i < flows; i++)
    {
        ip.NewNetwork();
        ip.Assign(acc.Install(s.Get(i), r.Get(0)));
        ip.NewNetwork();
        auto a = ip.Assign(acc.Install(r.Get(1), d.Get(i)));
        PacketSinkHelper ps("ns3::TcpSocketFactory", InetSocketAddress(Ipv4Address::GetAny(), 5000));
        sk.push_back(DynamicCast<PacketSink>(ps.Install(d.Get(i)).Get(0)));
        auto f = CreateObject<Flow>();
        f->peer = InetSocketAddress(a.GetAddress(1), 5000);
        f->size = size;
        s.Get(i)->AddApplication(f);
        f->SetStartTime(Seconds(start + jitter->GetValue(0, 0.1)));
        fl.push_back(f);
    }
    Ipv4GlobalRoutingHelper::PopulateRoutingTables();
    RunFor(start + dur);
    double goodput = 0, rtt = 0, n = 0;
    uint64_t retx = 0;
    for (auto& k : sk) goodput += k->GetTotalRx() * 8 / dur / 1e6;
    for (auto& f : fl)
    {
        f->Flush();
        retx += f->retxSegs;
        rtt += f->rttSum;
        n += f->rttN;
    }
    auto& st = red->GetStats();
    if (header) std::puts("tag,tcp,flows,seed,goodput_mbps,retx_segs,rtt_mean_ms,dropped,early,forced,args");
    std::printf("%s,%s,%u,%u,%.4f,%lu,%.3f,%u,%u,%u,red", tag.c_str(), tcp.c_str(), flows, seed, goodput, retx,
                n ? 1e3 * rtt / n : 0, st.nTotalDroppedPackets, st.GetNDroppedPackets("Unforced drop"),
                st.GetNDroppedPackets("Forced drop"));
    std::printf(" --tag=%s --tcp=%s --flows=%u --min=%.0f --max=%.0f --limit=%.0f --inverse=%.0f --wlog=%u --dur=%.0f\n",
                tag.c_str(), tcp.c_str(), flows, least, most, limit, inverse, wlog, dur);
    Simulator::Destroy();
}
