// Stations that may not hear each other: saturated UDP uplink of two stations on opposite sides of their access point
// (own program; the loss is ns-3's default, log-distance). With 16 dBm they hear each other up to 51 m, where the
// preamble arrives with -82 dBm.
#include "common.h"

#include "ns3/mobility-module.h"
#include "ns3/wifi-module.h"

using namespace ns3;
using namespace peer;

int
main(int argc, char** argv)
{
    std::string tag;
    uint32_t mcs = 3, ampdu = 65535, size = 1472, run = 1;
    double dur = 10, start = 1, dist = 27;
    bool rts = false, header = false;
    CommandLine cmd(__FILE__);
    cmd.AddValue("mcs", "HT MCS", mcs);
    cmd.AddValue("ampdu", "BE max A-MPDU bytes (0 = off)", ampdu);
    cmd.AddValue("size", "UDP payload", size);
    cmd.AddValue("dist", "STA-AP distance m; the stations are twice as far apart", dist);
    cmd.AddValue("rts", "RTS/CTS before every data frame", rts);
    cmd.AddValue("dur", "s", dur);
    cmd.AddValue("run", "RngRun", run);
    cmd.AddValue("tag", "first CSV column", tag);
    cmd.AddValue("header", "print CSV header", header);
    cmd.Parse(argc, argv);
    RngSeedManager::SetRun(run);
    if (rts) Config::SetDefault("ns3::WifiRemoteStationManager::RtsCtsThreshold", StringValue("0"));

    NodeContainer sta, ap;
    sta.Create(2);
    ap.Create(1);
    YansWifiPhyHelper phy;
    phy.SetChannel(YansWifiChannelHelper::Default().Create());
    phy.Set("ChannelSettings", StringValue("{0, 20, BAND_5GHZ, 0}"));
    WifiHelper wifi;
    wifi.SetStandard(WIFI_STANDARD_80211n);
    wifi.SetRemoteStationManager("ns3::ConstantRateWifiManager", "DataMode", StringValue("HtMcs" + std::to_string(mcs)),
                                 "ControlMode", StringValue("OfdmRate24Mbps"));
    WifiMacHelper mac;
    Ssid ssid("peer");
    mac.SetType("ns3::StaWifiMac", "Ssid", SsidValue(ssid), "BE_MaxAmpduSize", UintegerValue(ampdu));
    auto sd = wifi.Install(phy, mac, sta);
    mac.SetType("ns3::ApWifiMac", "Ssid", SsidValue(ssid), "BE_MaxAmpduSize", UintegerValue(ampdu));
    auto ad = wifi.Install(phy, mac, ap);
    wifi.AssignStreams(sd, 100);
    wifi.AssignStreams(ad, 10000);
    MobilityHelper mob;
    auto pos = CreateObject<ListPositionAllocator>();
    pos->Add(Vector(0, 0, 0));
    pos->Add(Vector(dist, 0, 0));
    pos->Add(Vector(-dist, 0, 0));
    mob.SetPositionAllocator(pos);
    mob.Install(ap);
    mob.Install(sta);
    InternetStackHelper().InstallAll();
    Ipv4AddressHelper ip("192.168.1.0", "255.255.255.0");
    auto ai = ip.Assign(ad);
    ip.Assign(sd);
    TrafficControlHelper().Uninstall(ad);
    TrafficControlHelper().Uninstall(sd);
    std::vector<Ptr<PacketSink>> sinks;
    for (uint16_t i = 0; i < 2; i++)
    {
        PacketSinkHelper ps("ns3::UdpSocketFactory", InetSocketAddress(Ipv4Address::GetAny(), 9 + i));
        sinks.push_back(DynamicCast<PacketSink>(ps.Install(ap.Get(0)).Get(0)));
        // A few packets first, one station after the other, so that block ack agreements are there.
        OnOffHelper few("ns3::UdpSocketFactory", InetSocketAddress(ai.GetAddress(0), 9 + i));
        few.SetConstantRate(DataRate(1e6), size);
        few.SetAttribute("MaxBytes", UintegerValue(4 * size));
        few.Install(sta.Get(i)).Start(Seconds(0.5 + 0.2 * i));
        OnOffHelper cl("ns3::UdpSocketFactory", InetSocketAddress(ai.GetAddress(0), 9 + i));
        cl.SetConstantRate(DataRate(65e6), size);
        cl.Install(sta.Get(i)).Start(Seconds(start + 0.001 * i));
    }
    auto st = RunFor(start + dur);
    double a = sinks[0]->GetTotalRx() * 8 / dur / 1e6, b = sinks[1]->GetTotalRx() * 8 / dur / 1e6;
    if (header) std::puts("tag,n,mcs,ampdu,size,dist_m,rts,run,mbps_0,mbps_1,sum_mbps,sim_s,events,wall_s");
    std::printf("%s,2,%u,%u,%u,%g,%d,%u,%.4f,%.4f,%.4f,%.1f,%lu,%.2f\n", tag.c_str(), mcs, ampdu, size, dist, rts, run, a, b, a + b,
                dur + start, st.events, st.wall);
    Simulator::Destroy();
}
