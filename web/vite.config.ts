import { defineConfig } from "vite";

// The page has to work from `file://`, where a browser loads neither modules nor other files: all of
// it, the simulator included, goes into one HTML file.
export default defineConfig({
  base: "./",
  build: {
    target: "es2022",
    outDir: "../python/acklab/data/bench",
    emptyOutDir: true,
    assetsInlineLimit: Number.MAX_SAFE_INTEGER,
    modulePreload: false,
    reportCompressedSize: false,
  },
});
