/** Uses of a radio channel's time, as bars that sum to the whole run. */
import { airtime, shown } from "../lab/answers";
import { airCsv, airSvg, type Use } from "../charts/air-svg";
import { SaveButtons, saveChart } from "../charts/save";
import type { Run } from "../engine/types";

/** The uses in the order of docs/results.md, with words for the page and a place in the palette. */
const USES: Use[] = [
  ["data", "data", "fill0"],
  ["transport_ack", "transport ACKs", "fill1"],
  ["mac_ack", "MAC ACKs", "fill3"],
  ["control", "RTS, CTS, requests", "fill5"],
  ["contention", "contention", "fill6"],
  ["sifs", "SIFS", "fill4"],
  ["collision", "collisions", "fillbad"],
  ["noise", "noise", "fillbad2"],
  ["idle", "idle", "fillnone"],
];

export function Air({ run, pinned, labels, ...saved }: { run: Run; pinned: Run | undefined; labels: [string, string]; name: string; footer: string }) {
  const runs = pinned ? [{ label: labels[0], run: pinned }, { label: labels[1], run }] : [{ label: "", run }];
  return <AirOf runs={runs} between=" → " {...saved} />;
}

interface Shown {
  runs: { label: string; run: Run }[];
  /** Text between the numbers of the runs. */
  between: string;
  /** The name of a saved chart, and the line at its foot. */
  name: string;
  footer: string;
}

/** A bar for each run that has a radio channel. */
export function AirOf({ runs, between, name, footer }: Shown) {
  const bars = runs.map(({ label, run }) => ({ label, shares: airtime(run) })).filter(({ shares }) => Object.keys(shares).length > 0);
  if (bars.length === 0 || bars.at(-1)!.label !== runs.at(-1)!.label) return null;
  const seen = USES.filter(([use]) => bars.some(({ shares }) => (shares[use] ?? 0) >= 0.0005));
  return (
    <section class="air" aria-label="Airtime">
      <h3>
        Airtime <span class="unit">% of the run</span>
        <SaveButtons what="Airtime" onSave={(kind) => void saveChart(`${name}-airtime`, kind, () => airSvg(bars, seen, footer), () => airCsv(bars, seen))} />
      </h3>
      {bars.map(({ label, shares }) => <Bar key={label} label={bars.length > 1 ? label : ""} shares={shares} />)}
      <ul class="legend">
        {seen.map(([use, label, ink]) => (
          <li key={use}>
            <i class={`swatch ${ink}`} />{label} <b>{bars.map(({ shares }) => percent(shares[use])).join(between)}</b>
          </li>
        ))}
      </ul>
    </section>
  );
}

function percent(share: number | undefined): string {
  return shown((share ?? 0) * 100, 1);
}

function Bar({ label, shares }: { label: string; shares: Record<string, number> }) {
  const parts = USES.map(([use, words, ink]) => ({ use, words, ink, share: shares[use] ?? 0 }));
  return (
    <>
      {label && <p class="which">{label}</p>}
      <div class="airbar" role="img" aria-label={`${label} ${parts.filter(({ share }) => share > 0).map(({ words, share }) => `${words} ${percent(share)} %`).join(", ")}`}>
        {parts.map(({ use, words, ink, share }) => share > 0 && (
          <i key={use} class={ink} style={{ flexGrow: share }} title={`${words} ${percent(share)} %`} />
        ))}
      </div>
    </>
  );
}
