/** A small chart of one metric over the values of a parameter: points, a line, and intervals. */
import { shown } from "../lab/answers";
import { escaped, fixed, INKS, svg, ticks } from "./svg";

export interface Point {
  label: string;
  mean: number | null;
  half?: number;
}

const W = 220;
const H = 120;
const BOX = { left: 40, right: 8, top: 8, bottom: 22 };

export function Multiple({ title, unit, digits, points }: { title: string; unit: string; digits: number; points: Point[] }) {
  const { x, y, highest } = axes(points);
  const words = points.map(({ label, mean }) => `${label}: ${shown(mean, digits)}`).join(", ");
  return (
    <figure class="multiple">
      <figcaption><b>{title}</b> <span class="unit">{unit}</span></figcaption>
      <svg viewBox={`0 0 ${W} ${H}`} role="img" aria-label={`${title} ${unit}. ${words}`}>
        {ticks(0, highest).filter((_, i, all) => all.length < 5 || i % 2 === 0).map((tick) => (
          <g key={tick}>
            <line class="grid" x1={BOX.left} x2={W - BOX.right} y1={y(tick)} y2={y(tick)} />
            <text x={BOX.left - 4} y={y(tick) + 3} text-anchor="end">{short(tick)}</text>
          </g>
        ))}
        {points.map((point, i) => labelled(i, points.length) && (
          <text key={i} x={x(i)} y={H - 8} text-anchor={i === 0 ? "start" : i === points.length - 1 ? "end" : "middle"}>{point.label}</text>
        ))}
        <polyline class="line" points={points.flatMap(({ mean }, i) => (mean === null ? [] : [`${fixed(x(i))},${fixed(y(mean))}`])).join(" ")} />
        {points.map((point, i) => point.mean !== null && (
          <g key={i}>
            {point.half !== undefined && <line class="interval" x1={x(i)} x2={x(i)} y1={y(Math.max(0, point.mean - point.half))} y2={y(point.mean + point.half)} />}
            <circle class="dot" cx={x(i)} cy={y(point.mean)} r={2.6}>
              <title>{`${point.label}: ${shown(point.mean, digits)}${point.half === undefined ? "" : ` ± ${shown(point.half, digits)}`} ${unit}`}</title>
            </circle>
          </g>
        ))}
      </svg>
    </figure>
  );
}

function axes(points: Point[]) {
  const highest = Math.max(1e-9, ...points.map(({ mean, half }) => (mean ?? 0) + (half ?? 0)));
  return {
    highest,
    x: (i: number) => BOX.left + 6 + (points.length < 2 ? 0.5 : i / (points.length - 1)) * (W - BOX.left - BOX.right - 12),
    y: (value: number) => H - BOX.bottom - (value / (highest * 1.06)) * (H - BOX.top - BOX.bottom),
  };
}

/** Which values have room for a label: the ends and the middle. */
function labelled(i: number, count: number): boolean {
  return i === 0 || i === count - 1 || (count > 2 && i === Math.floor((count - 1) / 2));
}

function short(value: number): string {
  return value >= 1e6 ? `${value / 1e6}M` : value >= 1e4 ? `${value / 1e3}k` : String(value);
}

/** All multiples in one SVG file that stands alone. */
export function multipleSvg(figures: { title: string; unit: string; points: Point[] }[], over: string): string {
  const across = Math.min(4, figures.length);
  const parts = figures.map(({ title, unit, points }, n) => {
    const { x, y, highest } = axes(points);
    const left = (n % across) * (W + 16) + 8;
    const top = Math.floor(n / across) * (H + 30) + 30;
    const grid = ticks(0, highest).map((tick) => `<line x1="${BOX.left}" x2="${W - BOX.right}" y1="${fixed(y(tick))}" y2="${fixed(y(tick))}" stroke="#d8dde3"/><text x="${BOX.left - 4}" y="${fixed(y(tick) + 3)}" text-anchor="end" font-size="8.5">${short(tick)}</text>`);
    const names = points.map((point, i) => labelled(i, points.length) ? `<text x="${fixed(x(i))}" y="${H - 8}" text-anchor="middle" font-size="8.5">${escaped(point.label)}</text>` : "");
    const line = `<polyline fill="none" stroke="${INKS[0]}" points="${points.flatMap(({ mean }, i) => (mean === null ? [] : [`${fixed(x(i))},${fixed(y(mean))}`])).join(" ")}"/>`;
    const marks = points.map(({ mean, half }, i) => mean === null ? "" :
      (half === undefined ? "" : `<line stroke="${INKS[0]}" x1="${fixed(x(i))}" x2="${fixed(x(i))}" y1="${fixed(y(Math.max(0, mean - half)))}" y2="${fixed(y(mean + half))}"/>`) +
      `<circle fill="${INKS[0]}" r="2.4" cx="${fixed(x(i))}" cy="${fixed(y(mean))}"/>`);
    return `<g transform="translate(${left} ${top})"><text x="4" y="-2" font-weight="600" fill="#1b1f24">${escaped(title)} ${escaped(unit)}</text>${grid.join("")}${names.join("")}${line}${marks.join("")}</g>`;
  });
  const rows = Math.ceil(figures.length / across);
  return svg(across * (W + 16), rows * (H + 30) + 20, `<text x="8" y="14">over ${escaped(over)}</text>${parts.join("")}`);
}
