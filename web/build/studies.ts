/** Pages of the documentation as HTML: `import page from ".../study.md?page"`. Links to other pages become their words,
 * and drawings beside a page become a part of it: the bench is one file. */

import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
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
      return `export default ${JSON.stringify(htmlOf(readFileSync(file, "utf8"), dirname(file)))};`;
    },
  };
}

const quoted = (words: string) => words.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");

/** `folder` is where the page's drawings are; without one their words stand in their place. */
export function htmlOf(markdown: string, folder?: string): string {
  const marked = new Marked({
    renderer: {
      image({ href, text }) {
        if (folder === undefined || !/^[\w.-]+\.svg$/.test(href)) return quoted(text);
        const drawing = readFileSync(join(folder, href)).toString("base64");
        return `<img alt="${quoted(text)}" width="100%" src="data:image/svg+xml;base64,${drawing}">`;
      },
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
