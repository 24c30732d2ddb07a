import { escaped } from "../charts/svg";

/** A line of TOML as HTML: comments, headings, keys, texts and numbers apart. */
export function coloured(line: string): string {
  const heading = /^\s*\[.*/.test(line) && !/=/.test(line.split("#")[0]!);
  if (heading) return `<b>${escaped(line)}</b>`;
  const tokens = /("(?:[^"\\]|\\.)*"|'[^']*')|(#.*$)|([A-Za-z0-9_.-]+)(?=\s*=)|\b(true|false|\d[\d_.]*)\b/g;
  let html = "";
  let from = 0;
  for (const match of line.matchAll(tokens)) {
    html += escaped(line.slice(from, match.index));
    const kind = match[1] ? "s" : match[2] ? "c" : match[3] ? "k" : "n";
    html += `<i class="${kind}">${escaped(match[0])}</i>`;
    from = match.index + match[0].length;
  }
  return html + escaped(line.slice(from));
}
