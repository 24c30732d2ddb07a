/** Guided tours: a paper's claims, each beside a scenario in which the reader turns the knob. */
import type { MetricId } from "../lab/answers";
import type { Value } from "../scenario/document";
import { bbr } from "./bbr";
import { tac } from "./tac";
import { tack } from "./tack";
import { thesis } from "./thesis";

export type Verdict = "held" | "held in part" | "did not hold" | "undecided";

export interface Step {
  title: string;
  /** The claim of the study, as `study/id`. A test compares `says` with it. */
  claim: string;
  says: string;
  /** The study's finding with its own scenarios and seeds. */
  verdict: Verdict;
  /** Things to look at in this scenario. */
  here: string;
  toml: string;
  /** Number of the flow that the knob turns and whose share is shown; without it the knob turns all flows. */
  flow?: number;
  /** The control to turn, and values for it as the document has them. */
  knob: { control: string; values: Value[] };
  /** Numbers to look at. */
  watch: MetricId[];
}

export interface Tour {
  id: string;
  title: string;
  paper: string;
  /** The page of the study in the documentation. */
  study: string;
  steps: Step[];
}

export const TOURS: Tour[] = [thesis, tac, bbr, tack];
