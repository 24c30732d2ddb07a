/** Charts as SVG files that stand alone: white paper, black letters, the page's series colours. */
import { nameOfLine, type Frame, type Line } from "./frames";

/** Series colours on white paper (Okabe and Ito's, darkened for contrast). */
export const INKS = ["#0067a3", "#c44f00", "#00795a", "#99417b", "#806300", "#4b4fb8", "#4d5560"];

const WIDTH = 720;
const HEIGHT = 260;
const LEFT = 56;
const RIGHT = 12;
const TOP = 22;
const ROW = 18;
const BOTTOM = 30;

export function seriesSvg(frame: Frame, footer: string): string {
  const { rows, parts: names } = legend(frame);
  const top = TOP + rows * ROW;
  const first = frame.times[0] ?? 0;
  const last = frame.times.at(-1) ?? 1;
  const highest = Math.max(1e-9, ...frame.lines.flatMap((line) => line.values.map((value) => value ?? 0)));
  const x = (time: number) => LEFT + ((time - first) / (last - first || 1)) * (WIDTH - LEFT - RIGHT);
  const y = (value: number) => HEIGHT - BOTTOM - (value / (highest * 1.05)) * (HEIGHT - top - BOTTOM);
  const parts = [
    ...ticks(0, highest).map((tick) => grid(y(tick), String(tick))),
    ...ticks(first, last).map((tick) => `<text x="${fixed(x(tick))}" y="${HEIGHT - 12}" text-anchor="middle">${tick} s</text>`),
    ...frame.lines.map((line) => path(line, frame.times, x, y)),
    ...names,
  ];
  const title = `<text x="${LEFT}" y="16" font-weight="600" fill="#1b1f24">${escaped(frame.title)}, ${escaped(frame.unit)}</text>`;
  const foot = `<text x="${WIDTH - RIGHT}" y="${HEIGHT + 8}" text-anchor="end" font-size="9">${escaped(footer)}</text>`;
  return svg(WIDTH, HEIGHT + 16, title + parts.join("") + foot);
}

export function svg(width: number, height: number, body: string): string {
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" ` +
    `font-family="system-ui, sans-serif" font-size="11" fill="#57606a"><rect width="100%" height="100%" fill="#fff"/>${body}</svg>`
  );
}

function grid(y: number, label: string): string {
  return (
    `<line x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${fixed(y)}" y2="${fixed(y)}" stroke="#d8dde3"/>` +
    `<text x="${LEFT - 6}" y="${fixed(y + 4)}" text-anchor="end">${label}</text>`
  );
}

function path(line: Line, times: number[], x: (t: number) => number, y: (v: number) => number): string {
  let d = "";
  let pen = false;
  line.values.forEach((value, i) => {
    if (value === undefined) return;
    if (value === null) pen = false;
    else {
      d += `${pen ? "L" : "M"}${fixed(x(times[i]!))} ${fixed(y(value))}`;
      pen = true;
    }
  });
  const dash = line.pinned ? ' stroke-dasharray="5 3"' : "";
  return `<path d="${d}" fill="none" stroke="${INKS[line.color % INKS.length]}" stroke-width="${line.pinned ? 1 : 1.6}"${dash}/>`;
}

/** The lines' names, in as many rows as they need. */
function legend(frame: Frame): { rows: number; parts: string[] } {
  let x = LEFT;
  let row = 0;
  const parts = frame.lines.map((line) => {
    const label = nameOfLine(frame, line);
    const width = 30 + label.length * 6.2;
    if (x > LEFT && x + width > WIDTH) {
      x = LEFT;
      row++;
    }
    const here = fixed(x);
    const y = 28 + row * ROW;
    x += width;
    const dash = line.pinned ? ' stroke-dasharray="5 3"' : "";
    return (
      `<line x1="${here}" x2="${fixed(Number(here) + 16)}" y1="${y}" y2="${y}" stroke="${INKS[line.color % INKS.length]}" stroke-width="2"${dash}/>` +
      `<text x="${fixed(Number(here) + 20)}" y="${y + 4}">${escaped(label)}</text>`
    );
  });
  return { rows: row + 1, parts };
}

/** Round numbers from low to high, about five. */
export function ticks(low: number, high: number): number[] {
  const rough = (high - low) / 5 || 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((digit) => digit * power).find((size) => size >= rough)!;
  const found: number[] = [];
  for (let i = Math.ceil(low / step); i * step <= high + step * 1e-9; i++) found.push(Number((i * step).toPrecision(6)));
  return found;
}

export function fixed(value: number): string {
  return value.toFixed(1);
}

export function escaped(words: string): string {
  return words.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
