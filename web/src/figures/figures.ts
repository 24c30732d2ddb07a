/**
 * The live figures of the documentation: one scenario in a few variants beside each other, and knobs.
 *
 * A page of the documentation shows one by its id (`docs/figures.py`).
 */
import { acknowledgements } from "./acknowledgements";
import { air } from "./air";
import { method } from "./method";
import { queues } from "./queues";
import type { Figure } from "./shape";

export const FIGURES: Figure[] = [...acknowledgements, ...air, ...queues, ...method];
