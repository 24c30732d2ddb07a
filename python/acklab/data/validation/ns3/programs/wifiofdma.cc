// Several stations at once: saturated UDP through ns-3's multi-user scheduler, down or up (own program; set up as in
// ns-3's wifi-he-network example). Control frames at 24 Mbit/s; Trigger frames go at ns-3's rate for groups, 6 Mbit/s.
#include "common.h"

#include "ns3/mobility-module.h"
#include "ns3/multi-model-spectrum-channel.h"
#include "ns3/spectrum-wifi-helper.h"
#include "ns3/wifi-acknowledgment.h"
#include "ns3/wifi-module.h"

using namespace ns3;
using namespace peer;

static uint64_t muPpdus, tbPpdus, triggers, aggregates, mpdus;

static bool trace;

static void
Sent(WifiConstPsduMap psdus, WifiTxVector tx, double)
{
    if (trace && Simulator::Now() > Seconds(3) && Simulator::Now() < Seconds(3.02))
        for (auto& [id, psdu] : psdus)
            std::fprintf(stderr, "%.1f us %.1f us %s %u B %u MPDUs to %u, %s\n", Simulator::Now().GetNanoSeconds() / 1e3,
                         WifiPhy::CalculateTxDuration(psdus, tx, WIFI_PHY_BAND_5GHZ).GetNanoSeconds() / 1e3,
                         psdu->GetHeader(0).GetTypeString(), psdu->GetSize(), unsigned(psdu->GetNMpdus()), unsigned(id),
                         tx.GetMode(id).GetUniqueName().c_str());
    muPpdus += tx.GetPreambleType() == WIFI_PREAMBLE_HE_MU;
    tbPpdus += tx.GetPreambleType() == WIFI_PREAMBLE_HE_TB;
    for (auto& [id, psdu] : psdus)
        if (psdu->GetHeader(0).IsQosData())
        {
            aggregates++;
            mpdus += psdu->GetNMpdus();
        }
    triggers += psdus.begin()->second->GetHeader(0).IsTrigger();
}

