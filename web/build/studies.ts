/** Pages of the documentation as HTML: `import page from ".../study.md?page"`. Links to other pages become their words. */

import { readFileSync } from "node:fs";
import { Marked } from "marked";
import type { Plugin } from "vite";

const PAGE = /\.md\?page$/;

export function studies(): Plugin {
  return {
    name: "acklab-studies",
    enforce: "pre",
    async load(id) {
      if (!PAGE.test(id)) return undefined;
      const file = id.replace(/\?page$/, "");
      this.addWatchFile(file);
      return `export default ${JSON.stringify(htmlOf(readFileSync(file, "utf8")))};`;
    },
  };
}

export function htmlOf(markdown: string): string {
  const marked = new Marked({
    renderer: {
      link({ tokens }) {
        return this.parser.parseInline(tokens);
      },
      // A table scrolls by itself, so that the page does not on a narrow screen.
      table(token) {
        const cell = (c: (typeof token.header)[number], tag: string) =>
          `<${tag}${c.align ? ` class="${c.align === "right" ? "number" : c.align}"` : ""}>${this.parser.parseInline(c.tokens)}</${tag}>`;
        const head = token.header.map((c) => cell(c, "th")).join("");
        const rows = token.rows.map((row) => `<tr>${row.map((c) => cell(c, "td")).join("")}</tr>`).join("");
        return `<div class="wide" tabindex="0"><table><thead><tr>${head}</tr></thead><tbody>${rows}</tbody></table></div>`;
      },
    },
  });
  return marked.parse(markdown.replace(/<!--[\s\S]*?-->\n?/g, ""), { async: false });
}
