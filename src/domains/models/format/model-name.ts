import { invisibleIn } from "../../../kernel/names.ts";

/** What is wrong with the name of a model; undefined when nothing is. */
export function modelNameFault(name: string): string | undefined {
  if (name.trim() === "") return "The name is empty.";
  if (/[/\\]/.test(name)) return "The name of a model has no slashes.";
  const invisible = invisibleIn(name);
  return invisible && `The name of a model has a character in it that nobody sees: ${invisible}.`;
}
