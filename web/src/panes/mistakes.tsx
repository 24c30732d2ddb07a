/** Says above controls and answers that the text has mistakes, since the text may be out of sight. */
import { check, outcome, pane, runErrors } from "../state";

export function Mistakes() {
  const errors = [...(check.value?.diagnostics ?? []), ...runErrors.value].filter(({ severity }) => severity === "error");
  if (errors.length === 0) return null;
  const go = () => {
    pane.value = "network";
    requestAnimationFrame(() => document.querySelector<HTMLElement>(".paper textarea")?.focus());
  };
  return (
    <p class="mistakes">
      <b>{errors.length === 1 ? "One mistake" : `${errors.length} mistakes`} in the text:</b> {errors[0]!.message}.{" "}
      {outcome.value && "The answers are those of the last text that ran. "}
      <button type="button" class="bare" onClick={go}>To the text</button>
    </p>
  );
}
