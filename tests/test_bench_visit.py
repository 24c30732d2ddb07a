"""Downloads of a visitor of the bench: files that open, a command that repeats, a link."""

import base64
import re
import shlex
import signal
import subprocess
import sys
import xml.etree.ElementTree as ET

import matplotlib.image
import polars as pl
import pytest

import acklab
from acklab import bench
from conftest import in_a_browser
from test_bench_page import PAGE, SCENARIOS, answered, choose, metric, page, text_of  # noqa: F401
from test_pcapng import needs_tshark, tshark

pytestmark = [
    in_a_browser,
    pytest.mark.skipif(not PAGE.exists(), reason="the bench is not built: make web"),
]


def saved(page, button, folder, name, menu="File"):  # noqa: F811
    """Saves by a button, and gives the file."""
    if menu:
        page.locator("summary", has_text=menu).click()
    with page.expect_download() as download:
        page.get_by_role("button", name=button, exact=True).click()
    assert download.value.suggested_filename == name
    path = folder / name
    download.value.save_as(path)
    return path


def test_tables_are_those_of_the_native_run(page, tmp_path):  # noqa: F811
    choose(page, "ack-aggregation")
    native = acklab.run("ack-aggregation", seed=1)
    for table in ("flows", "links"):
        path = saved(page, f"Save {table} as CSV", tmp_path, f"ack-aggregation-{table}.csv")
        read, wanted = pl.read_csv(path, infer_schema_length=None), getattr(native, table)
        assert len(read) == len(wanted)
        numbers = [c for c in read.columns if c in wanted.columns and wanted[c].dtype.is_numeric()]
        assert len(numbers) > 20
        for column in numbers:
            here = read[column].cast(pl.Float64, strict=False).to_list()
            assert here == wanted[column].cast(pl.Float64).to_list(), column


def test_series_and_charts_open(page, tmp_path):  # noqa: F811
    choose(page, "ack-aggregation")
    series = pl.read_csv(saved(page, "Save series as CSV", tmp_path, "ack-aggregation-series.csv"))
    assert {"time_s", "flow", "cwnd_packets"} <= set(series.columns)
    page.locator(".chart").first.hover()
    names = {kind: f"ack-aggregation-goodput.{kind.lower()}" for kind in ("CSV", "SVG", "PNG")}
    files = {
        kind: saved(page, f"Save Goodput as {kind}", tmp_path, name, menu=None)
        for kind, name in names.items()
    }
    assert len(pl.read_csv(files["CSV"])) == series["time_s"].n_unique()
    picture = ET.parse(files["SVG"]).getroot()
    assert picture.tag.endswith("svg")
    assert len(picture.findall(".//{http://www.w3.org/2000/svg}path")) == 1
    high, wide, _ = matplotlib.image.imread(files["PNG"]).shape
    assert (wide, high) == tuple(2 * int(picture.attrib[side]) for side in ("width", "height"))


def test_a_saved_scenario_and_the_command_give_the_same_run(page, tmp_path, acklab_cli):  # noqa: F811
    choose(page, "wifi-station")
    page.locator("[data-control='flow.cc'] select").select_option("bbr3")
    page.locator("[data-control='wifi.standard'] select").select_option("ac")
    answered(page)
    page.locator("summary", has_text="Share").click()
    command = page.get_by_label("Command", exact=True).input_value()
    page.keyboard.press("Escape")
    path = saved(page, "Save as TOML", tmp_path, "wifi-station.toml")
    assert path.read_text() == text_of(page)
    done = acklab_cli(*shlex.split(command)[1:])
    assert done.returncode == 0, done.stderr
    for flows in (
        acklab.load(path).run(1).flows,
        pl.read_parquet(tmp_path / "results/flows.parquet"),
    ):
        assert metric(page, "goodput") == round(flows["goodput_mbps"].sum(), 2)


def test_the_commands_of_a_pair_repeat_both_runs_and_open_the_page(page, tmp_path, acklab_cli):  # noqa: F811
    choose(page, "ack-aggregation")
    page.get_by_role("button", name="Pin as A").click()
    page.locator("[data-control='link.reverse.ack_filter'] select").select_option("none")
    answered(page)
    shown = page.locator("[data-metric='goodput'] td").all_inner_texts()[:2]
    page.locator("summary", has_text="Share").click()
    commands = page.get_by_label("Command", exact=True).input_value().split(" && ")
    opens = shlex.split(page.get_by_label("This page", exact=True).input_value())
    link = page.get_by_label("Link", exact=True).input_value()
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Unpin").click()
    for command in commands:
        done = acklab_cli(*shlex.split(command)[1:])
        assert done.returncode == 0, done.stderr
    native = [pl.read_parquet(tmp_path / out / "flows.parquet") for out in ("a", "b")]
    assert [float(cell) for cell in shown] == [
        round(flows["goodput_mbps"].sum(), 2) for flows in native
    ]
    assert opens[:2] == ["acklab", "bench"]
    assert bench.fragment_of(opens[2]) == bench.fragment_of(link) == link.partition("#")[2]


