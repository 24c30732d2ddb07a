/** One control: its label, what sets it, and its value with the unit. */
import { useId, useState } from "preact/hooks";
import type { Control, Input } from "../scenario/controls";
import { nameOf, type Value } from "../scenario/document";
import { fromPosition, POSITIONS, read, toPosition, write } from "../scenario/quantity";
import { QUEUES } from "../scenario/ranges";
import { set } from "../state";

/** Parameters of a block that are shown without unfolding: the first ones, and those that are set. */
const SHOWN = 2;

export function ControlRow({ control }: { control: Control }) {
  const id = useId();
  const changed = control.value !== undefined;
  const erasable = changed && !control.required;
  return (
    <>
      <div class={changed ? "control set" : "control"} data-control={control.id}>
        <label for={id} title={control.doc}>{control.label}</label>
        <Setter control={control} id={id} />
        {erasable && (
          <button type="button" class="bare reset" title="Back to the default" aria-label={`${control.label}: back to the default`} onClick={() => set(control, undefined)}>
            ×
          </button>
        )}
      </div>
      {control.inner && <Parameters inner={control.inner} />}
    </>
  );
}

function Parameters({ inner }: { inner: Control[] }) {
  const shown = inner.filter((parameter, i) => i < SHOWN || parameter.value !== undefined);
  const rest = inner.filter((parameter) => !shown.includes(parameter));
  return (
    <div class="inner">
      {shown.map((parameter) => <ControlRow key={parameter.id} control={parameter} />)}
      {rest.length > 0 && (
        <details>
          <summary>{rest.length} more {rest.length === 1 ? "parameter" : "parameters"}</summary>
          {rest.map((parameter) => <ControlRow key={parameter.id} control={parameter} />)}
        </details>
      )}
    </div>
  );
}

function Setter({ control, id }: { control: Control; id: string }) {
  const { input } = control;
  if (control.mixed) return <Mixed control={control} id={id} />;
  switch (input.type) {
    case "choice":
    case "block":
      return <Choice control={control} input={input} id={id} />;
    case "bool":
      return <Toggle control={control} id={id} />;
    case "number":
      return <NumberSetter control={control} input={input} id={id} />;
    case "quantity":
      return <QuantitySetter control={control} input={input} id={id} />;
    case "text":
      return <Typed control={control} id={id} text={asText(control.value)} onText={(words) => set(control, guess(words))} wide />;
  }
}

/** A value of another shape than the control has: the text shows it, and the control says so. */
function InText({ id }: { id: string }) {
  return <input id={id} class="wide" value="as in the text" disabled />;
}

function Mixed({ control, id }: { control: Control; id: string }) {
  if (control.input.type !== "choice" && control.input.type !== "block") {
    return <input id={id} class="wide" value="differs between flows" disabled />;
  }
  return (
    <select id={id} class="wide" value="" onChange={(event) => set(control, event.currentTarget.value)}>
      <option value="" disabled>differs between flows</option>
      {control.input.options.map((option) => <option key={option.value} value={option.value}>{option.label}</option>)}
    </select>
  );
}

function Choice({ control, input, id }: { control: Control; input: Input & { type: "choice" | "block" }; id: string }) {
  const value = input.type === "block" ? nameOf(control.value) : control.value === undefined ? undefined : String(control.value);
  if (control.value !== undefined && value === undefined) return <InText id={id} />;
  const shown = value ?? control.fallback ?? "";
  const listed = input.options.some((option) => option.value === shown);
  return (
    <select id={id} class="wide" value={shown} title={input.options.find((option) => option.value === shown)?.doc}
      onChange={(event) => set(control, event.currentTarget.value)}>
      {!listed && <option value={shown}>{shown}</option>}
      {input.options.map((option) => (
        <option key={option.value} value={option.value} title={option.doc}>{option.label}</option>
      ))}
    </select>
  );
}

function Toggle({ control, id }: { control: Control; id: string }) {
  if (control.value !== undefined && typeof control.value !== "boolean") return <InText id={id} />;
  const on = (control.value ?? control.fallback === "true") === true;
  return (
    <span class="wide">
      <input id={id} type="checkbox" checked={on} onChange={(event) => set(control, event.currentTarget.checked)} />
    </span>
  );
}

function NumberSetter({ control, input, id }: { control: Control; input: Input & { type: "number" }; id: string }) {
  const shown = control.value ?? control.fallback ?? "";
  const value = Number(shown);
  if (typeof control.value === "object") return <InText id={id} />;
  return (
    <>
      <Slider control={control} id={id} position={Number.isFinite(value) ? toPosition(value, input.scale) : 0}
        words={`${shown}`} onPosition={(position) => set(control, fromPosition(position, input.scale))} />
      <Typed control={control} text={String(shown)} onText={(words) => set(control, guess(words))} />
    </>
  );
}

function QuantitySetter({ control, input, id }: { control: Control; input: Input & { type: "quantity" }; id: string }) {
  if (typeof control.value === "object") return <InText id={id} />;
  const { dimension, scale } = input;
  const shown = control.value ?? (dimension === "probability" ? Number(control.fallback) : control.fallback);
  const quantity = read(shown, dimension);
  const unit = quantity?.unit || (input.unit ?? "");
  const range = dimension === "queue" ? QUEUES[unit] ?? scale : scale;
  const text = shown === undefined || shown === "automatic" ? "" : String(shown);
  const position = quantity ? toPosition(quantity.value, range) : text === "none" || text === "off" ? 0 : POSITIONS;
  return (
    <>
      <Slider control={control} id={id} position={position} words={text}
        onPosition={(to) => set(control, write(fromPosition(to, range), dimension, unit))} />
      <Typed control={control} text={text} words={input.words}
        onText={(words) => set(control, dimension === "probability" ? guess(words) : words)} />
    </>
  );
}

function Slider(props: { control: Control; id: string; position: number; words: string; onPosition: (position: number) => void }) {
  return (
    <input id={props.id} type="range" min={0} max={POSITIONS} step={10} value={props.position} aria-valuetext={props.words || "default"}
      onInput={(event) => props.onPosition(Number(event.currentTarget.value))} />
  );
}

/** A field for the value as the scenario language writes it. The tool reports mistakes. */
function Typed(props: {
  control: Control; text: string; onText: (words: string) => void; id?: string; wide?: boolean; words?: string[];
}) {
  const [draft, setDraft] = useState<string | null>(null);
  const list = useId();
  const { control, words = [] } = props;
  const finish = () => {
    if (draft !== null && draft.trim() !== "" && draft !== props.text) props.onText(draft.trim());
    setDraft(null);
  };
  return (
    <>
      <input class={props.wide ? "wide" : "value"} type="text" value={draft ?? props.text} placeholder={control.fallback ?? ""}
        {...(props.id ? { id: props.id } : { "aria-label": `${control.label}: value` })} {...(words.length > 0 ? { list } : {})}
        spellcheck={false} autocomplete="off"
        onInput={(event) => setDraft(event.currentTarget.value)} onBlur={finish}
        onKeyDown={(event) => { if (event.key === "Enter") finish(); if (event.key === "Escape") setDraft(null); }} />
      {words.length > 0 && <datalist id={list}>{words.map((word) => <option key={word} value={word} />)}</datalist>}
    </>
  );
}

/** A typed value as TOML would have it: a number, a truth value, or words. */
function guess(words: string): Value {
  if (/^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(words)) return Number(words);
  return words === "true" ? true : words === "false" ? false : words;
}

function asText(value: Value | undefined): string {
  return value === undefined || typeof value === "object" ? "" : String(value);
}
