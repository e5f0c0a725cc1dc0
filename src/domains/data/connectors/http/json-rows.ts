import { AppError } from "../../../../kernel/errors.ts";
import { LIMITS } from "../../limits.ts";
import { takeName } from "../column-names.ts";
import { ANY_TYPE, type SourceColumn } from "../connector.ts";

/** What stands at a path such as `data.items[0].list`; undefined when there is nothing. */
export function valueAt(value: unknown, path: string): unknown {
  const names = path
    .replace(/^\$\.?/, "")
    .split(/[.[\]]+/)
    .filter((name) => name !== "");
  let current = value;
  for (const name of names) {
    if (typeof current !== "object" || current === null || !Object.hasOwn(current, name)) return undefined;
    current = (current as Record<string, unknown>)[name];
  }
  return current;
}

/** The rows in an answer: at the path that is set, or where they can only be. */
export function itemsOf(answer: unknown, path: string | undefined): unknown[] {
  const found = path === undefined ? likelyRows(answer) : valueAt(answer, path);
  if (Array.isArray(found)) return found;
  if (found === null) return [];
  if (typeof found === "object") return [found];
  const names = typeof answer === "object" && answer !== null ? Object.keys(answer).slice(0, 20) : [];
  throw new AppError(
    "bad_request",
    path === undefined
      ? "The answer is neither a list nor an object."
      : `There are no rows at ${path} in the answer.`,
    names.length === 0 ? {} : { hint: `Set resultPath. The answer has ${names.join(", ").slice(0, 300)}.` },
  );
}

/** Most APIs wrap their list into an object that has no other list of objects. */
function likelyRows(answer: unknown): unknown {
  if (typeof answer !== "object" || answer === null || Array.isArray(answer)) return answer;
  const lists = Object.values(answer).filter(isListOfObjects);
  return lists.length === 1 ? lists[0] : answer;
}

function isListOfObjects(value: unknown): boolean {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((item) => typeof item === "object" && item !== null)
  );
}

/** Columns that are found as rows come. A row has the values of the columns that were known by then. */
export class GrowingColumns {
  readonly #places = new Map<string, number>();
  readonly #taken = new Set<string>();
  #columns: SourceColumn[] = [];

  get columns(): readonly SourceColumn[] {
    return this.#columns;
  }

  rowOf(item: unknown): unknown[] {
    const row: unknown[] = Array.from({ length: this.#columns.length }, () => null);
    for (const [name, value] of fieldsOf(item)) row[this.#placeOf(name)] = value ?? null;
    return row;
  }

  #placeOf(name: string): number {
    const known = this.#places.get(name);
    if (known !== undefined) return known;
    if (this.#columns.length >= LIMITS.datasources.columns) {
      throw new AppError(
        "too_large",
        `The rows have more than ${LIMITS.datasources.columns.toLocaleString("en")} different fields.`,
      );
    }
    const place = this.#columns.length;
    this.#places.set(name, place);
    // A new list: batches that were handed out keep theirs.
    this.#columns = [...this.#columns, { name: takeName(name, place, this.#taken), type: ANY_TYPE }];
    return place;
  }
}

function fieldsOf(item: unknown): [string, unknown][] {
  if (Array.isArray(item)) return item.map((value, index) => [`column_${index + 1}`, value]);
  return typeof item === "object" && item !== null ? Object.entries(item) : [["value", item]];
}
