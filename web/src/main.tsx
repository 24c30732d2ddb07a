/** Starts the page: the engine, the catalogue, and the scenario of the link or the first preset. */
import { render } from "preact";
import "uplot/dist/uPlot.min.css";
import "./style/page.css";
import "./style/setup.css";
import "./style/answers.css";
import "./style/network.css";
import "./style/tour.css";
import "./style/figure.css";
import "./theme";
import { openEngine } from "./engine";
import { figureAsked, greet } from "./figures/door";
import { FigurePanel } from "./figures/panel";
import { follow, outcomeOf } from "./lab/runs";
import { preset } from "./lab/preset";
import { filmAt } from "./panes/network";
import { Page } from "./panes/page";
import { keepLink, readLink } from "./share/link";
import { takeDrops } from "./share/take";
import { failure, lab, open, pinned, seeds } from "./state";

const FIRST = "ack-aggregation";

async function start(): Promise<void> {
  const place = document.getElementById("page")!;
  place.replaceChildren();
  const figure = figureAsked(location.hash);
  render(figure ? <FigurePanel figure={figure} /> : <Page />, place);
  if (figure) framed(place);
  const engine = await openEngine();
  const [catalogue, schema, gallery] = await Promise.all([engine.catalogue(), engine.schema(), engine.gallery()]);
  lab.value = { engine, catalogue, schema, gallery };
  if (figure) return;
  const show = () => {
    const shared = readLink();
    const entry = gallery.find(({ name }) => name === FIRST) ?? gallery[0];
    if (shared) {
      preset.value = gallery.find(({ toml }) => toml === shared.toml) ?? null;
      seeds.value = shared.seeds;
      pinned.value = null;
      open({ text: shared.toml, files: shared.files });
      filmAt(shared.film ?? null);
      if (shared.pinned) {
        const { toml, files, seeds } = shared.pinned;
        void outcomeOf(engine, { text: toml, files }, seeds).then((found) => (pinned.value = found));
      }
    } else if (entry) {
      preset.value = entry;
      open({ text: entry.toml, files: entry.files });
    }
  };
  show();
  addEventListener("hashchange", show);
  follow();
  keepLink();
  takeDrops();
}

/** The page is one figure, as high as it needs, inside another page. */
function framed(place: HTMLElement): void {
  document.documentElement.dataset["figure"] = "";
  greet(place);
  addEventListener("hashchange", () => location.reload());
}

start().catch((error: unknown) => {
  failure.value = `The bench could not start: ${error instanceof Error ? error.message : String(error)}`;
});
