import { lookUp } from "../../../dates/words.ts";
import type { Vocabulary } from "../language.ts";
import { GLOSSARY } from "./glossary.ts";
import { foldGerman, stemGerman } from "./stem.ts";

interface Stretch {
  start: number;
  end: number;
}

/** Where a clause ends: at marks, before `als` and `aber`, but not in `mehr als 5`, and where a verb follows `und`. */
const CLAUSE_END =
  /[,;:!?](?=\s|$)|\.\s*$|\s(?=als\s+(?!\d))|\s(?=als\s+\d{4}\b)|\s(?=aber\s)|\s(?=und\s+(?:sind|ist|waren?|wurden?|haben|hat|hatten?|noch|nicht|nie|kein\p{L}*)\s)/giu;
const PARTICLES = new Set(
  "ab an auf aus bei ein her hin mit nach vor weg zu zurück zurueck zusammen".split(" "),
);
const AUXILIARY =
  /^(haben|hat|hatte|hatten|wird|werden|wurde|wurden|worden|sind|ist|war|waren|liegt|liegen|lag|lagen|habe)$/i;
/** "der Umsatz am niedrigsten" */
const LOWEST_LAST = /\s(\p{L}{4,})\s+(am\s+(?:höchsten|niedrigsten|größten|geringsten|kleinsten))\s*$/iu;
/** "in Bern nicht verkauft": was not sold there. */
const DENIED_LAST =
  /\s((?:in|im|aus|bei|beim|über)\s+(?:(?:der|dem|den)\s+)?\p{Lu}[\p{L}-]*)\s+((?:noch\s+)?(?:nicht|nie)(?:\s+mehr)?)\s+(\p{Ll}+)\s*$/u;
const AFTER_VERB =
  /\s(?:wuchs(?:en)?|stieg(?:en)?|haben|hat|hatten?|wurden?|sind|ist|war(?:en)?|gab(?: es)?|gibt(?: es)?|liegt|liegen|lag|lagen|\p{Ll}+[^s]ten?)\s*$/u;
const GROWTH_LAST =
  /(am\s+\p{L}+sten)\s+((?:gewachsen|gestiegen|angestiegen|anstieg|zugelegt|zulegte|zugenommen|zunahm)(?:n|en)?\s*)$/iu;
/** What follows is said of the last noun. */
const RELATIVE = /^,\s*(?:die|der|das|den|dem|deren|dessen|welche)\b/i;
const PARTICIPLE =
  /^(?:(?:ab|an|auf|aus|ein|zu|zurück)\p{Ll}{3,}(?:te|ten|t|en)|\p{Ll}{0,8}ge\p{Ll}{3,}(?:t|en)|(?:be|ver|er|ent|zer)\p{Ll}{2,}t|\p{Ll}{3,}iert)$/u;
/** Between dates that belong together. */
const JOINT =
  /^\s*(?:und|oder|bis|vs\.?|gegenüber|im vergleich (?:zu|mit)|mit|,)?\s*(?:dem|den|der|in|im|zum|zur)?\s*$/i;
const BEFORE_DATE = /(?:^|\s)(?:in|im|am|an|seit|während|für)(?:\s+(?:den|dem|der|das))?\s*$/i;

/**
 * Writes the clauses of a question in the order of English: what belongs to a verb at the end of a clause comes after
 * it, and a verb that was parted is one word again.
 */
export function inOrder(
  said: string,
  datesIn: (text: string) => readonly Stretch[],
  isKnown: (norm: string) => boolean,
): string {
  // From one period to another: dates are joined by "bis".
  const text = byClause(
    said
      .replaceAll(/(?<=\d) auf (?=(?:\p{L}{1,14}\s?)?\d)/gu, " bis ")
      // "2025 aber nicht"
      .replace(/,\s+([^,]{3,25}?)\s+aber\s+nicht(?:\s+mehr)?/iu, ", aber nicht $1"),
    isKnown,
  );
  const dates = datesIn(text);
  let start = 0;
  const written: string[] = [];
  for (const end of clauseEnds(text, dates)) {
    const own = dates.filter((date) => date.start >= start && date.end <= end);
    const clause = text.slice(start, end);
    const from = start;
    written.push(
      ordered(
        clause,
        own.map((date) => ({ start: date.start - from, end: date.end - from })),
        RELATIVE.test(text.slice(end)),
      ),
    );
    start = end;
  }
  return written.join("");
}

