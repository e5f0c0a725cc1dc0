/** Characters that never belong to an unquoted word. Everything else may: `E-mail` needs quotes, `E_mail#1` does not. */
const SPECIAL = "\\s'\"`\\[\\](),;=!<>+\\-*/^%~.{}";

export const WORD_CHARACTER = new RegExp(`[^${SPECIAL}]`, "u");

/** One word, with apostrophes inside (`O'Brien`) and full stops at its end (`Mr. Smith`). */
export const WORD = new RegExp(`[^${SPECIAL}]+(?:'[^${SPECIAL}]+)*(?:\\.+(?=[\\s,;)]|$))?`, "uy");

/** A word before an apostrophe that opens a text rather than belonging to the word: `like'a'`. */
export const OPENS_TEXT = new Set("like and or not then else when between in as".split(" "));

/**
 * Words that mean something somewhere. Most are keywords only in their place (`order` before `by`, `in` before a
 * bracket), so that fields may have such names; the printer puts all of them in quotes.
 */
export const KEYWORDS: ReadonlySet<string> = new Set(
  (
    "select distinct where group order by limit as and or not like in between is null true false " +
    "case when then else end asc desc over partition from having"
  ).split(" "),
);

const PLAIN_WORDS = new RegExp(`^[^${SPECIAL}]+(?: [^${SPECIAL}]+)*$`, "u");

/** Whether a name can stand without quotes anywhere. */
export function isPlain(text: string): boolean {
  if (!PLAIN_WORDS.test(text) || text.includes("$")) return false;
  const words = text.split(" ");
  if (words.length === 1 && /^\d/.test(text)) return false;
  return !words.some((word) => KEYWORDS.has(word.toLowerCase()));
}
