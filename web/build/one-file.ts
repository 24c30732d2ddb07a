/**
 * All scripts and styles inside the HTML file, and a policy that lets nothing else in.
 *
 * The policy names scripts and styles by checksum. It forbids every connection: the page cannot send
 * anything anywhere.
 */

import { createHash } from "node:crypto";
import type { Plugin } from "vite";

type Bundle = Parameters<Extract<Plugin["generateBundle"], Function>>[1];

export function oneFile(): Plugin {
  return {
    name: "acklab-one-file",
    apply: "build",
    enforce: "post",
    generateBundle(_options, bundle) {
      for (const page of Object.values(bundle)) {
        if (page.type !== "asset" || !page.fileName.endsWith(".html")) continue;
        page.source = withPolicy(inlined(String(page.source), bundle));
      }
    },
  };
}

/** Puts in what the page loads, and takes that out of the bundle. */
function inlined(html: string, bundle: Bundle): string {
  const scripts: string[] = [];
  const without = html
    .replace(/<script[^>]*\ssrc="\.?\/?([^"]+)"[^>]*><\/script>/g, (_, name: string) => {
      scripts.push(`<script type="module">${closed(taken(bundle, name), "script")}</script>`);
      return "";
    })
    .replace(/<link[^>]*\shref="\.?\/?([^"]+\.css)"[^>]*>/g, (_, name: string) => {
      return `<style>${closed(taken(bundle, name), "style")}</style>`;
    });
  return without.replace("</body>", () => `${scripts.join("\n")}\n</body>`);
}

function taken(bundle: Bundle, name: string): string {
  const file = bundle[name];
  if (file === undefined) throw new Error(`the page loads ${name}, which was not built`);
  delete bundle[name];
  return file.type === "chunk" ? file.code : String(file.source);
}

/** Text that does not end its element before its end. */
function closed(text: string, element: string): string {
  return text.trim().replaceAll(`</${element}`, `<\\/${element}`).replaceAll("<!--", "<\\!--");
}

function withPolicy(html: string): string {
  const scripts = sums(html.matchAll(/<script[^>]*>([\s\S]*?)<\/script>/g));
  const styles = sums(html.matchAll(/<style[^>]*>([\s\S]*?)<\/style>/g));
  const policy = [
    "default-src 'none'",
    `script-src ${scripts} 'wasm-unsafe-eval'`,
    "worker-src blob:",
    `style-src ${styles}`,
    "img-src data: blob:",
    "connect-src 'none'",
    "form-action 'none'",
    "base-uri 'none'",
  ].join("; ");
  const meta = `<meta http-equiv="Content-Security-Policy" content="${policy}">`;
  return html.replace(/<head>/, () => `<head>\n    ${meta}`);
}

/** What a policy calls the elements by. */
function sums(elements: Iterable<RegExpMatchArray>): string {
  const sum = (text: string) => createHash("sha256").update(text).digest("base64");
  return Array.from(elements, (match) => `'sha256-${sum(match[1]!)}'`).join(" ");
}
