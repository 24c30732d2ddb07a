/** Files for the reader: text, CSV, SVG, and SVG drawn as PNG. */
import { nameOfLine, type Frame } from "../charts/frames";
import type { Table } from "../engine/types";

export function save(name: string, content: BlobPart, type: string): void {
  const url = URL.createObjectURL(new Blob([content], { type }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** Draws an SVG at twice its size. */
export async function png(svg: string): Promise<Blob> {
  const image = new Image();
  image.src = `data:image/svg+xml;base64,${btoa(String.fromCharCode(...new TextEncoder().encode(svg)))}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = image.width * 2;
  canvas.height = image.height * 2;
  canvas.getContext("2d")!.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((done, fail) => canvas.toBlob((blob) => (blob ? done(blob) : fail(new Error("no picture"))), "image/png"));
}

export function frameCsv(frame: Frame): string {
  const names = frame.lines.map((line) => nameOfLine(frame, line));
  const rows = frame.times.map((time, i) => [time, ...frame.lines.map((line) => line.values[i] ?? "")]);
  return csv(["time_s", ...names], rows);
}

/** A table of a run as CSV; lists have blanks between their numbers. */
export function tableCsv(table: Table): string {
  const names = Object.keys(table.columns);
  const rows = Array.from({ length: table.rows }, (_, row) => names.map((name) => cell(table, name, row)));
  return csv(names, rows);
}

function cell(table: Table, name: string, row: number): string | number {
  const column = table.columns[name]!;
  switch (column.kind) {
    case "numbers": {
      const value = column.values[row]!;
      return Number.isNaN(value) ? "" : value;
    }
    case "words":
      return column.words[column.codes[row]!] ?? "";
    case "lists":
      return Array.from(column.values.slice(row === 0 ? 0 : column.ends[row - 1], column.ends[row])).join(" ");
  }
}

export function csv(header: string[], rows: (string | number)[][]): string {
  const line = (cells: (string | number)[]) => cells.map(quoted).join(",");
  return `${[header, ...rows].map(line).join("\n")}\n`;
}

function quoted(cell: string | number): string {
  const words = String(cell);
  return /[",\n\r]/.test(words) ? `"${words.replaceAll('"', '""')}"` : words;
}
