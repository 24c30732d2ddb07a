/** The bar above: name, steps back, share and export, tours, look. */
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { command, comparison, fileName, fileOfPinned, opening } from "../share/command";
import { save, tableCsv } from "../share/files";
import { fragmentNow, linkNow } from "../share/link";
import { FIGURES } from "../figures/figures";
import { openFigure } from "../figures/open";
import { preset } from "../lab/preset";
import type { Engine } from "../engine/types";
import { canRedo, canUndo, lab, name, notice, outcome, pinned, redo, seed, seeds, text, undo, type Outcome } from "../state";
import { theme, toggleTheme } from "../theme";
import { TOURS } from "../tours/tours";
import { begin } from "../tours/state";
import { take } from "../share/take";
import { shown } from "../lab/answers";
import { stretchNow } from "./network";

export function Header() {
  return (
    <header>
      <h1>acklab <span>bench</span></h1>
      <output class="name">{name.value}</output>
      <div class="actions">
        <button type="button" onClick={undo} disabled={!canUndo.value} title="Undo">Undo</button>
        <button type="button" onClick={redo} disabled={!canRedo.value} title="Redo">Redo</button>
        <Menu label="Tours">
          {(close) => (
            <>
              <p class="note">Ten claims of a paper</p>
              {TOURS.map((tour) => (
                <button key={tour.id} type="button" onClick={() => { close(); begin(tour); }}>{tour.title}</button>
              ))}
              <p class="note">A beside B</p>
              {FIGURES.filter(({ watch }) => !watch.includes("took")).map((figure) => (
                <button key={figure.id} type="button" disabled={!lab.value} onClick={() => { close(); void openFigure(figure); }}>{figure.title}</button>
              ))}
            </>
          )}
        </Menu>
        <Menu label="File">
          {(close) => (
            <>
              <label class="open">
                Open a scenario…
                <input type="file" multiple accept=".toml,.trace,.txt,text/*" onChange={(event) => { close(); void take([...(event.currentTarget.files ?? [])]); }} />
              </label>
              <button type="button" onClick={() => { close(); save(`${fileName(text.value)}.toml`, text.value, "application/toml"); }}>Save as TOML</button>
              {pinned.value && <button type="button" onClick={() => { close(); savePinned(); }}>Save A as TOML</button>}
              <button type="button" disabled={!outcome.value} onClick={() => { close(); saveTable("flows"); }}>Save flows as CSV</button>
              <button type="button" disabled={!outcome.value} onClick={() => { close(); saveTable("links"); }}>Save links as CSV</button>
              <button type="button" disabled={!outcome.value} onClick={() => { close(); saveTable("series"); }}>Save series as CSV</button>
              <button type="button" disabled={!outcome.value} aria-describedby="captured" onClick={() => { close(); void saveCapture(); }}>Save a capture (pcapng)</button>
              <Captured />
            </>
          )}
        </Menu>
        <Menu label="Share">{() => <Share />}</Menu>
        <button type="button" onClick={toggleTheme} aria-label={`Look: ${theme.value}. Change it`}>{theme.value === "dark" ? "Light" : "Dark"}</button>
      </div>
    </header>
  );
}

function savePinned(): void {
  const before = pinned.value?.experiment.text;
  if (before !== undefined) save(fileOfPinned(before), before, "application/toml");
}

function saveTable(which: "flows" | "links" | "series"): void {
  const run = outcome.value?.runs[0];
  if (run) save(`${fileName(text.value)}-${which}.csv`, tableCsv(run.tables[which]), "text/csv");
}

/** How much of the run a capture holds. */
function Captured() {
  const part = stretchNow();
  return (
    <p class="note" id="captured">
      {part && (part.first && part.last ? "The capture holds the whole run." : `The capture holds ${shown(part.fromS, 2)} to ${shown(part.toS, 2)} s of the run, as the film does.`)}
    </p>
  );
}

/** The packets of the film's part of the run, as Wireshark reads them. */
async function saveCapture(): Promise<void> {
  const engine = lab.value?.engine;
  const from = outcome.value;
  const part = stretchNow();
  if (!engine || !from || !part) return;
  try {
    await capture(engine, from, part.set);
  } catch (error) {
    notice.value = `No capture: ${error instanceof Error ? error.message : String(error)}`;
  }
}

async function capture(engine: Engine, from: Outcome, set: [string, string][]): Promise<void> {
  const run = await engine.run(from.experiment.text, from.runs[0]!.seed, {
    files: from.experiment.files,
    set,
    record: ["packets"],
    captures: { packets: "headers" },
    tables: ["flows"],
  });
  const found = run.captures.find((one) => one.of === "packets");
  if (found) save(`${fileName(from.experiment.text)}.pcapng`, found.bytes as Uint8Array<ArrayBuffer>, "application/x-pcapng");
}

function Share() {
  const link = linkNow();
  const known = preset.value && lab.value?.gallery.includes(preset.value) ? preset.value : null;
  const origin = known && { name: known.name, text: known.toml };
  const before = pinned.value;
  const now = { text: text.value, seed: seed.value, seeds: seeds.value };
  const line = before
    ? comparison({ text: before.experiment.text, seed: Number(before.runs[0]!.seed), seeds: before.runs.length }, now, origin)
    : command(now.text, origin, now.seed, now.seeds);
  const open = opening(fragmentNow());
  return (
    <div class="share">
      <Copied label="Link" hint="holds the whole scenario; nothing is sent anywhere" words={link} />
      <Copied label="Command" hint={`repeats ${before ? "both runs" : "it"} natively${line.includes(".toml") ? ", with the saved TOML" : ""}`} words={line} />
      {open && <Copied label="This page" hint="opens the page natively at this link" words={open} />}
      <p class="note">{link.length > 8000 ? "The link is long; some programs cut it. " : ""}acklab {lab.value?.engine.version}</p>
    </div>
  );
}

function Copied({ label, hint, words }: { label: string; hint: string; words: string }) {
  const [done, setDone] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(words);
      setDone(true);
    } catch {
      field.current?.select(); // a page from a file may not reach the clipboard
    }
  };
  return (
    <div class="copied">
      <span>{label} <span class="note">{hint}</span></span>
      <input ref={field} readOnly value={words} aria-label={label} />
      <button type="button" onClick={() => void copy()}>{done ? "Copied" : "Copy"}</button>
    </div>
  );
}

function Menu({ label, children }: { label: string; children: (close: () => void) => preact.ComponentChildren }) {
  const place = useRef<HTMLDetailsElement>(null);
  const [isOpen, setOpen] = useState(false);
  const close = () => setOpen(false);
  useLayoutEffect(() => {
    if (!isOpen) return;
    const outside = (event: Event) => {
      if (event instanceof KeyboardEvent ? event.key === "Escape" : !place.current?.contains(event.target as Node)) close();
    };
    addEventListener("pointerdown", outside);
    addEventListener("keydown", outside);
    return () => {
      removeEventListener("pointerdown", outside);
      removeEventListener("keydown", outside);
    };
  }, [isOpen]);
  return (
    <details ref={place} class="menu" open={isOpen}>
      <summary onClick={(event) => { event.preventDefault(); setOpen(!isOpen); }}>{label}</summary>
      {isOpen && <div class="sheet">{children(close)}</div>}
    </details>
  );
}
