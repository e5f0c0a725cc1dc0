import type { Problem } from "../model.ts";
import { FORMAT_LIMITS } from "./format-limits.ts";

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

/** Problems as they are found, up to a bound. */
export class Report {
  readonly places = new Map<string, Place>();
  #problems: Problem[] = [];
  #left = 0;

  add(problem: Problem): void {
    if (this.#problems.length < FORMAT_LIMITS.problems) this.#problems.push(problem);
    else this.#left++;
  }

  get hasErrors(): boolean {
    return this.#problems.some(({ severity }) => severity === "error");
  }

  problems(): Problem[] {
    if (this.#left === 0) return this.#problems;
    const message = `There are ${this.#left} more problems.`;
    return [
      ...this.#problems,
      // An error might be among them.
      { severity: "error", message, hint: "Correct the ones above first.", path: "" },
    ];
  }
}

/** A place in a file that is being read, and the way to complain about it. */
export class Spot {
  readonly report: Report;
  readonly path: string;
  readonly place: Place;

  constructor(report: Report, path: string, place: Place) {
    this.report = report;
    this.path = path;
    this.place = place;
    if (!report.places.has(path)) report.places.set(path, place);
  }

  /** A part of what stands here. */
  part(name: string | number, line: number): Spot {
    return new Spot(this.report, step(this.path, name), { file: this.place.file, line });
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
