/** An instruction, and what should become of it: steps, a question asked back that has these words in it, or a refusal. */
export interface Instruction {
  id: string;
  say: string;
  /** What is open while it is said, by name. */
  dashboard?: string;
  widget?: string;
  steps?: { tool: string; has: Record<string, unknown> }[];
  asks?: string;
  blocked?: string;
}

export interface Planned {
  outcome: string;
  steps: { tool: string; arguments: Record<string, unknown> }[];
  questions: { question: string }[];
}

/** Ids of assets by their kind and name. */
export type Ids = Record<string, ReadonlyMap<string, number>>;

export type Verdict = "right" | "asked" | "wrong" | "refused";

const KEYS: Record<string, [string, string]> = {
  dataset: ["dataset_id", "dataset"],
  dashboard: ["dashboard_id", "dashboard"],
  alert: ["alert_id", "alert"],
  report: ["report_id", "report"],
};

/**
 * Right: what should happen would happen. Asked: it asks back where it need not. Refused: it is blocked where it need
 * not be. Wrong: something else would happen, which is worst.
 */
export function judge({ steps, asks, blocked }: Instruction, got: Planned | "blocked", ids: Ids): Verdict {
  if (got === "blocked") return blocked === undefined ? "refused" : "right";
  if (got.outcome === "asked") {
    const isAbout = got.questions.some(({ question }) => question.toLowerCase().includes(asks ?? "\0"));
    return isAbout ? "right" : blocked === undefined ? "asked" : "wrong";
  }
  if (steps === undefined) return "wrong";
  const isSame =
    steps.length === got.steps.length &&
    steps.every(
      ({ tool, has }, i) => tool === got.steps[i]?.tool && holds(has, got.steps[i]?.arguments ?? {}, ids),
    );
  return isSame ? "right" : "wrong";
}

/** Whether all that is expected is there; what is there besides does not matter. */
function holds(expected: unknown, found: unknown, ids: Ids): boolean {
  if (Array.isArray(expected))
    return (
      Array.isArray(found) &&
      expected.length === found.length &&
      expected.every((each, i) => holds(each, found[i], ids))
    );
  if (typeof expected !== "object" || expected === null)
    return typeof expected === "string" && typeof found === "string"
      ? expected.toLowerCase() === found.toLowerCase()
      : expected === found;
  if (typeof found !== "object" || found === null) return false;
  const there = found as Record<string, unknown>;
  return Object.entries(expected).every(([key, value]) => {
    const known = KEYS[key];
    if (known !== undefined) return there[known[0]] === ids[known[1]]?.get(String(value));
    if (key === "widget") {
      const id = ids.widget?.get(String(value));
      return there.widget_id === id || there.widgetId === id;
    }
    // What is written in more than one way is told by a pattern.
    if (key.endsWith("~"))
      return new RegExp(String(value), "is").test(JSON.stringify(there[key.slice(0, -1)] ?? ""));
    if (key === "widgets" && there.widget_ids !== undefined)
      return holds(
        (value as string[]).map((name) => ids.widget?.get(name)),
        there.widget_ids,
        ids,
      );
    return holds(value, there[key], ids);
  });
}
