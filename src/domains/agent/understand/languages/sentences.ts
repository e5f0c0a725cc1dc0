/** What is said out of politeness, left blank so that everything else stays in its place. */
export function withoutCourtesy(text: string): string {
  return text.replace(GREETING, blank).replace(THANKS, blank);
}

const GREETING =
  /^\s*(?:(?:hi|hey|hello|hallo|moin|servus|morning|(?:good|guten) (?:morning|afternoon|evening|day|morgen|tag|abend))(?: (?:there|all|team|everyone|zusammen|ihr))?\s*[,.!:-]+\s*)+(?=\S)/i;
const THANKS =
  /(?<=\S)[\s,;.!-]*\b(?:thx|thanks(?: a lot)?|thank you|many thanks|cheers|danke(?: dir| schön| euch)?|vielen dank|lg|vg)[\s.!]*$/i;

function blank(text: string): string {
  return " ".repeat(text.length);
}

/** SQL is no question, whatever its words mean in one. */
export function statementIn(text: string): { text: string; start: number; end: number } | undefined {
  const match = STATEMENT.exec(text);
  if (match === null) return undefined;
  const [statement] = match;
  return { text: statement, start: match.index, end: match.index + statement.length };
}

const STATEMENT =
  /\b(?:drop|alter|create|truncate)\s+(?:table|database|schema|view)\b|\b(?:delete\s+from|insert\s+into|union\s+select)\b/i;

/** "… Which ones?": what was asked already, once more. */
export function withoutEcho(text: string): string {
  return text.replace(
    /(?<=[?.!]\s+)(?:which ones|which are they|which|who|who are they|welche(?: sind das)?)\s*\?*\s*$/i,
    blank,
  );
}

export function isTwoQuestions(text: string): boolean {
  return /[?]\s+\S/.test(text);
}

/** The last of several sentences, what stands before it, and the sign between them. */
export function lastSentence(text: string): { head: string; sign: string; tail: string } | undefined {
  const [, head = "", sign = "", tail] = /^(.*?)([.!?:;])\s+(\S[^.!?:;]*[.!?]?)$/s.exec(text) ?? [];
  return tail === undefined ? undefined : { head, sign, tail };
}

/** Whether a sentence begins as the question itself does, and as no remark on it. */
export function asks(sentence: string): boolean {
  return ASKS.test(sentence);
}

/** "… Top 5 suppliers by sales": says all of it again. */
export function isWhole(sentence: string): boolean {
  return /^(?:the |our )?top \d+ .+ by /i.test(sentence);
}

const ASKS =
  /^(?:(?:so|and|please|now|in|of|by|for|at|on|to|from|with|can|could|you|i|we|tell|me|want|need|know|auf|von|bei|seit|bitte|in)\b[\s,]*)*(?:how|what|which|who|whose|when|where|show|list|give|name|find|did|do|does|is|are|was|were|has|have|the|our|top|wie|was|welche[rnms]?|wer|wann|wo|zeige?|nenne)\b/i;
