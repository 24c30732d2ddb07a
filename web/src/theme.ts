/** Light or dark: as the system has it, unless the reader chose. */
import { effect, signal } from "@preact/signals";

export type Theme = "light" | "dark";

const KEY = "acklab-theme";
const system = matchMedia("(prefers-color-scheme: dark)");

function remembered(): Theme | null {
  try {
    const found = localStorage.getItem(KEY);
    return found === "light" || found === "dark" ? found : null;
  } catch {
    return null; // a page from a file may have no storage
  }
}

let chosen = remembered();
export const theme = signal<Theme>(chosen ?? (system.matches ? "dark" : "light"));

system.addEventListener("change", () => {
  if (chosen === null) theme.value = system.matches ? "dark" : "light";
});

effect(() => {
  document.documentElement.dataset["theme"] = theme.value;
});

export function toggleTheme(): void {
  chosen = theme.value === "dark" ? "light" : "dark";
  theme.value = chosen;
  try {
    localStorage.setItem(KEY, chosen);
  } catch {
    // without storage the choice holds for this visit
  }
}
