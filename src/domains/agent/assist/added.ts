import type { Schema } from "../query/schema.ts";
import { fold } from "../understand/languages/words.ts";

/** What a query or a sense names: a metric, a field, a dataset, a value, a number, a period. */
interface Named {
  kind: "metric" | "field" | "dataset" | "value" | "number" | "period";
  name: string;
  /** Whose field it is. */
  ds?: string;
}

/** What a query names that no sense of the question's words does, as it is called. */
export function addedTo(question: string, senses: unknown, ask: unknown, { metrics }: Schema): string[] {
  const text = fold(question);
  const known = namedIn(senses);
  const isNamed = (ds: string | undefined) =>
    known.some((each) => each.kind === "dataset" && each.name === ds);
  const countedBy = (name: string) => {
    const only = metrics.get(name)?.formula.only;
    return only?.isCount === true ? only.columns[0]?.ds : undefined;
  };
  const isSaid = ({ kind, name, ds }: Named) =>
    known.some((each) => each.kind === kind && (kind === "period" || each.name === name)) ||
    // Whoever speaks of shops is told them by their names, and rows are counted for what is said of them.
    (kind === "field" && isNamed(ds)) ||
    (kind === "metric" && isNamed(countedBy(name))) ||
    (kind === "dataset" && known.some((each) => each.ds === name)) ||
    ((kind === "value" || kind === "number") && name.split(OR).every((each) => text.includes(fold(each))));
  const added = namedIn(ask).filter((each) => !isSaid(each));
  return [...new Set(added.map(({ name }) => name.replace(/^.*\./, "").replaceAll("_", " ")))];
}

/** Between values of which one is enough: they are one condition. */
const OR = " or ";

function namedIn(part: unknown): Named[] {
  if (typeof part !== "object" || part === null) return [];
  if (Array.isArray(part)) return part.flatMap(namedIn);
  const { k, t, name, metric, pieces, ds, field, from, to, said, v, value, values, key, ...more } =
    part as Record<string, unknown>;
  const metrics = [k === "metric" && name, metric, pieces].filter((each) => typeof each === "string");
  // None of something is said without a number.
  const numbers = [k === "lit" && v !== 0 && v, t === "number" && value].filter(
    (each) => typeof each === "number",
  );
  const isValue = k === "is" && Array.isArray(values);
  const isField = typeof ds === "string" && typeof field === "string";
  const isPeriod = from !== undefined && to !== undefined && typeof said === "string";
  return [
    ...metrics.map((each): Named => ({ kind: "metric", name: each })),
    ...numbers.map((each): Named => ({ kind: "number", name: String(each) })),
    // A value brings its field along.
    ...(isValue ? [{ kind: "value", name: values.join(OR) } satisfies Named] : namedIn(key)),
    ...(isField ? [{ kind: "field", name: `${ds}.${field}`, ds } satisfies Named] : []),
    ...(typeof ds === "string" && !isField ? [{ kind: "dataset", name: ds } satisfies Named] : []),
    ...(isPeriod
      ? [{ kind: "period", name: said } satisfies Named]
      : // What links two things goes without saying.
        namedIn([from, to]).filter((each) => k !== "link" || each.kind !== "dataset")),
    ...Object.entries(more).flatMap(([each, inner]) =>
      each === "path" || each === "on" ? [] : namedIn(inner),
    ),
  ];
}
