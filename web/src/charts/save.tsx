/** The buttons that save a chart. */
import { png, save } from "../share/files";

export type Kind = "svg" | "png" | "csv";

export function SaveButtons({ what, onSave }: { what: string; onSave: (kind: Kind) => void }) {
  return (
    <span class="save">
      {(["svg", "png", "csv"] as const).map((kind) => (
        <button key={kind} type="button" class="bare" aria-label={`Save ${what} as ${kind.toUpperCase()}`} onClick={() => onSave(kind)}>
          {kind}
        </button>
      ))}
    </span>
  );
}

/** Saves a chart as `NAME.KIND`. */
export async function saveChart(name: string, kind: Kind, svg: () => string, csv: () => string): Promise<void> {
  if (kind === "csv") return save(`${name}.csv`, csv(), "text/csv");
  if (kind === "svg") return save(`${name}.svg`, svg(), "image/svg+xml");
  save(`${name}.png`, await png(svg()), "image/png");
}
