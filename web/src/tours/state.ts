/** Which tour is under way, and at which step. */
import { batch, signal } from "@preact/signals";
import { pinned } from "../state";
import type { Tour } from "./tours";

export const tour = signal<Tour | null>(null);
export const step = signal(0);

export function begin(chosen: Tour): void {
  batch(() => {
    step.value = 0;
    tour.value = chosen;
    pinned.value = null;
  });
}

export function end(): void {
  batch(() => {
    tour.value = null;
    pinned.value = null;
  });
}
