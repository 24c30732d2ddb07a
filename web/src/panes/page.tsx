/** The page: a bar above three panes. Where there is room for one, the bar below chooses it. */
import { failure, lab, notice, pane } from "../state";
import { tour } from "../tours/state";
import { TourPanel } from "../tours/panel";
import { Answers } from "./answers";
import { Editor } from "./editor";
import { Header } from "./header";
import { NetworkPane } from "./network";
import { SetUp } from "./setup";

const PANES = [
  { id: "setup", title: "Set-up" },
  { id: "network", title: "Network" },
  { id: "answers", title: "Answers" },
] as const;

export function Page() {
  return (
    <>
      <Header />
      {failure.value && <p class="failure" role="alert">{failure.value}</p>}
      {notice.value && (
        <p class="failure" role="alert">
          {notice.value} <button type="button" class="bare" onClick={() => (notice.value = null)}>close</button>
        </p>
      )}
      {tour.value && <TourPanel />}
      <main data-pane={pane.value} class={lab.value ? "" : "waiting"}>
        <section class="pane" id="pane-setup" aria-label="Set-up"><SetUp /></section>
        <section class="pane" id="pane-network" aria-label="Network and text">
          <NetworkPane />
          <Editor />
        </section>
        <section class="pane" id="pane-answers" aria-label="Answers"><Answers /></section>
      </main>
      <nav class="panes" aria-label="Panes">
        {PANES.map(({ id, title }) => (
          <button key={id} type="button" aria-pressed={pane.value === id} onClick={() => (pane.value = id)}>{title}</button>
        ))}
      </nav>
    </>
  );
}