function byClause(text: string, isKnown: (norm: string) => boolean): string {
  let start = 0;
  return clauseEnds(text, [])
    .map((end) => {
      const clause = text.slice(start, end);
      start = end;
      return rejoined(clause, isKnown);
    })
    .join("");
}

function clauseEnds(text: string, dates: readonly Stretch[]): number[] {
  const ends = [...text.matchAll(CLAUSE_END)]
    .map(({ index }) => index)
    .filter((index) => !dates.some(({ start, end }) => index > start && index < end));
  return [...ends, text.length];
}

function ordered(clause: string, dates: readonly Stretch[], isHead: boolean): string {
  const groups = joined(clause, dates);
  const plain = withoutDates(clause, groups);
  const words = plain.rest.trimEnd().split(/\s+/);
  const isVerbLast = endsInVerb(words);
  const said = groups.map(({ start, end }) => clause.slice(start, end).trim()).join(" ");
  if (groups.length > 0 && /(^|\s)nicht(\s+mehr)?\s*$/i.test(clause) && !isVerbLast)
    return `${plain.rest.replace(/\s+mehr\s*$/i, "")} ${said}`;
  // "hatten 2025 kein Ticket": what happened then follows.
  const isEarly = groups.length === 1 && !isHead && AFTER_VERB.test(clause.slice(0, groups[0]?.start));
  const first = LOWEST_LAST.exec(plain.rest);
  if (first !== null) return `${plain.rest.replace(LOWEST_LAST, " $2 $1")} ${said} `;
  if (!isVerbLast) return isEarly ? `${plain.rest} ${said} ` : clause;
  const verbs = plain.rest.replace(GROWTH_LAST, "$2 $1 ").replace(DENIED_LAST, " $2 $3 $1 ");
  return groups.length === 0 ? verbs : `${verbs} ${said} `;
}

/** Dates with what stands between them, and the preposition before them. */
function joined(clause: string, dates: readonly Stretch[]): Stretch[] {
  const groups: Stretch[] = [];
  for (const { start, end } of dates) {
    const last = groups.at(-1);
    if (last !== undefined && JOINT.test(clause.slice(last.end, start))) last.end = end;
    else {
      const before = BEFORE_DATE.exec(clause.slice(0, start))?.[0] ?? "";
      groups.push({ start: start - before.length, end });
    }
  }
  return groups;
}

function withoutDates(clause: string, groups: readonly Stretch[]): { rest: string } {
  let rest = "";
  let at = 0;
  for (const { start, end } of groups) {
    rest += `${clause.slice(at, start)} `;
    at = end;
  }
  return { rest: rest + clause.slice(at) };
}

function endsInVerb(words: readonly string[]): boolean {
  const last = words.at(-1) ?? "";
  return words.length > 2 && (AUXILIARY.test(last) || PARTICIPLE.test(last));
}

/** `legte … zu` is `… zulegte`, where that is a word that is known. */
function rejoined(clause: string, isKnown: (norm: string) => boolean): string {
  const match = /^(.*\S)\s+(\p{L}+)(\s*)$/su.exec(clause);
  const particle = match?.[2]?.toLowerCase() ?? "";
  if (match === null || !PARTICLES.has(particle)) return clause;
  let verb: string | undefined;
  const rest = (match[1] as string).replaceAll(/\p{L}+/gu, (word) => {
    const whole = foldGerman(particle + word);
    const isVerb = GLOSSARY.has(stemGerman(whole)) || PARTICIPLES.has(whole) || isKnown(whole);
    if (verb !== undefined || !isVerb) return word;
    verb = PARTICIPLES.get(whole) ?? particle + word.toLowerCase();
    return "";
  });
  return verb === undefined ? clause : `${rest} ${verb}${match[3]}`;
}

