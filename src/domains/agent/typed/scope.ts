import { AppError } from "../../../kernel/errors.ts";
import { allOf } from "../query/parts.ts";
import type { Scope } from "../query/semantic-query.ts";
import { Faults } from "./faults.ts";
import { ALWAYS } from "./out-of-reach.ts";
import { outside, splitOutside } from "./outside.ts";
import { periodIn } from "./period.ts";
import type { Scene } from "./scene.ts";
import { conditionsOf, type Filter } from "./where.ts";

const OPERATOR =
  /<=|>=|<>|!=|==?|<|>|(?<=\s)(?:is\s+not\s+null|is\s+null|not\s+in|in|between|not\s+contains|contains|not\s+i?like|i?like)(?![\p{L}\p{N}_])/iu;
const SEPARATOR = /,|(?<=\s)and(?=\s)/i;

/** What stands in brackets behind a number: `[2025]`, `[customers.country = Austria, orders.status in (open, sent)]`. */
export function scopeOf(text: string, scene: Scene): Scope {
  const parts = rejoined(splitOutside(text, SEPARATOR)).filter((part) => part !== "");
  const filters = parts.map(filterIn);
  const [period, ...others] = parts.filter((_, i) => filters[i] === undefined);
  if (others.length > 0)
    throw new AppError("bad_request", `[${text}] has two periods, or a condition without an operator.`, {
      hint: `Write one period, and conditions as [customers.country = Austria, 2025]. A second period is another number.`,
    });
  const faults = new Faults();
  const { rows, groups } = conditionsOf(
    filters.filter((each) => each !== undefined),
    scene,
    { faults },
  );
  faults.require();
  if (groups.length > 0)
    throw new AppError("bad_request", `In [${text}] a number is compared, and it is not said of what.`, {
      hint: "Write whose number it is: [count(orders) per customers >= 3].",
    });
  const win = period === undefined ? undefined : periodIn(period, scene.knowledge, scene.moment);
  const all = allOf(rows);
  return { ...(all && { if: all }), ...(win !== undefined && { win: win ?? ALWAYS }) };
}

/** What lies between two values is one condition. */
function rejoined(parts: readonly string[]): string[] {
  const all: string[] = [];
  for (const part of parts) {
    const last = all.at(-1);
    if (last !== undefined && /\sbetween\s+(?!.*\sand\s)/i.test(last))
      all.splice(-1, 1, `${last} and ${part}`);
    else all.push(part);
  }
  return all;
}

/** `status = open`; undefined where nothing is compared. */
function filterIn(text: string): Filter | undefined {
  const [{ at, sign } = { at: 0, sign: "" }] = outside(text, OPERATOR) ?? [];
  const field = text.slice(0, at).trim();
  if (field === "") return undefined;
  const op = sign.toLowerCase().replaceAll(/\s+/g, " ");
  const said = text.slice(at + sign.length).trim();
  if (op.startsWith("is ")) return { field, op };
  if (op === "between") return { field, op, value: splitOutside(said, /\sand\s/i).map(bare) };
  const isList = /^(not )?in$/.test(op);
  return {
    field,
    op,
    value: isList ? splitOutside(said.replace(/^\((.*)\)$/s, "$1"), /,/).map(bare) : bare(said),
  };
}

function bare(text: string): string {
  return text.replace(/^(["'])(.*)\1$/s, "$2");
}
