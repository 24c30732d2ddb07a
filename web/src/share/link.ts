/** The address of the page: it always holds what the page shows, so that it can be copied or reloaded. */
import { effect } from "@preact/signals";
import { filmTime } from "../panes/network";
import { files, notice, pinned, seeds, text } from "../state";
import { DamagedLink, decode, encode, type Shared } from "./fragment";

export function readLink(): Shared | null {
  try {
    return decode(location.hash);
  } catch (error) {
    if (!(error instanceof DamagedLink)) throw error;
    notice.value = `This link cannot be opened: ${error.message}.`;
    return null;
  }
}

export function linkNow(): string {
  const { href } = location;
  return `${href.split("#")[0]}${fragmentNow()}`;
}

export function fragmentNow(): string {
  const before = pinned.value?.experiment;
  const film = filmTime.value;
  return encode({
    toml: text.value,
    files: files.value,
    ...(before ? { pinned: { toml: before.text, files: before.files, seeds: pinned.value!.runs.length } } : {}),
    seeds: seeds.value,
    ...(film === null ? {} : { film }),
  });
}

/** Writes the address a moment after each change, without steps in the browser's history. */
export function keepLink(): () => void {
  let timer = 0;
  return effect(() => {
    void [text.value, files.value, pinned.value, seeds.value, filmTime.value];
    clearTimeout(timer);
    timer = window.setTimeout(() => history.replaceState(null, "", fragmentNow()), 300);
  });
}
