import type { VisibleModel } from "../../../models/index.ts";
import type { FieldValues } from "../../knowledge/build-knowledge.ts";
import { kindOf } from "../../query/schema.ts";
import type { Literal } from "../../query/semantic-query.ts";
import { fold } from "../languages/words.ts";
import { yesIn } from "./common-values.ts";

type Field = VisibleModel["datasets"][number]["fields"][number];

/** What columns of yes and no are called; what is said where it is yes, and where it is no. */
const FLAGS = `
discontinued, obsolete, withdrawn, retired, delisted, phased out; discontinued, obsolete, phased out, no longer sold, no longer sell, no longer available, no longer offered, withdrawn, retired; still sold, still sell, still available, still offered, still offer, still carry, still active, active, current
active, enabled, live, current, aktiv; active, still active, current, enabled; inactive, no longer active, not active any more, deactivated, disabled, dormant
deleted, archived, removed; deleted, archived, removed, no longer there; still there, active
available, in stock, lieferbar; available, still available; unavailable, not available, no longer available
paid, settled; paid, settled, paid for; unpaid, not paid, not paid yet, not yet paid, outstanding
closed, completed, finished, resolved, done; closed, completed, finished, resolved, done; open, not done yet, unfinished, unresolved
`;

const KNOWN = FLAGS.trim()
  .split("\n")
  .map((line) => line.split("; ").map((part) => part.split(", "))) as [string[], string[], string[]][];

/** Numbers that only say whether something is so, as far as the author tells. */
const OF_ONE =
  /\b1 (?:if|when|means|for|=)|\b1 ?= ?\w|\b0 ?(?:\/|or|and) ?1\b|\b1 ?(?:\/|or|and) ?0\b|\bflag\b|^whether\b/i;
const IS = /^(is|has|was|are)_/i;

/** The value that says yes, of a field that says nothing but yes and no. */
export function yesOf(ds: string, field: Field, values: readonly FieldValues[]): Literal | undefined {
  const { name, type, isTime, description } = field;
  const kind = kindOf(type, isTime);
  if (kind === "boolean") return true;
  if (kind === "text") return yesIn(values, { ds, field: name });
  if (kind !== "number" || !/INT/i.test(type)) return undefined;
  const isSaid =
    IS.test(name) || OF_ONE.test(description ?? "") || KNOWN.some(([names]) => names.includes(name));
  return isSaid ? 1 : undefined;
}

/** All fields that say yes or no, with their datasets. */
export function flagsIn({ datasets }: VisibleModel, values: readonly FieldValues[]): Set<string> {
  return new Set(
    datasets.flatMap(({ name: ds, fields }) =>
      fields.filter((field) => yesOf(ds, field, values) !== undefined).map(({ name }) => `${ds}.${name}`),
    ),
  );
}

/** What is said where a field of yes and no says yes, and where it says no, beside its own names. */
export function flagWords({ name }: Field): { yes: readonly string[]; no: readonly string[] } {
  const bare = fold(name.replace(IS, "").replace(/_(flag|yn|ind|bool)$/i, "")).replaceAll("_", " ");
  const [, yes = [], no = []] = KNOWN.find(([names]) => names.includes(bare)) ?? [];
  return { yes: [bare, ...yes.filter((word) => word !== bare)], no };
}
