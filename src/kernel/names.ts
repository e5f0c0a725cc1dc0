import { AppError } from "./errors.ts";

/** What no eye sees: controls, marks that hide or turn text around, fillers and joiners. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/v;
/** Some of them belong to pictures. */
const EMOJI = /\p{RGI_Emoji}/gv;

/** The first character of a name that nobody sees, such as U+200B; undefined when all can be seen. */
export function invisibleIn(name: string): string | undefined {
  if (!INVISIBLE.test(name)) return undefined;
  const [found] = INVISIBLE.exec(name.replace(EMOJI, "")) ?? [];
  return found && `U+${found.codePointAt(0)?.toString(16).toUpperCase().padStart(4, "0")}`;
}

/** Two names that differ only by what nobody sees would pass for one another. */
export function assertVisible(name: string): void {
  const found = invisibleIn(name);
  if (found === undefined) return;
  throw new AppError("bad_request", `The name has a character in it that nobody sees: ${found}.`, {
    hint: "Write the name without it.",
  });
}
