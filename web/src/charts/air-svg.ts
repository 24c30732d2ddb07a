/** Bars of airtime as an SVG file that stands alone, and as CSV. */
import { csv } from "../share/files";
import { escaped, fixed, INKS, svg } from "./svg";

export interface AirBar {
  label: string;
  /** Part of the run by use. */
  shares: Record<string, number>;
}

/** A use of the air in words, and its place among the colours; the last ones have colours of their own. */
export type Use = [use: string, label: string, ink: string];

const OWN: Record<string, string> = { fillbad: "#8b1a1a", fillbad2: "#c9a227", fillnone: "#e2e6ea" };
const WIDTH = 720;
const LEFT = 14;
const RIGHT = 14;
const BAR = 18;
const COLUMNS = 3;

export function airSvg(bars: AirBar[], uses: Use[], footer: string): string {
  const percent = (share: number | undefined) => `${((share ?? 0) * 100).toFixed(1)}`;
  const named = bars.some(({ label }) => label !== "");
  const step = BAR + (named ? 24 : 8);
  const first = named ? 44 : 30;
  const rows = bars.map(({ label, shares }, row) => {
    let x = LEFT;
    const y = first + row * step;
    const parts = uses.map(([use, , ink]) => {
      const width = (shares[use] ?? 0) * (WIDTH - LEFT - RIGHT);
      const from = x;
      x += width;
      return width > 0 ? `<rect x="${fixed(from)}" y="${y}" width="${fixed(width)}" height="${BAR}" fill="${inkOf(ink)}"/>` : "";
    });
    return `<text x="${LEFT}" y="${y - 5}" fill="#1b1f24">${escaped(label)}</text>${parts.join("")}`;
  });
  const top = first + 14 + bars.length * step - (named ? 16 : 0);
  const legend = uses.map(([use, label, ink], i) => {
    const x = LEFT + (i % COLUMNS) * ((WIDTH - LEFT) / COLUMNS);
    const y = top + Math.floor(i / COLUMNS) * 18;
    const values = bars.map(({ shares }) => percent(shares[use])).join(" / ");
    return `<rect x="${fixed(x)}" y="${y - 9}" width="12" height="9" fill="${inkOf(ink)}"/><text x="${fixed(x + 17)}" y="${y}">${escaped(label)} ${values}</text>`;
  });
  const height = top + Math.ceil(uses.length / COLUMNS) * 18 + 18;
  const title = `<text x="${LEFT}" y="18" font-weight="600" fill="#1b1f24">Airtime, % of the run</text>`;
  const foot = `<text x="${WIDTH - RIGHT}" y="${height - 8}" text-anchor="end" font-size="9">${escaped(footer)}</text>`;
  return svg(WIDTH, height, title + rows.join("") + legend.join("") + foot);
}

export function airCsv(bars: AirBar[], uses: Use[]): string {
  return csv(["run", ...uses.map(([use]) => use)], bars.map(({ label, shares }) => [label, ...uses.map(([use]) => shares[use] ?? 0)]));
}

function inkOf(ink: string): string {
  return OWN[ink] ?? INKS[Number(ink.replace("fill", "")) % INKS.length]!;
}