/** What was done, as it is said after "haben" and "wurden"; what is parted in other forms has a dash. */
const DONE = `auf-gemacht zu-gemacht ein-geführt ein-gestellt an-gemeldet ab-gemeldet auf-gegeben ein-gekauft ab-gesetzt um-gesetzt
  zurück-geschickt zurück-gesandt zurück-gegeben aus-geliefert zu-gestellt ab-geholt an-gelegt ein-gereicht ab-gelehnt
  ein-gebracht ein-gelöst ab-geschickt ab-gewickelt her-gestellt aus-gegeben ab-gebrochen
  -gekauft -geliefert -gebucht -gelöst -gemeldet -gezahlt -gemietet -geprüft -gekündigt -geöffnet -gestartet -gemahnt
  bestellt verkauft eröffnet bezahlt storniert registriert retourniert erstattet verschickt versendet erledigt bewertet
  beantwortet bearbeitet repariert reklamiert beauftragt veröffentlicht genehmigt beliefert besucht erstellt verfehlt
  übertroffen erreicht`;

/** Forms that are not made of the others. */
const STRONG = `aufgegeben: gab-auf gaben-auf
zurückgegeben: gab-zurück gaben-zurück
zurückgesandt: sandte-zurück sandten-zurück
ausgegeben: gab-aus gaben-aus gibt-aus geben-aus
geschlossen: schloss schlossen
abgeschlossen: schloss-ab schlossen-ab
übertroffen: übertraf übertrafen übertrifft übertreffen`;

/** The participle by each other form: "eröffneten" is "eröffnet", and "einführten" is "eingeführt". */
const PARTICIPLES: ReadonlyMap<string, string> = new Map([
  ...DONE.trim().split(/\s+/).flatMap(formsOf),
  ...STRONG.split("\n").flatMap((line) => {
    const [participle = "", forms = ""] = line.split(": ");
    return forms.split(" ").map((form): [string, string] => [foldGerman(whole(form)), participle]);
  }),
]);

/** "gab-auf" is "aufgab" at the end of a clause. */
function whole(form: string): string {
  const [verb = "", particle = ""] = form.split("-");
  return particle + verb;
}

function formsOf(participle: string): [string, string][] {
  const [particle = "", verb = ""] = participle.includes("-") ? participle.split("-") : ["", participle];
  const root = /^(?:ge)?(.+?)e?t$/.exec(verb)?.[1];
  if (root === undefined) return [];
  const link = /[dt]$|[^aeiourl][mn]$/.test(root) ? "e" : "";
  const own = participle.replace("-", "");
  return ["t", "te", "ten"]
    .map((ending): [string, string] => [foldGerman(`${particle}${root}${link}${ending}`), own])
    .concat([[foldGerman(`${particle}${root}en`), own]])
    .filter(([form]) => form !== foldGerman(own));
}

/** Verbs as participles, whatever the tense: what was done is known by these. */
export function asParticiples(text: string): string {
  return text.replaceAll(
    /(?<!\p{L})\p{Ll}{5,}(?!\p{L})/gu,
    (word) => PARTICIPLES.get(foldGerman(word)) ?? word,
  );
}

/** Words of grammar that form one word with a number or with a noun. */
const GRAMMAR_PARTS = new Set(
  "gesamt durchschnitt anteil wachstum zuwachs steiger verander summe anzahl zahl median vergleich entwickl verlauf".split(
    " ",
  ),
);
const COUNTS = new Set(["anzahl", "zahl"]);

/** Periods at the beginning of a word: revenue of a month is monthly, but of a year it is that of the year. */
const PERIODS = new Map([
  ["tages", "täglich"],
  ["wochen", "wöchentlich"],
  ["monats", "monatlich"],
  ["quartals", "quartalsweise"],
  ["jahres", ""],
]);

const SUPERLATIVE = /^(.{3,}?)(starkst|schwachst|reichst|armst|hochst|niedrigst)(?:e[nrsm]?)?$/;
const SHORTEST = 3;

