/** The compiled simulator as a module of the page: gzip in base64. */

import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import type { Plugin } from "vite";

/** Where `web/compile.sh` leaves it. */
export const WASM = fileURLToPath(new URL("../made/acklab.wasm", import.meta.url));

const NAME = "virtual:acklab.wasm";

export function simulator(): Plugin {
  return {
    name: "acklab-simulator",
    // Before Vite's own plugin, which takes every name that ends in `.wasm`.
    enforce: "pre",
    resolveId: (id) => (id === NAME ? `\0${NAME}` : undefined),
    load(id) {
      if (id !== `\0${NAME}`) return undefined;
      if (!existsSync(WASM)) this.error(`${WASM} is missing: run web/compile.sh`);
      this.addWatchFile(WASM);
      const packed = gzipSync(readFileSync(WASM), { level: 9 });
      return `export default ${JSON.stringify(packed.toString("base64"))};`;
    },
  };
}