int
main(int argc, char** argv)
{
    std::string tag, acks = "none";
    uint32_t n = 4, mcs = 7, width = 20, gi = 1600, size = 1472, run = 1, mpduBuf = 64, users = 4, txop = 0, depth = 500, ampdu = 65535,
             beacon = 60000, ulPsdu = 500;
    double dur = 5, start = 2, poll = 0, muTimer = 0, rate = 60e6;
    bool downlink = true, up = false, bsrp = false, header = false;
    CommandLine cmd(__FILE__);
    cmd.AddValue("n", "stations", n);
    cmd.AddValue("mcs", "HE MCS", mcs);
    cmd.AddValue("width", "MHz", width);
    cmd.AddValue("gi", "ns", gi);
    cmd.AddValue("size", "UDP payload", size);
    cmd.AddValue("mpduBuf", "block-ack window", mpduBuf);
    cmd.AddValue("users", "NStations of the scheduler", users);
    cmd.AddValue("acks", "none (no scheduler), sequence, mu-bar, aggregated", acks);
    cmd.AddValue("downlink", "AP to stations (else up)", downlink);
    cmd.AddValue("up", "EnableUlOfdma", up);
    cmd.AddValue("bsrp", "EnableBsrp", bsrp);
    cmd.AddValue("poll", "AccessReqInterval, s", poll);
    cmd.AddValue("muTimer", "MU EDCA timer s, AIFSN 0", muTimer);
    cmd.AddValue("ulPsdu", "UlPsduSize: bytes granted to a station whose buffer status is unknown", ulPsdu);
    cmd.AddValue("txop", "TXOP limit of BE, us", txop);
    cmd.AddValue("ampdu", "BE max A-MPDU bytes", ampdu);
    cmd.AddValue("beacon", "time units between beacons: one at the start, for association", beacon);
    cmd.AddValue("depth", "packets of each MAC queue", depth);
    cmd.AddValue("rate", "bit/s of each source", rate);
    cmd.AddValue("dur", "s", dur);
    cmd.AddValue("run", "RngRun", run);
    cmd.AddValue("tag", "first CSV column", tag);
    cmd.AddValue("trace", "print the frames of 20 ms", trace);
    cmd.AddValue("header", "print CSV header", header);
    cmd.Parse(argc, argv);
    RngSeedManager::SetRun(run);
    auto type = acks == "sequence" ? WifiAcknowledgment::DL_MU_BAR_BA_SEQUENCE
                : acks == "mu-bar" ? WifiAcknowledgment::DL_MU_TF_MU_BAR
                                   : WifiAcknowledgment::DL_MU_AGGREGATE_TF;
    Config::SetDefault("ns3::WifiDefaultAckManager::DlMuAckSequenceType", EnumValue(type));
    Config::SetDefault("ns3::WifiMac::MpduBufferSize", UintegerValue(mpduBuf));
    Config::SetDefault("ns3::WifiMacQueue::MaxSize", StringValue(std::to_string(depth) + "p"));

    NodeContainer sta, ap;
    sta.Create(n);
    ap.Create(1);
    auto channel = CreateObject<MultiModelSpectrumChannel>();
    channel->AddPropagationLossModel(CreateObject<LogDistancePropagationLossModel>());
    SpectrumWifiPhyHelper phy;
    phy.SetChannel(channel);
    phy.Set("ChannelSettings", StringValue("{0, " + std::to_string(width) + ", BAND_5GHZ, 0}"));
    WifiHelper wifi;
    wifi.SetStandard(WIFI_STANDARD_80211ax);
    wifi.SetRemoteStationManager("ns3::ConstantRateWifiManager", "DataMode", StringValue("HeMcs" + std::to_string(mcs)),
                                 "ControlMode", StringValue("OfdmRate24Mbps"));
    wifi.ConfigHeOptions("GuardInterval", TimeValue(NanoSeconds(gi)));
    if (muTimer > 0)
        for (std::string ac : {"Be", "Bk", "Vi", "Vo"})
            wifi.ConfigHeOptions(ac + "MuEdcaTimer", TimeValue(Seconds(muTimer)));
    WifiMacHelper mac;
    Ssid ssid("peer");
    mac.SetType("ns3::StaWifiMac", "Ssid", SsidValue(ssid), "BE_MaxAmpduSize", UintegerValue(ampdu));
    auto sd = wifi.Install(phy, mac, sta);
    if (acks != "none")
        mac.SetMultiUserScheduler("ns3::RrMultiUserScheduler", "EnableUlOfdma", BooleanValue(up), "EnableBsrp", BooleanValue(bsrp),
                                  "NStations", UintegerValue(users), "UlPsduSize", UintegerValue(ulPsdu), "AccessReqInterval", TimeValue(Seconds(poll)));
    mac.SetType("ns3::ApWifiMac", "Ssid", SsidValue(ssid), "EnableBeaconJitter", BooleanValue(false), "BeaconInterval", TimeValue(MicroSeconds(beacon * 1024)),
                "BE_MaxAmpduSize", UintegerValue(ampdu));
    auto ad = wifi.Install(phy, mac, ap);
    wifi.AssignStreams(sd, 100);
    wifi.AssignStreams(ad, 10000);
    if (txop)
        Config::Set("/NodeList/*/DeviceList/*/$ns3::WifiNetDevice/Mac/BE_Txop/TxopLimits",
                    AttributeContainerValue<TimeValue>(std::list<Time>{MicroSeconds(txop)}));
    MobilityHelper mob;
    auto pos = CreateObject<ListPositionAllocator>();
    pos->Add(Vector(0, 0, 0));
    for (uint32_t i = 0; i < n; i++)
        pos->Add(Vector(std::cos(2 * M_PI * i / n), std::sin(2 * M_PI * i / n), 0));
    mob.SetPositionAllocator(pos);
    mob.Install(ap);
    mob.Install(sta);
    InternetStackHelper().InstallAll();
    Ipv4AddressHelper ip("192.168.0.0", "255.255.0.0");
    auto ai = ip.Assign(ad), si = ip.Assign(sd);
    TrafficControlHelper().Uninstall(ad);
    TrafficControlHelper().Uninstall(sd);
    std::vector<Ptr<PacketSink>> sinks;
    for (uint16_t i = 0; i < n; i++)
    {
        Ptr<Node> from = downlink ? ap.Get(0) : sta.Get(i), to = downlink ? sta.Get(i) : ap.Get(0);
        InetSocketAddress where(downlink ? si.GetAddress(i) : ai.GetAddress(0), 9 + i);
        PacketSinkHelper ps("ns3::UdpSocketFactory", InetSocketAddress(Ipv4Address::GetAny(), 9 + i));
        sinks.push_back(DynamicCast<PacketSink>(ps.Install(to).Get(0)));
        // A few packets both ways, one station after the other, so that addresses and block ack agreements are there.
        OnOffHelper few("ns3::UdpSocketFactory", where);
        few.SetConstantRate(DataRate(1e6), size);
        few.SetAttribute("MaxBytes", UintegerValue(4 * size));
        few.Install(from).Start(Seconds(1 + 0.05 * i));
        OnOffHelper back("ns3::UdpSocketFactory", InetSocketAddress(downlink ? ai.GetAddress(0) : si.GetAddress(i), 1009 + i));
        back.SetConstantRate(DataRate(1e6), size);
        back.SetAttribute("MaxBytes", UintegerValue(4 * size));
        back.Install(to).Start(Seconds(1.02 + 0.05 * i));
        OnOffHelper cl("ns3::UdpSocketFactory", where);
        cl.SetConstantRate(DataRate(rate), size);
        cl.Install(from).Start(Seconds(start + 0.0001 * i));
    }
    Config::ConnectWithoutContext("/NodeList/*/DeviceList/*/$ns3::WifiNetDevice/Phys/*/PhyTxPsduBegin", MakeCallback(&Sent));
    std::vector<uint64_t> before(n);
    Simulator::Schedule(Seconds(start + 0.5), [&] {
        for (uint32_t i = 0; i < n; i++) before[i] = sinks[i]->GetTotalRx();
        muPpdus = tbPpdus = triggers = aggregates = mpdus = 0;
    });
    auto st = RunFor(start + 0.5 + dur);
    double sum = 0, squares = 0;
    for (uint32_t i = 0; i < n; i++)
    {
        double mbps = (sinks[i]->GetTotalRx() - before[i]) * 8 / dur / 1e6;
        sum += mbps;
        squares += mbps * mbps;
    }
    if (header)
        std::puts("tag,n,mcs,width_mhz,gi_ns,size,mpdu_buf,users,acks,dir,up,bsrp,poll_s,mu_timer_s,txop_us,run,sum_mbps,jain,"
                  "mu_ppdus_s,tb_ppdus_s,triggers_s,mpdus_per_psdu,sim_s,events,wall_s");
    std::printf("%s,%u,%u,%u,%u,%u,%u,%u,%s,%s,%d,%d,%g,%g,%u,%u,%.4f,%.4f,%.1f,%.1f,%.1f,%.2f,%.1f,%lu,%.2f\n", tag.c_str(), n, mcs, width,
                gi, size, mpduBuf, users, acks.c_str(), downlink ? "down" : "up", up, bsrp, poll, muTimer, txop, run, sum,
                squares > 0 ? sum * sum / n / squares : 0, muPpdus / dur, tbPpdus / dur, triggers / dur, aggregates ? double(mpdus) / aggregates : 0,
                start + 0.5 + dur, st.events,
                st.wall);
    Simulator::Destroy();
}
