import { AppError } from "../../kernel/errors.ts";
import { invisibleIn } from "../../kernel/text.ts";
import { LIMITS } from "./limits.ts";

/** Marks and controls that turn a name into another one for whoever reads it. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** A name that a stranger gave to a file, as we keep it: no path, nothing unseen, not too long, its ending kept. */
export function documentName(given: string): string {
  const last = given.split(/[\\/]/).at(-1) ?? "";
  const plain = last.toWellFormed().normalize("NFC").replace(UNSEEN, "").replace(/\s+/g, " ").trim();
  if (/^\.*$/.test(plain))
    throw new AppError("bad_request", "The document has no name.", { hint: "Give it one." });
  const most = LIMITS.knowledge.nameCharacters;
  if (plain.length <= most) return plain;
  const ending = /\.[A-Za-z0-9]{1,16}$/.exec(plain)?.[0] ?? "";
  return `${plain.slice(0, most - ending.length).toWellFormed()}${ending}`;
}

/** A name that somebody chose for a base or a folder; it is taken as it is, or refused. */
export function chosenName(given: string, what: string): string {
  const name = given.trim().normalize("NFC");
  if (name === "" || name.length > LIMITS.knowledge.nameCharacters || invisibleIn(name) !== undefined)
    throw new AppError(
      "bad_request",
      `The name of a ${what} has 1 to ${LIMITS.knowledge.nameCharacters} visible characters.`,
    );
  if (what === "folder" && (/[\\/]/.test(name) || /^\.{1,2}$/.test(name)))
    throw new AppError("bad_request", "The name of a folder has no slashes, and is not . or ..");
  return name;
}
