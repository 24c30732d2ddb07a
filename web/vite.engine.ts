import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";
import page from "./vite.config.ts";

// The engine by itself in a page, for the tests in a browser.
export default defineConfig({
  ...page,
  root: fileURLToPath(new URL("test/engine", import.meta.url)),
  build: { ...page.build, outDir: fileURLToPath(new URL("made/engine", import.meta.url)) },
});
