/**
 * All scripts and styles inside the HTML file, and a policy that lets nothing else in.
 *
 * The policy names the scripts by checksum. It forbids every connection: the page cannot send
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
  const scripts = [...html.matchAll(/<script[^>]*>([\s\S]*?)<\/script>/g)].map((m) => m[1]!);
  const sums = scripts.map((s) => `'sha256-${createHash("sha256").update(s).digest("base64")}'`);
  const policy = [
    "default-src 'none'",
    `script-src ${sums.join(" ")} 'wasm-unsafe-eval'`,
    "worker-src blob:",
    "style-src 'unsafe-inline'",
    "img-src data: blob:",
    "connect-src 'none'",
    "form-action 'none'",
    "base-uri 'none'",
  ].join("; ");
  const meta = `<meta http-equiv="Content-Security-Policy" content="${policy}">`;
  return html.replace(/<head>/, () => `<head>\n    ${meta}`);
}