DROP = """([place, name, packed]) => {
  const given = new DataTransfer();
  given.items.add(new File([Uint8Array.from(atob(packed), (c) => c.charCodeAt(0))], name));
  const options = { bubbles: true, cancelable: true, dataTransfer: given };
  const target = document.querySelector(place);
  return ["dragover", "drop"].every((what) => !target.dispatchEvent(new DragEvent(what, options)));
}"""


def test_a_file_can_be_dropped_anywhere_and_one_that_is_no_scenario_is_refused(page):  # noqa: F811
    red = (SCENARIOS / "red.toml").read_bytes()

    def drop(place, name, content):
        assert page.evaluate(DROP, [place, name, base64.b64encode(content).decode()])

    for place in ("header", "#pane-answers", ".network", ".paper textarea"):
        choose(page, "single-flow")
        drop(place, "red.toml", red)
        page.wait_for_function("() => document.querySelector('output.name').textContent === 'red'")
        answered(page)
    before = text_of(page)
    refused = {
        "latin.toml": 'name = "é"'.encode("latin-1"),
        "empty.toml": b"",
        "a.json": b'{"duration": "3 s"}',
    }
    for name, content in refused.items():
        drop("body", name, content)
        page.get_by_role("alert").filter(has_text=name).wait_for()
        assert text_of(page) == before
    page.get_by_role("button", name="close").click()


@needs_tshark
def test_wireshark_reads_the_capture(page, tmp_path):  # noqa: F811
    choose(page, "single-flow")
    path = saved(page, "Save a capture (pcapng)", tmp_path, "single-flow.pcapng")
    assert tshark(path, "frame.number", only="_ws.malformed") == []
    lengths = [int(length) for (length,) in tshark(path, "tcp.len", only="tcp.len")]
    assert lengths.count(1448) > 1000
    assert lengths.count(0) > 1000


def test_a_visitor_learns_what_tack_does_for_airtime(browser, tmp_path):
    """From the command to the answer, and away with a link and a figure."""
    program = "import sys; from acklab import cli; sys.argv[0] = 'acklab'; cli.main()"
    words = [sys.executable, "-c", program, "bench", "--no-open"]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True, bufsize=1)
    try:
        root = process.stdout.readline().split()[-1]
        context = browser.new_context(viewport={"width": 1400, "height": 900})
        visit = context.new_page()
        asked = []
        visit.on("request", lambda r: asked.append(r.url) if r.url.startswith("http") else None)
        visit.goto(root)
        answered(visit)
        visit.locator("summary", has_text="Tours").click()
        visit.get_by_role("button", name="Delayed ACK against TACK").click()
        visit.get_by_role("button", name="Unpin").wait_for(timeout=60_000)
        answered(visit)
        cells = visit.locator("[data-metric='ack_air'] td").all_inner_texts()
        tcp, tack = float(cells[0]), float(cells[1])
        assert tcp > 3 > 1 > tack
        bars = visit.locator(".airbar").evaluate_all("all => all.map((e) => e.ariaLabel)")
        assert [bar.split(" data ")[0] for bar in bars] == ["A: delayed ACK", "B: TACK"]
        assert "with A-MPDUs many ACKs share" in visit.locator(".figuresays").inner_text()
        button, name = "Save Airtime as SVG", "tack-airtime-airtime.svg"
        figure = saved(visit, button, tmp_path, name, menu=None)
        shown = " ".join(ET.parse(figure).getroot().itertext())
        assert "A: delayed ACK" in shown
        assert "B: TACK" in shown
        parts = re.search(r"transport ACKs ([\d.]+) / ([\d.]+)", shown)
        assert [float(part) for part in parts.groups()] == [round(tcp, 1), round(tack, 1)]
        visit.locator("summary", has_text="Share").click()
        link = visit.get_by_label("Link", exact=True).input_value()
        other = browser.new_page()
        other.goto(link)
        answered(other)
        other.get_by_role("button", name="Unpin").wait_for(timeout=60_000)
        numbers = "[data-metric] td"
        assert other.locator(numbers).all_inner_texts() == visit.locator(numbers).all_inner_texts()
        other.close()
        context.close()
        assert set(asked) <= {root, f"{root}favicon.ico"}
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(10)
