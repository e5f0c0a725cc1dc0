import type { Vocabulary } from "./language.ts";
import { fold, stem, wordsOf } from "./words.ts";

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

/** Words of how one speaks to somebody, in English and in German. */
const PLAIN =
  listed(`the a an my our your this that these it its is are was were be been am i we you he she they me us
  him her them for to from of in on at with about as and or so just now then please who has have had need needs want wants
  would like know see ask asks asked asking tell told show give do does did can could should will some something else other
  another new small short quick quickly first next one here there again also yes ok okay got understood thanks thank cheers
  hi hello hey dear morning afternoon evening good great fyi ps btw sorry no well different topic subject re
  der die das den dem des ein eine einen einem einer mein meine meinen meinem meiner unser unsere unseren unserem unserer
  dies diese diesen diesem dieser es ist sind war waren ich wir du ihr sie mir uns mich für zu zum zur von vom in im am an
  auf mit über bei und oder so nun jetzt dann bitte hat habe haben will möchte möchten brauche brauchen braucht wissen sehen
  gerade noch mal etwas anderes andere neue neues neuen kurz kurze kurzen nächste nächstes nächsten nächster danke hallo
  moin guten tag morgen abend liebe liebes frage fragt verstanden gut ja`);

/** What something is asked for, who asks it, and what they do about it: nothing of the data is told apart by these. */
const OCCASIONS =
  listed(`account agenda analysis analyst announcement article audit bank blog board boss brief briefing
  budget budgeting business campaign ceo cfo coo call chat check checking colleague conference consultant controller
  controlling curiosity curious dashboard deadline deck department desk director discuss discussing discussion email exec
  executive exercise finance forecast founder homework hr intern interview interested investor invitation kickoff later
  leadership management manager meeting memo monday tuesday wednesday thursday friday morning newsletter note
  office offsite pack partner pitch plan planning plans ppt prep preparation prepare preparing presentation presenting press
  project qbr question recap report reporting research retro retrospective review reviewing roadmap sheet shareholder slide
  soon spreadsheet stakeholder standup status steering strategy summary sync talk talking team thinking today tomorrow
  training trying understand update website wondering work working workshop write writing
  ablage abteilung analyse anruf besprechung bericht budgetplanung chef chefin controlling entscheidung folien führung
  geschäftsführer geschäftsführung geschäftsleitung gespräch heute investoren kampagne kollege kollegin kollegen konferenz
  leitung mitteilung montag dienstag mittwoch donnerstag freitag neugier planen plane planung präsentation presse prüfung
  rundbrief schreiben sitzung strategie termin treffen überlegen vorbereiten vorbereitung vorlage vorstand woche`);

function listed(words: string): ReadonlySet<string> {
  return new Set(words.split(/\s+/).map(fold));
}

/**
 * Whether what stands before a question says only why it is asked, or by whom: each of its words does, or is said again
 * in the question. Anything else is a part of what is asked.
 */
export function saysWhy(before: string, question: string): boolean {
  const again = new Set(wordsOf(question).map((word) => word.stem));
  return wordsOf(before).every(({ norm }) => {
    if (!/[\p{L}\p{N}]/u.test(norm) || PLAIN.has(norm)) return true;
    const one = norm.replace(/s$/, "");
    return OCCASIONS.has(norm) || OCCASIONS.has(one) || again.has(stem(norm));
  });
}

/** "Sarah from finance": somebody by their name, and where they work. */
export function isSomebody(before: string): boolean {
  const named = /^\s*\p{Lu}\p{Ll}+(?: (?:from|in|of) (?<place>.+))?\s*$/u.exec(before);
  return named !== null && saysWhy(named.groups?.["place"] ?? "", "");
}

/** Signs as people say them. */
const SAID: readonly (readonly [RegExp, string])[] = [
  [/[-=]+>|→/g, " "],
  [/>=|≥/g, " at least "],
  [/<=|≤/g, " at most "],
  [/!=|<>|≠|(?<=\s)!(?=\p{L})/gu, " not "],
  [/>/g, " more than "],
  [/</g, " less than "],
];

