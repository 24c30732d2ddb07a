import { defineConfig } from "vite";
import { simulator } from "./build/simulator.ts";
import { studies } from "./build/studies.ts";
import { oneFile } from "./build/one-file.ts";

// The page has to work from `file://`, where a browser loads neither modules nor other files: all of
// it, the simulator included, goes into one HTML file.
export default defineConfig({
  base: "./",
  plugins: [simulator(), studies(), oneFile()],
  build: {
    target: "es2022",
    outDir: "../python/acklab/data/bench",
    emptyOutDir: true,
    assetsInlineLimit: Number.MAX_SAFE_INTEGER,
    cssCodeSplit: false,
    modulePreload: false,
    reportCompressedSize: false,
  },
  worker: { format: "iife" },
});