/** Writes compounds as their parts where the model knows these: `Monatsumsätze` are `monatlich Umsätze`. */
export function withParts(
  text: string,
  vocabulary: Vocabulary,
  isGrammar: (norm: string) => boolean,
): string {
  return withNumbersLast(text, vocabulary).replaceAll(
    /\p{L}[\p{L}\p{M}]*(?:[-–]\p{L}[\p{L}\p{M}]*)*/gu,
    (word) => {
      const whole = foldGerman(word);
      if (isKnown(whole, vocabulary) || vocabulary.words.values.has(whole)) return word;
      if (isGrammar(whole) || lookUp(whole).length > 0) return word;
      if (/[-–]/.test(word)) {
        const parts = word.split(/[-–]/);
        return parts.some(
          (part) => isKnown(foldGerman(part), vocabulary) || vocabulary.words.values.has(foldGerman(part)),
        )
          ? parts.map((part) => withParts(part, vocabulary, isGrammar)).join(" ")
          : word;
      }
      return partsOf(whole, vocabulary)?.join(" ") ?? word;
    },
  );
}

/** "der umsatzstärkste Monat" is the month with the highest revenue. */
function withNumbersLast(text: string, vocabulary: Vocabulary): string {
  return text.replaceAll(
    /(?<!\p{L})(\p{Ll}{6,})\s+(\p{Lu}\p{L}{3,})(?!\p{L})/gu,
    (said, word: string, noun: string) => {
      const [, of = "", end = ""] = SUPERLATIVE.exec(foldGerman(word)) ?? [];
      return isKnown(of, vocabulary) ? `${noun} mit ${degreeOf(end)} ${of}` : said;
    },
  );
}

function degreeOf(end: string): string {
  return /^(schwach|arm|niedrig)/.test(end) ? "niedrigste" : "höchste";
}

function partsOf(word: string, vocabulary: Vocabulary): string[] | undefined {
  const first = SUPERLATIVE.exec(word);
  // `umsatzstärkste`: of the highest revenue.
  if (first !== null && isKnown(first[1] as string, vocabulary))
    return [degreeOf(first[2] as string), first[1] as string];
  if (/^(meist|best)verkauft/.test(word) && isKnown("absatz", vocabulary)) return ["höchste", "Absatz"];
  if (/^meist(?=.{5})/.test(word)) return ["meiste", word.slice(5)];
  for (const [prefix, adjective] of PERIODS) {
    const rest = word.slice(prefix.length);
    if (word.startsWith(prefix) && isKnown(rest, vocabulary)) return [adjective, rest];
  }
  const parts = split(word, vocabulary, 3);
  const last = stemGerman(parts?.at(-1) ?? "");
  if (parts === undefined || !COUNTS.has(last)) return parts;
  // `Kundenzahl`: a metric by that name, or the number of customers.
  const isName = (GLOSSARY.get(stemGerman(parts[0] as string)) ?? []).some(({ stems }) =>
    vocabulary.phrases.has(`${stems} count`),
  );
  return isName ? parts : ["Anzahl", ...parts.slice(0, -1)];
}

/** The fewest parts that are all known; of those, the longest first. Endings between them are part of the stem. */
function split(word: string, vocabulary: Vocabulary, most: number): string[] | undefined {
  if (most > 1) {
    for (let end = word.length - SHORTEST; end >= SHORTEST; end -= 1) {
      const head = word.slice(0, end);
      const rest = word.slice(end);
      if (isPart(head, vocabulary) && isPart(rest, vocabulary)) return [head, rest];
    }
    for (let end = word.length - SHORTEST; end >= SHORTEST; end -= 1) {
      const head = word.slice(0, end);
      const rest = isPart(head, vocabulary) ? split(word.slice(end), vocabulary, most - 1) : undefined;
      if (rest !== undefined) return [head, ...rest];
    }
  }
  return undefined;
}

function isPart(norm: string, vocabulary: Vocabulary): boolean {
  return GRAMMAR_PARTS.has(stemGerman(norm)) || isKnown(norm, vocabulary);
}

/** Whether the model has the word, in German or in English. */
function isKnown(norm: string, { words, values }: Vocabulary): boolean {
  const stem = stemGerman(norm);
  if (words.names.has(stem) || (norm.length > SHORTEST && values.has(norm))) return true;
  return (GLOSSARY.get(stem) ?? []).some(
    ({ stems, norms }) => stems.split(" ").every((word) => words.names.has(word)) || values.has(norms),
  );
}
