/** A figure in the bench: its last variant to work on, and the first pinned beside it. */
import { outcomeOf } from "../lab/runs";
import { preset } from "../lab/preset";
import { lab, open, pane, pinned, seeds } from "../state";
import { end } from "../tours/state";
import type { Figure } from "./shape";
import { placesOf, variantsOf } from "./variants";

export async function openFigure(figure: Figure): Promise<void> {
  const engine = lab.peek()?.engine;
  if (!engine) return;
  const variants = variantsOf(figure, placesOf(figure));
  end();
  preset.value = null;
  seeds.value = 1;
  open({ text: variants.at(-1)!.toml, files: {} });
  pane.value = "answers";
  pinned.value = await outcomeOf(engine, { text: variants[0]!.toml, files: {} }, 1);
}
