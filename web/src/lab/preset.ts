/** The preset that the text began as, if it did. */
import { signal } from "@preact/signals";
import type { GalleryEntry } from "../engine/types";

export const preset = signal<GalleryEntry | null>(null);