/** A question with words in the place of signs that compare: a sign that nobody reads would be left out. */
export function inWords(text: string): string {
  return SAID.reduce((said, [sign, words]) => said.replaceAll(sign, words), text);
}

/** Flags and pictures of things, signs of reckoning, and what is taken away by a sign before it. */
const UNREAD = /\p{RI}{2}|\p{Emoji_Presentation}|(?<=\S\s+)[×÷*~^](?=\s)|(?<=\S\s+)[-−](?=\p{L}{3})/gu;
/** Pictures that only say how something is meant. */
const MOODS =
  /[😀-🙏🤐-🤯🥰-🥺🫠-🫨👀-👏👋💡💪💫💬💯💰-💹📅📆📈-📊📌📝📣🔎🔍🔥🎉🎊🎯🏁🏆🚀✨✅⭐🌟🧐❓❔❗⏰⏳]/u;

/** A sign that tells things apart, and of which nobody can say how. */
export function unreadSign(text: string): { text: string; start: number; end: number } | undefined {
  const found = [...text.matchAll(UNREAD)].find(([sign]) => !MOODS.test(sign));
  if (found === undefined) return undefined;
  const [sign] = found;
  return { text: sign, start: found.index, end: found.index + sign.length };
}

const DENIES = /(?<!\p{L})(?:excluding|except(?: for)?|without|ohne|außer|ausgenommen|exklusive)(?!\p{L})/giu;
const JOINS =
  /^(?:\s*,\s*(?:and|or|und|oder|&)?\s*|\s+(?:and|or|und|oder|&)\s+)(?:(?:the|any|die|der|das)\s+)?/iu;
/** Words of one value. */
const LONGEST = 4;

/** Fields that have a value by this name; none where it is none. */
type FieldsOf = (words: string) => readonly string[];

/** "excluding Germany and accessories": what is joined is left out as well, also where it is of another field. */
export function deniedAll(text: string, fieldsOf: FieldsOf): string {
  let put = text;
  for (const { 0: word, index } of [...text.matchAll(DENIES)].toReversed()) {
    const from = index + word.length;
    put = put.slice(0, from) + deniedIn(put.slice(from), word, fieldsOf);
  }
  return put;
}

function deniedIn(behind: string, word: string, fieldsOf: FieldsOf): string {
  const lead = /^\s+(?:(?:the|any|die|der|das)\s+)?/iu.exec(behind)?.[0] ?? "";
  let last = valueAt(behind.slice(lead.length), fieldsOf);
  let said = lead + (last?.text ?? "");
  let rest = behind.slice(said.length);
  while (last !== undefined) {
    const join = JOINS.exec(rest)?.[0];
    const next = join === undefined ? undefined : valueAt(rest.slice(join.length), fieldsOf);
    if (join === undefined || next === undefined) break;
    const { fields } = last;
    const isSame = next.fields.some((field) => fields.includes(field));
    said += isSame ? join + next.text : ` and ${word} ${next.text}`;
    rest = rest.slice(join.length + next.text.length);
    last = next;
  }
  return said + rest;
}

function valueAt(text: string, fieldsOf: FieldsOf): { text: string; fields: readonly string[] } | undefined {
  for (let words = LONGEST; words > 0; words -= 1) {
    const [said] =
      new RegExp(String.raw`^[\p{L}\p{N}-]+(?: [\p{L}\p{N}-]+){${words - 1}}`, "u").exec(text) ?? [];
    const fields = said === undefined ? [] : fieldsOf(said);
    if (said !== undefined && fields.length > 0) return { text: said, fields };
  }
  return undefined;
}

/** The fields of which a word is a value, of one or of several. */
export function fieldsWith(norms: readonly string[], values: Vocabulary["values"]): string[] {
  const forms = norms.flatMap((norm) => [norm, norm.replace(/s$/, ""), norm.replace(/(?:en|n|e)$/, "")]);
  const entries = forms.flatMap((form) => (values.get(form) ?? []) as { sense: Valued }[]);
  return [...new Set(entries.flatMap(({ sense: { cond, rel } }) => (cond ?? rel?.if)?.key?.field ?? []))];
}

