import { AppError } from "../../kernel/errors.ts";
import type { SemanticModel } from "./model.ts";

/** Datasets that the message names of each model. */
const NAMED = 5;

/** A model that has no dataset of the published one is another model, and its name was taken by chance. */
export function assertSameData(published: SemanticModel, next: SemanticModel): void {
  const [before, after] = [sourcesOf(published), sourcesOf(next)];
  if (before.length === 0 || after.some((source) => before.includes(source))) return;
  throw new AppError(
    "conflict",
    `${next.name} is published already, about other data: ${listed(before)}. This one, about ${listed(after)}, would take its place.`,
    {
      hint: "Give it another name; or, if it is meant to, publish it with `replace` (on the command line: --replace).",
    },
  );
}

function sourcesOf({ datasets }: SemanticModel): string[] {
  return datasets.map(({ source }) => (source.split(".").at(-1) ?? source).replaceAll('"', "").toLowerCase());
}

function listed(names: readonly string[]): string {
  return `${names.slice(0, NAMED).join(", ")}${names.length > NAMED ? " …" : ""}`;
}
