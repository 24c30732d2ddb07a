/** The scenarios that come with acklab, as text in the page. */

import type { GalleryEntry } from "./types";

const TOML = import.meta.glob<string>("../../../python/acklab/data/scenarios/*.toml", {
  eager: true,
  query: "?raw",
  import: "default",
});

const BESIDE = import.meta.glob<string>("../../../python/acklab/data/scenarios/traces/*", {
  eager: true,
  query: "?raw",
  import: "default",
});

export const GALLERY: GalleryEntry[] = Object.entries(TOML)
  .map(([path, toml]) => ({
    name: /([^/]+)\.toml$/.exec(path)![1]!,
    title: /^description = "(.*)"$/m.exec(toml)?.[1] ?? "",
    toml,
    files: filesOf(toml),
  }))
  .sort((a, b) => (a.name < b.name ? -1 : 1));

/** The files that a scenario names. */
function filesOf(toml: string): Record<string, string> {
  const named = Object.entries(BESIDE)
    .map(([path, text]) => [path.slice(path.lastIndexOf("traces/")), text] as const)
    .filter(([name]) => toml.includes(`"${name}"`));
  return Object.fromEntries(named);
}
