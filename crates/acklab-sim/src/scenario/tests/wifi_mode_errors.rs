//! Messages about modes that do not exist.

use super::wifi_errors::{told, told_all};

#[test]
fn modes_that_do_not_exist_are_told_what_does() {
    assert_eq!(
        told("wifi.width", "80 MHz"),
        "wifi.width: HT does not have 80 MHz|use 20 MHz or 40 MHz"
    );
    assert_eq!(
        told("wifi.width", "30 MHz"),
        "wifi.width: `30 MHz` is not one of the allowed words|\
         write one of `20 MHz`, `40 MHz`, `80 MHz`, `160 MHz`"
    );
    assert_eq!(
        told_all(&[("wifi.standard", "ac"), ("wifi.mcs", "9")]),
        "wifi.mcs: VHT has no MCS 9 at 20 MHz with 1 stream|use MCS 8 or another width"
    );
    assert_eq!(
        told_all(&[("wifi.standard", "ax"), ("wifi.guard_interval", "400 ns")]),
        "wifi.guard_interval: HE does not have a guard interval of 400 ns|use 800 ns, 1600 ns or 3200 ns"
    );
    assert_eq!(
        told("wifi.guard_interval", "500 ns"),
        "wifi.guard_interval: there is no guard interval of 500 ns|use 400, 800, 1600 or 3200 ns"
    );
    assert_eq!(
        told("wifi.streams", "5"),
        "wifi.streams: HT does not have 5 streams|use 1 to 4"
    );
    assert_eq!(
        told_all(&[("wifi.mcs", "9"), ("wifi.streams", "1")]),
        "wifi.streams: MCS 9 of 802.11n has 2 streams|write streams = 2, or an MCS from 0 to 7"
    );
    assert_eq!(
        told("wifi.rate", "54 Mbit/s"),
        "wifi.rate: no MCS has 54 Mbit/s at 20 MHz, 1x, 800 ns|\
         there are 6.5, 13, 19.5, 26, 39, 52, 58.5, 65 Mbit/s"
    );
    assert_eq!(
        told_all(&[("wifi.rate", "65 Mbit/s"), ("wifi.mcs", "7")]),
        "wifi.rate: `mcs` and `rate` set the same thing|leave one of them out"
    );
    assert_eq!(
        told_all(&[
            ("wifi.standard", "a"),
            ("wifi.rate", "11 Mbit/s"),
            ("wifi.ampdu", "off")
        ]),
        "wifi.rate: 11 Mbit/s is no rate of 802.11a|write 6, 9, 12, 18, 24, 36, 48 or 54 Mbit/s, \
         or choose standard = \"b\" or \"g\""
    );
    assert_eq!(
        told_all(&[
            ("wifi.standard", "b"),
            ("wifi.rate", "54 Mbit/s"),
            ("wifi.ampdu", "off")
        ]),
        "wifi.rate: 54 Mbit/s is no rate of 802.11b|\
         write 1, 2, 5.5 or 11 Mbit/s, or choose standard = \"g\" or \"a\""
    );
    assert_eq!(
        told_all(&[
            ("wifi.standard", "g"),
            ("wifi.mcs", "3"),
            ("wifi.ampdu", "off")
        ]),
        "wifi.mcs: 802.11g does not have `mcs`|write `rate`, or choose standard = \"n\" for `mcs`"
    );
    assert_eq!(
        told_all(&[("wifi.standard", "ac"), ("wifi.band", "2.4 GHz")]),
        "wifi.band: 802.11ac is for 5 GHz, not for 2.4 GHz|\
         write \"5 GHz\", or leave it out; at 2.4 GHz there are standard = \"b\", \"g\", \"n\" and \"ax\""
    );
    assert_eq!(
        told_all(&[
            ("wifi.standard", "ax"),
            ("wifi.band", "2.4 GHz"),
            ("wifi.width", "80 MHz")
        ]),
        "wifi.width: HE does not have 80 MHz at 2.4 GHz|\
         use 20 MHz or 40 MHz there, or band = \"5 GHz\" or \"6 GHz\""
    );
    assert_eq!(
        told("wifi.basic_rates", "['1 Mbit/s']"),
        "wifi.basic_rates.0: 802.11n has no control response at 1 Mbit/s at 5 GHz|\
         write 6, 9, 12, 18, 24, 36, 48 or 54 Mbit/s"
    );
    assert_eq!(
        told("wifi.basic_rates", "[]"),
        "wifi.basic_rates: there is no basic rate|name at least one of 6, 9, 12, 18, 24, 36, 48 or 54 Mbit/s"
    );
    assert_eq!(
        told("wifi.rts_rate", "7 Mbit/s"),
        "wifi.rts_rate: 802.11n has no RTS at 7 Mbit/s at 5 GHz|\
         write 6, 9, 12, 18, 24, 36, 48 or 54 Mbit/s"
    );
    assert_eq!(
        told("wifi.control_rate", "7 Mbit/s"),
        "wifi.control_rate: 802.11n has no control response at 7 Mbit/s at 5 GHz|\
         write 6, 9, 12, 18, 24, 36, 48 or 54 Mbit/s"
    );
}
