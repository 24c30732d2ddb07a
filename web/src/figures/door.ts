/**
 * How a page of the documentation shows a figure: it frames this page with `#figure=ID`.
 *
 * The frame says how high it is, and hears whether the page around it is dark. Both are all that
 * passes: a page from a file and its frame are strangers to each other, so origins say nothing.
 */
import { effect } from "@preact/signals";
import { theme } from "../theme";
import { FIGURES } from "./figures";
import type { Figure } from "./shape";

/** The figure that the address asks for. */
export function figureAsked(fragment: string): Figure | undefined {
  const asked = new URLSearchParams(fragment.replace(/^#/, "")).get("figure");
  return FIGURES.find(({ id }) => id === asked);
}

/** Tells the page around how high the figure is, and follows its look. */
export function greet(content: HTMLElement): void {
  if (parent === window) return;
  const tell = () => parent.postMessage({ acklab: { height: Math.ceil(content.getBoundingClientRect().height) } }, "*");
  new ResizeObserver(tell).observe(content);
  addEventListener("message", ({ source, data }: MessageEvent<unknown>) => {
    if (source !== parent) return;
    const look = lookIn(data);
    if (look) theme.value = look;
  });
  effect(() => {
    void theme.value;
    tell();
  });
}

function lookIn(data: unknown): "light" | "dark" | null {
  const said = (data as { acklab?: { look?: unknown } } | null)?.acklab?.look;
  return said === "light" || said === "dark" ? said : null;
}
