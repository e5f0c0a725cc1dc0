import { readFileSync } from "node:fs";
import { AppError, messageOf } from "../../kernel/errors.ts";
import type { Terminal } from "./command.ts";

/** A secret from a file or standard input: never from the words of the command, which other users of the machine can see. */
export async function readSecret(
  noun: "key" | "secret",
  { file, isStdin }: { file: string | undefined; isStdin: boolean },
  terminal: Terminal,
): Promise<string | undefined> {
  if (file !== undefined && isStdin)
    throw new AppError("bad_request", `Give --${noun}-file or --${noun}-stdin, and not both.`);
  if (isStdin) return terminal.readAll();
  if (file === undefined) return undefined;
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new AppError("bad_request", `The file of the ${noun} cannot be read: ${messageOf(error)}.`, {
      cause: error,
    });
  }
}
