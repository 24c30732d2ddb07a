/** The scenario's text, with colours, line numbers, and what the tool says at its line. */
import { useLayoutEffect, useRef } from "preact/hooks";
import { check, runErrors, setText, text } from "../state";
import type { Diagnostic } from "../engine/types";
import { coloured } from "./colours";

export function Editor() {
  const area = useRef<HTMLTextAreaElement>(null);
  const back = useRef<HTMLPreElement>(null);
  const found = diagnostics();
  const marked = new Map(found.flatMap((one) => (one.line === undefined ? [] : [[one.line, one.severity] as const])));
  const lines = text.value.split("\n");

  const follow = () => {
    if (area.current && back.current) {
      back.current.scrollTop = area.current.scrollTop;
      back.current.scrollLeft = area.current.scrollLeft;
    }
  };
  useLayoutEffect(follow);

  const goTo = (line: number) => {
    const from = lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0);
    area.current?.focus();
    area.current?.setSelectionRange(from, from + (lines[line - 1]?.length ?? 0));
    if (area.current) area.current.scrollTop = Math.max(0, (line - 4) * 17);
  };

  return (
    <section class="editor" aria-label="Scenario as TOML">
      <div class="paper">
        <pre ref={back} aria-hidden="true">
          {lines.map((line, i) => (
            <span key={i} class={`line ${marked.get(i + 1) ?? ""}`} dangerouslySetInnerHTML={{ __html: coloured(line) || " " }} />
          ))}
        </pre>
        <textarea ref={area} aria-label="Scenario" spellcheck={false} autocomplete="off" autocapitalize="off" wrap="off"
          aria-invalid={found.some((one) => one.severity === "error")} aria-describedby="said" value={text.value}
          onInput={(event) => setText(event.currentTarget.value, "typing")} onScroll={follow} />
      </div>
      <ul id="said" class="said" aria-live="polite">
        {found.map((one, i) => (
          <li key={i} class={one.severity}>
            {one.line !== undefined && <button type="button" class="bare" onClick={() => goTo(one.line!)}>line {one.line}</button>}
            <span>{one.message}</span>
            {one.hint && <span class="hint">{one.hint}</span>}
          </li>
        ))}
      </ul>
    </section>
  );
}

function diagnostics(): Diagnostic[] {
  return [...(check.value?.diagnostics ?? []), ...runErrors.value];
}
