/** The set-up: presets, and the controls of the scenario in groups. */
import type { GalleryEntry } from "../engine/types";
import { controls, focus, lab, open, tree } from "../state";
import type { Group } from "../scenario/controls";
import { channelsOf, flowsOf, linksOf, type Place } from "../scenario/places";
import { preset } from "../lab/preset";
import { TOURS } from "../tours/tours";
import { ControlRow } from "./inputs";
import { Mistakes } from "./mistakes";

const GROUPS: { id: Group; title: string }[] = [
  { id: "flows", title: "Flows" },
  { id: "feedback", title: "Acknowledgements" },
  { id: "path", title: "Path" },
  { id: "air", title: "Radio" },
  { id: "run", title: "Run" },
];

export function SetUp() {
  const all = controls.value;
  return (
    <div class="setup">
      <Presets />
      <Mistakes />
      {GROUPS.map(({ id, title }) => {
        const mine = all.filter((control) => control.group === id);
        if (mine.length === 0) return null;
        return (
          <fieldset key={id}>
            <legend>{title}</legend>
            <FocusOf group={id} />
            {mine.map((control) => <ControlRow key={control.id} control={control} />)}
          </fieldset>
        );
      })}
    </div>
  );
}

/** The scenarios of the tours: one for each claim. */
const PAPERS: [string, GalleryEntry[]][] = TOURS.map(({ id, title, steps }) => [
  title,
  steps.map((step, i) => ({ name: `${id} ${i + 1}: ${step.title}`, title: step.says, toml: step.toml, files: {} })),
]);

function Presets() {
  const found = lab.value?.gallery ?? [];
  const wired = found.filter(({ toml }) => !/^\[+wifi|preset = "w/m.test(toml));
  const radio = found.filter((entry) => !wired.includes(entry));
  const groups: [string, GalleryEntry[]][] = [["Wires", wired], ["Radio", radio], ...PAPERS];
  const chosen = preset.value;
  const choose = (name: string) => {
    const entry = groups.flatMap(([, entries]) => entries).find((one) => one.name === name);
    if (!entry) return;
    preset.value = entry;
    open({ text: entry.toml, files: entry.files });
  };
  return (
    <div class="presets">
      <label for="preset">Preset</label>
      <select id="preset" value={chosen?.name ?? ""} onChange={(event) => choose(event.currentTarget.value)}>
        {!chosen && <option value="">your own</option>}
        {groups.map(([label, entries]) => (
          <optgroup key={label} label={label}>
            {entries.map(({ name, title }) => <option key={name} value={name} title={title}>{name}</option>)}
          </optgroup>
        ))}
      </select>
      <p class="about">{typeof tree.value["description"] === "string" ? tree.value["description"] : ""}</p>
    </div>
  );
}

/** Which flow, link or channel a group is about, if there are several. */
function FocusOf({ group }: { group: Group }) {
  if (group === "flows") return <Chooser what="flow" places={flowsOf(tree.value)} all="all flows" />;
  if (group === "path") return <Chooser what="link" places={linksOf(tree.value)} />;
  if (group === "air") return <Chooser what="channel" places={channelsOf(tree.value)} />;
  return null;
}

function Chooser({ what, places, all }: { what: "flow" | "link" | "channel"; places: Place[]; all?: string }) {
  if (places.length < 2) return null;
  const choose = (index: number) => (focus.value = { ...focus.value, [what]: index });
  return (
    <div class="control">
      <label for={`focus-${what}`}>Of</label>
      <select id={`focus-${what}`} class="wide" value={focus.value[what]} onChange={(event) => choose(Number(event.currentTarget.value))}>
        {all && <option value={-1}>{all}</option>}
        {places.map((place, i) => <option key={i} value={i}>{place.label}</option>)}
      </select>
    </div>
  );
}
