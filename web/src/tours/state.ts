/** Which tour is under way, and at which step. */
import { signal } from "@preact/signals";
import type { Tour } from "./tours";

export const tour = signal<Tour | null>(null);
export const step = signal(0);

export function begin(chosen: Tour): void {
  step.value = 0;
  tour.value = chosen;
}

export function end(): void {
  tour.value = null;
}