/** What a value says: of which field it is, or of whose name. */
interface Valued {
  cond?: { key?: { field: string } };
  rel?: { if?: { key?: { field: string } } };
}

/** Words by which two are compared without a third, and what stands between the two. */
const MORE =
  /(?<![\p{L}\d])(?:more often|more frequently|more|fewer|less|higher|lower|larger|smaller|bigger|longer|shorter|mehr|weniger|höher|niedriger|größer|kleiner|länger|kürzer|öfter|häufiger)(?![\p{L}])/giu;
const PREPOSITION = "by|via|per|from|in|for|with|of|at|on|through|using|bei|mit|aus|von|für|über|im|an|auf";
const PAIR = new RegExp(
  String.raw`(?:,\s*|\b(${PREPOSITION})\s+)?(?:the\s+|more\s+|mehr\s+)?([\p{L}\p{N}-]+(?:\s[\p{L}\p{N}-]+)??)\s+(?:or|oder)\s+(?:(?:${PREPOSITION}|more|mehr|the)\s+)*([\p{L}\p{N}-]+(?:\s[\p{L}\p{N}-]+)?)`,
  "iu",
);
const OPENER =
  /^\s*(?:(?:did|do|does|have|has|had|is|are|was|were)\s+(?:we|there|our|you)?\s*(?:get|have|had|receive|make|see)?|who|what|(?:haben|hatten|bekommen|bekamen|gibt|gab|ist|sind|war|waren)\s+(?:wir|es)?|wer)\b/iu;

/** Where a comparative stood. */
const MARK = "⁂";

/**
 * "did we get more tickets by phone or by chat" compares the number of both, "is the price higher in A or in B" the
 * price: written as a comparison of the two, where both are values of the data.
 */
export function eitherOr(
  text: string,
  { isValue, isRows }: { isValue: (word: string) => boolean; isRows: (word: string) => boolean },
  words: { compare: string; of: string; and: string; count: string },
): string {
  const pair = /\b(?:than|als)\b/i.test(text) || text.search(MORE) === -1 ? null : PAIR.exec(text);
  if (pair === null) return text;
  const [whole, , left = "", right = ""] = pair;
  const a = namedIn(left, isValue, "last");
  const b = namedIn(right, isValue, "first");
  if (a === undefined || b === undefined) return text;
  const after = `${right.slice(b.length)}${text.slice(pair.index + whole.length)}`
    .replaceAll(MORE, " ")
    .trim();
  // What stands beside the names is no part of them.
  const before = `${text.slice(0, pair.index)} ${left.slice(0, left.length - a.length)}`.replace(OPENER, "");
  const counted = (noun: string) => (isRows(noun) ? `${words.count} ${noun}` : noun);
  const said = before
    .replaceAll(MORE, MARK)
    .replace(new RegExp(`${MARK}\\s+([\\p{L}-]+)`, "u"), (_, noun: string) => counted(noun))
    .replace(new RegExp(`([\\p{L}-]+)\\s+${MARK}`, "u"), (_, noun: string) => counted(noun))
    .replaceAll(MARK, "")
    .trim();
  // "more urgent or more low tickets"
  const [, noun = "", rest = ""] = /^([\p{L}-]+)(.*)$/su.exec(after) ?? [];
  const isBehind = said === "" && isRows(noun);
  const what = isBehind ? counted(noun) : said;
  return `${words.compare} ${what} ${words.of} ${a} ${words.and} ${b} ${isBehind ? rest : after}`;
}

/** The words of a stretch that are a value: all of them, or those next to the other. */
function namedIn(
  text: string,
  isValue: (word: string) => boolean,
  side: "first" | "last",
): string | undefined {
  if (isValue(fold(text))) return text;
  const parts = text.split(" ");
  const near = (side === "first" ? parts[0] : parts.at(-1)) ?? "";
  return isValue(fold(near)) ? near : undefined;
}

/** Whether data have a value by this name, of one or of several. */
export function isValue(word: string, values: ReadonlyMap<string, unknown>): boolean {
  return [word, word.replace(/s$/, ""), word.replace(/(?:en|n|e)$/, "")].some((each) => values.has(each));
}
