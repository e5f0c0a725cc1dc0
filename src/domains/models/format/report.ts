import { nearest } from "../../../kernel/text.ts";
import { LIMITS } from "../limits.ts";
import type { Problem } from "../model.ts";

/** Where something stands in a file. */
export interface Place {
  file: string;
  /** Counts from 1. */
  line: number;
}

/** Where the parts of a model stand, by their paths. */
export type Places = ReadonlyMap<string, Place>;

/** A path one step on: `datasets.orders`, or `datasets."my orders"`. */
export function step(path: string, name: string | number): string {
  if (typeof name === "number") return `${path}[${name}]`;
  const part = /^[\p{L}\p{N}_-]+$/u.test(name) ? name : JSON.stringify(name);
  return path === "" ? part : `${path}.${part}`;
}

/** The path of a part of a model: `pathTo("datasets", "orders")`. */
export function pathTo(...names: readonly string[]): string {
  return names.reduce(step, "");
}

/** The same problem with its file and line: those of the nearest part of its path that stands in a file. */
export function locate(problem: Problem, places: Places): Problem {
  if (problem.file !== undefined) return problem;
  for (let path = problem.path; ; path = path.slice(0, Math.max(0, path.search(/(\.[^.]*|\[\d+\])$/)))) {
    const place = places.get(path);
    if (place !== undefined) return { ...problem, ...place };
    if (path === "") return problem;
  }
}

/** How much may still be read; shared by all files and models of one reading. */
export interface Budget {
  tokens: number;
  /** Pairs of letters that are compared to guess what a misspelt word was meant to be. */
  comparedLetters: number;
}

/** Some milliseconds, and hundreds of hints: whoever sees the pattern in these needs no more of them. */
const COMPARED_LETTERS = 1_000_000;

function newBudget(): Budget {
  return { tokens: LIMITS.models.modelTokens, comparedLetters: COMPARED_LETTERS };
}

/** The word of a list that a misspelt one was probably meant to be, as long as there is time to look. */
export function spellingSuggestion(
  word: string,
  known: readonly string[],
  { budget }: Report,
): string | undefined {
  if (budget.comparedLetters <= 0) return undefined;
  budget.comparedLetters -= word.length * known.reduce((sum, { length }) => sum + length, 0);
  return nearest(word, known);
}

/** Problems as they are found, up to a bound; errors are never left out in favour of warnings. */
export class Report {
  readonly budget: Budget;
  readonly places = new Map<string, Place>();
  readonly #kept = { error: [] as Found[], warning: [] as Found[] };
  #found = 0;

  constructor(budget: Budget = newBudget()) {
    this.budget = budget;
  }

  add(problem: Problem): void {
    this.#found++;
    if (this.hasRoom(problem.severity)) this.#kept[problem.severity].push({ problem, order: this.#found });
  }

  /** Counts one that will not be listed, so that it needs no words. */
  skip(): void {
    this.#found++;
  }

  /** True if one more will be listed; what helps to understand it need not be worked out otherwise. */
  hasRoom(severity: Problem["severity"]): boolean {
    return this.#kept[severity].length < LIMITS.models.problems;
  }

  get hasErrors(): boolean {
    return this.#kept.error.length > 0;
  }

  problems(): Problem[] {
    const { error, warning } = this.#kept;
    const listed = [...error, ...warning].slice(0, LIMITS.models.problems);
    const problems = listed.toSorted((a, b) => a.order - b.order).map(({ problem }) => problem);
    const left = this.#found - listed.length;
    if (left === 0) return problems;
    // Errors come first: where there is room for a warning, none of them is among the rest.
    const severity = this.hasRoom("error") ? "warning" : "error";
    return [...problems, moreProblems(left, severity)];
  }
}

/** A problem, and which one it was. */
interface Found {
  problem: Problem;
  order: number;
}

/** Stands for problems that are not listed. */
export function moreProblems(count: number, severity: Problem["severity"]): Problem {
  const message = count === 1 ? "There is one more problem." : `There are ${count} more problems.`;
  return { severity, message, hint: "Correct the ones above first.", path: "" };
}

/** How many problems one stands for: its own, or those that are not listed. */
export function countOf({ path, message }: Problem): number {
  const [, count] = (path === "" && /^There (?:is one|are (\d+)) more problems?\.$/.exec(message)) || [];
  return Number(count ?? 1);
}

/** As deep as what is found later can lie: `datasets.orders.fields.id.expression`. */
const DEEPEST_PLACE = 5;

/** A place in a file that is being read, and the way to complain about it. */
export class Spot {
  readonly report: Report;
  readonly path: string;
  readonly place: Place;
  readonly #depth: number;

  constructor(report: Report, path: string, place: Place, depth = 0) {
    this.report = report;
    this.path = path;
    this.place = place;
    this.#depth = depth;
    if (depth <= DEEPEST_PLACE && !report.places.has(path)) report.places.set(path, place);
  }

  /** A part of what stands here. */
  part(name: string | number, line: number): Spot {
    const place = { file: this.place.file, line };
    return new Spot(this.report, step(this.path, name), place, this.#depth + 1);
  }

  error(message: string, hint?: string): void {
    this.#add("error", message, hint);
  }

  warn(message: string, hint?: string): void {
    this.#add("warning", message, hint);
  }

  #add(severity: Problem["severity"], message: string, hint: string | undefined): void {
    this.report.add({
      severity,
      message,
      ...(hint !== undefined && { hint }),
      path: this.path,
      ...this.place,
    });
  }
}
