import type { Effect } from "../../registry/define-tool.ts";

/** One call of a tool, and what it is for. Arguments may stand for what an earlier step makes: `{ from: 0, path }`. */
export interface PlannedStep {
  tool: string;
  args: Record<string, unknown>;
  /** In a few words, for whoever reads the plan. */
  says: string;
}

/** A plan of one step. */
export function oneStep(tool: string, args: Record<string, unknown>, says: string): PlannedStep[] {
  return [{ tool, args, says }];
}

export interface OpenQuestion {
  question: string;
  suggestions: string[];
}

/** What an instruction comes to. With open questions nothing is done. */
export interface Plan {
  steps: PlannedStep[];
  assumptions: string[];
  questions: OpenQuestion[];
  /** The words that nobody understood. */
  unread?: string;
}

/** Stands in arguments for an id that only an earlier step of the plan will know. */
export interface FromStep {
  step: number;
  key: string;
}

export function isFromStep(value: unknown): value is FromStep {
  return typeof value === "object" && value !== null && "step" in value && "key" in value;
}

export interface DoneStep extends PlannedStep {
  effect: Effect;
  status: "planned" | "done" | "failed" | "skipped";
  result?: unknown;
  error?: string;
}

/** Thrown while planning: something has to be known first. */
export class AskBack extends Error {
  readonly open: OpenQuestion;
  /** How many words were not understood. */
  readonly lost: number;

  constructor(question: string, suggestions: readonly (string | { name: string })[] = [], lost = 0) {
    super(question);
    this.name = "AskBack";
    this.lost = lost;
    const said = suggestions.map((each) => (typeof each === "string" ? each : each.name));
    this.open = { question, suggestions: said.slice(0, 5) };
  }
}
