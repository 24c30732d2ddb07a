import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import { expect, test } from "vitest";
import { htmlOf } from "../build/studies";

const PAGE = new URL("../../docs/studies/bbr-wifi6.md", import.meta.url).pathname;

test("a drawing beside a page becomes a part of it, and no file is asked for", () => {
  const html = htmlOf(readFileSync(PAGE, "utf8"), dirname(PAGE));
  expect(html).toContain('src="data:image/svg+xml;base64,');
  expect(html).not.toMatch(/src="(?!data:)/);
});

test("without its folder, and of other files, the words of a picture stand in its place", () => {
  expect(htmlOf("![Delay & share](chart.svg)")).toContain("<p>Delay &amp; share</p>");
  expect(htmlOf("![Delay](../../secret.svg)", dirname(PAGE))).toContain("<p>Delay</p>");
});
