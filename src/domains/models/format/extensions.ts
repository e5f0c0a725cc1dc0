import { clip } from "../../../kernel/clip.ts";
import type { Extension } from "../model.ts";
import { type Keys, object, type Reader, text, type ValuesOf, warnOfUnknownKey } from "./readers.ts";
import type { Spot } from "./report.ts";
import { plain, type Tree, treeOf, Unkeepable } from "./tree.ts";

/** What a vendor adds to a part of the model, where it stands. */
export interface RawExtension {
  vendor: string;
  data: Tree;
  spot: Spot;
}

/** JSON in a text, as the format wants it, or written out. */
const extensionData: Reader<Tree> = (tree, spot) => {
  if (tree.kind !== "scalar" || typeof tree.value !== "string") return tree;
  try {
    return treeOf(JSON.parse(tree.value), tree.line, spot.report.budget);
  } catch (error) {
    if (error instanceof Unkeepable) spot.error(`The data ${error.message}.`);
    else if (!(error instanceof SyntaxError)) throw error;
    else
      spot.error(
        `The data is no valid JSON: ${clip(error.message, 200)}.`,
        "Correct it, or write it out as a map.",
      );
    return tree;
  }
};

const extensionFields = object("A custom extension", {
  vendor_name: { read: text, also: ["vendor"], isNeeded: true },
  data: { read: extensionData, isNeeded: true },
});

export const extension: Reader<RawExtension> = (tree, spot) => {
  const { vendor_name, data } = extensionFields(tree, spot) ?? {};
  return vendor_name === undefined || data === undefined ? undefined : { vendor: vendor_name, data, spot };
};

/** What is taken out of extensions into the model: by vendor, the keys. */
export type Taken<K extends Keys> = Readonly<Record<"COMMON" | "KENNING", readonly (keyof K & string)[]>>;

/** Takes what the model has a place for out of the extensions; the rest stays as it is, for export. */
export function takeOut<K extends Keys>(
  extensions: readonly RawExtension[],
  keys: K,
  taken: Taken<K>,
): { values: Partial<ValuesOf<K>>; extensions: Extension[] } {
  const values: Record<string, unknown> = {};
  const left: Extension[] = [];
  for (const { vendor, data, spot } of extensions) {
    const known = taken[vendor.toUpperCase() as keyof Taken<K>] ?? [];
    if (data.kind !== "map" || known.length === 0) {
      // Policies that somebody believes in must not get lost.
      if (data.kind === "list" && vendor.toUpperCase() === "KENNING") {
        spot.error("Kenning's extension must be a map with keys, not a list.", `It has ${known.join(", ")}.`);
      }
      left.push({ vendor, data: plain(data) });
      continue;
    }
    const others: [string, unknown][] = [];
    for (const [name, entry] of data.entries) {
      if (!known.includes(name)) {
        const key = { name, line: entry.line };
        if (vendor.toUpperCase() === "KENNING") warnOfUnknownKey(key, "Kenning's extension", known, spot);
        others.push([name, plain(entry.value)]);
        continue;
      }
      const part = spot.part(name, entry.line);
      const value = keys[name]?.read(entry.value, part);
      if (values[name] === undefined) values[name] = value;
      else part.warn(`The extensions say ${name} twice: the first one counts.`);
    }
    const isUsedUp = others.length === 0 && data.entries.size > 0;
    if (!isUsedUp) left.push({ vendor, data: Object.fromEntries(others) });
  }
  return { values: values as Partial<ValuesOf<K>>, extensions: left };
}

/** The other way: puts values into the vendor's extension, or into a new one before the others. */
export function putIn(
  extensions: readonly Extension[],
  vendor: string,
  values: Readonly<Record<string, unknown>>,
): Extension[] {
  const present = Object.entries(values).filter(([, value]) => value !== undefined);
  if (present.length === 0) return [...extensions];
  const index = extensions.findIndex((one) => one.vendor.toUpperCase() === vendor && isFilledMap(one.data));
  if (index === -1) return [{ vendor, data: Object.fromEntries(present) }, ...extensions];
  return extensions.map((one, i) =>
    i === index ? { ...one, data: { ...(one.data as object), ...Object.fromEntries(present) } } : one,
  );
}

/** An empty one is left alone: reading the file again would take it for one of ours. */
function isFilledMap(data: unknown): boolean {
  return typeof data === "object" && data !== null && !Array.isArray(data) && Object.keys(data).length > 0;
}
