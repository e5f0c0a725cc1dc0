import { KIND, kindOfText } from "../value-kinds.ts";
import type { JsonElement } from "./json-elements.ts";

/** Whether the first of several lists names the columns; unclear where all of them hold texts of one kind. */
export type ListHeader = "header" | "none" | "unclear";

const IDENTIFIER = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** As programs name columns: unit_price, unitPrice, UNIT_PRICE. */
const PROGRAM_NAME = /^(?:[a-z][a-z0-9]*(?:[_A-Z][A-Za-z0-9_]*)?|[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)$/;
const NUMBER_LIKE = /^[-+\d][\d.,:/ %-]*$/;
/** Of the values of a column, how many have to be other than texts. */
const MOST = 0.8;

export function headerSigns(
  first: readonly JsonElement[],
  below: readonly (readonly JsonElement[])[],
): ListHeader {
  const names = first.map(textOf);
  const areNames = names.every((name) => name !== undefined && isText(name) && !IDENTIFIER.test(name));
  if (below.length === 0 || first.length === 0 || !areNames) return "none";
  const columns = names.map((name, index) => ({
    name: name!,
    cells: below.flatMap((cells) => cells[index] ?? []),
  }));
  // Who comes again below is no name.
  if (columns.some(({ name, cells }) => cells.some((cell) => textOf(cell) === name))) return "none";
  if (columns.some(({ cells }) => isOther(cells))) return "header";
  const areProgramNames = names.every((name) => PROGRAM_NAME.test(name!));
  const isUnlike = columns.some(({ cells }) => cells.some((cell) => !PROGRAM_NAME.test(textOf(cell) ?? "")));
  return areProgramNames && isUnlike ? "header" : "unclear";
}

/** Undefined for what is no text. */
function textOf({ kind, text }: JsonElement): string | undefined {
  if (kind !== "text") return undefined;
  try {
    return JSON.parse(text) as string;
  } catch {
    return undefined;
  }
}

function isText(text: string): boolean {
  return text.trim() !== "" && !NUMBER_LIKE.test(text) && kindOfText(text) === KIND.text;
}

/** Numbers, truth values, dates, lists and objects: what stands below a name, and is none itself. */
function isOther(cells: readonly JsonElement[]): boolean {
  const values = cells.filter(({ text }) => text !== "null" && text !== '""');
  const others = values.filter((cell) => {
    const text = textOf(cell);
    return text === undefined || !isText(text);
  });
  return others.length > 0 && others.length >= values.length * MOST;
}
