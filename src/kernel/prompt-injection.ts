import { AppError } from "./errors.ts";
import { LIMITS } from "./limits.ts";

interface Pattern {
  /** As the refusal names it. */
  name: string;
  expression: RegExp;
}

/**
 * Phrases that are known to indicate prompt injection. They are matched as whole words, and they also hit
 * honest sentences ("which orders override the default price?"): those are refused too and have to be put
 * in other words. "DAN" counts in capitals only, or nobody could ask about the sales of Dan.
 */
const INJECTIONS: readonly Pattern[] = [
  phrase(
    "ignore previous instructions",
    "ignore (?:(?:all|any|of|the|my|your|these|those) )*previous instructions?|(?:ignorier(?:e|en|t)?|vergiss|missachte) (?:(?:alle|die|deine|bitte|bisherigen|vorherigen|vorigen|fruheren) )*(?:anweisungen|instruktionen)",
  ),
  phrase("system prompt", "system prompts?"),
  phrase("you are now"),
  phrase("act as"),
  phrase("pretend"),
  phrase("disregard"),
  phrase("override"),
  phrase("forget"),
  phrase("reveal the/your/system", "reveal (?:the|your|system)"),
  phrase("jailbreak"),
  phrase("DAN", "DAN", "u"),
];

/** What can be dropped here, with the words that may stand before it. */
const ASSETS =
  "(?: (?:the|my|our|your|this|that|these|those|all|every|each|a|an|old|whole))* (?:data ?sets?|tables?|dashboards?|widgets?|reports?|alerts?|quer(?:y|ies)|data ?sources?|columns?|rows?|models?|views?|databases?|documents?|assets?)(?![\\p{L}\\p{N}])";
/** A movement of values: "orders drop below 50", "a drop in sales". Before an asset it is none. */
const MOVEMENT = `drop (?:below|under|to|by)(?!${ASSETS})(?![\\p{L}\\p{N}])|(?<=(?<![\\p{L}\\p{N}])(?:a|any|the|this|that|big|large|sharp|sudden|steep) )drop(?!${ASSETS})(?![\\p{L}\\p{N}])`;

/**
 * Without "dropping" and "drop-down": values are dropping, and dashboards have drop-down filters. German words are here
 * without their accents, as texts are when they are looked through.
 */
const DESTRUCTIONS: readonly Pattern[] = [
  phrase("delete", "delet(?:e|ing)|eras(?:e|ing)|get(?:ting)? rid of|losch(?:e|en|t)?"),
  phrase("remove", "remov(?:e|ing)|entfern(?:e|en|t)"),
  phrase("drop", `(?!${MOVEMENT})drop(?! downs?(?![\\p{L}\\p{N}]))`),
  phrase("destroy", "destroy(?:ing)?|vernicht(?:e|en|et)"),
  phrase("purge", "purg(?:e|ing)"),
  phrase("wipe", "wip(?:e|ing)"),
];

/** Refuses an instruction in natural language that is too long or looks like prompt injection. */
export function checkInstruction(text: string): void {
  checkLength(text);
  const found = injectionIn(text);
  if (found === undefined) return;
  throw new AppError(
    "bad_request",
    `The instruction was refused: it contains "${found}", a known sign of prompt injection.`,
    {
      hint: "Say what you need in other words, without that phrase.",
      data: { reason: "prompt_injection", pattern: found },
    },
  );
}

/** The known sign of prompt injection that a text has in it, by its name. */
export function injectionIn(text: string): string | undefined {
  return firstMatch(text, INJECTIONS);
}

/** Refuses an instruction that asks to destroy something, and names the tool that can. */
export function checkDestructive(
  text: string,
  { deleteTool = "delete" }: { deleteTool?: string } = {},
): void {
  const found = firstMatch(text, DESTRUCTIONS);
  if (found === undefined) return;
  throw new AppError(
    "bad_request",
    `Instruction blocked: it asks for a destructive operation ("${found}").`,
    {
      hint: `Use ${deleteTool} for that, with the kind and id of one asset and confirm: true.`,
      data: { reason: "destructive", pattern: found },
    },
  );
}

/** A character is what a person counts as one: an emoji outside the basic plane is not two. */
function checkLength(text: string): void {
  const limit = LIMITS.call.instructionCharacters;
  if (text.length <= limit) return;
  if (text.length <= 2 * limit && Array.from(text).length <= limit) return;
  throw new AppError(
    "bad_request",
    `The instruction is longer than ${limit.toLocaleString("en")} characters.`,
    {
      hint: "Shorten it, or split it into several calls.",
      data: { reason: "too_long", limitCharacters: limit },
    },
  );
}

function firstMatch(text: string, patterns: readonly Pattern[]): string | undefined {
  const plain = plainText(text);
  return patterns.find(({ expression }) => expression.test(plain))?.name;
}

/** Full-width letters, accents, invisible characters and odd spaces do not hide a phrase. */
function plainText(text: string): string {
  return text
    .normalize("NFKD")
    .replace(/(?!\s)\p{Cc}|[\p{Default_Ignorable_Code_Point}\p{Cf}\p{M}]/gu, "")
    .replace(/[\s\p{Pd}_]+/gu, " ");
}

function phrase(name: string, source = name, flags = "iu"): Pattern {
  return { name, expression: new RegExp(String.raw`(?<![\p{L}\p{N}])(?:${source})(?![\p{L}\p{N}])`, flags) };
}
