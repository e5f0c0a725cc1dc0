import { withGoals } from "../english/phrasing.ts";
import type { Vocabulary } from "../language.ts";
import { GLOSSARY } from "./glossary.ts";
import { asParticiples } from "./order.ts";
import { foldGerman, stemGerman } from "./stem.ts";

/** "wie viel hat Anna gekauft": for how much. */
const SPENT =
  /(?<=\bwie\s?viel (?:geld )?(?:hat|haben|hatten?)\b[^?.]*)\bverkauft\b|(?<=\bwie\s?viel (?:geld )?(?:hat|haben|hatten?) (?!wir\b)[^?.]*)\b(?:(?:ge|einge)kauft|ausgegeben)\b/gi;

/** "Wie viele Tage dauert es im Schnitt, bis eine Rechnung bezahlt wird?" */
const TAKES =
  /\bwie\s+(?:lange|viele\s+(Tage|Stunden|Minuten))\s+(?:dauert|dauern|dauerte|vergehen|vergeht|braucht|brauchen)\b(?:\s+es)?([^?]*?),?\s+bis(?:\s+zu[rm]?)?\s+([^?]*?)\??\s*$/iu;
const ON_AVERAGE =
  /\b(?:im (?:schnitt|durchschnitt|mittel)|durchschnittlich|normalerweise|meist(?:ens)?)\b/giu;
/** "Zeit, bis eine Bestellung verschickt wird" */
const UNTIL =
  /\b(zeit|dauer|tage|stunden|minuten),? bis (?:(?:eine?[rmns]?|der|die|das|unsere?) )?((?:\p{L}+ ){1,3}?)(\p{Ll}{5,}(?:t|en)) (?:wird|werden|ist|sind|wurde|war|hat)(?!\p{L})/iu;

const NUMBERS: ReadonlyMap<string, string> = new Map(
  "zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn achtzehn neunzehn zwanzig"
    .split(" ")
    .map((word, i) => [word, String(i + 2)]),
);

const GOAL = String.raw`(?:(?:ihre?[nms]?|seine?[nms]?|unsere?[nms]?|das|die|den|der|dem)\s+)?(?:umsatz|jahres|monats|quartals)*-?(?:ziele?n?s?|vorgaben?|plan|planzahlen|budgets?|soll)`;
/** How it is said of a target in English, where the number is known by which it was reached. */
const GOALS: readonly (readonly [RegExp, string])[] = [
  ...[
    [
      "missed its target",
      String.raw`(?:verfehl\p{L}+|nicht (?:ganz )?(?:erreich\p{L}*|geschafft|erfüll\p{L}+))`,
    ],
    [
      "exceeded its target",
      String.raw`(?:übertr[aeio]ff\p{L}*|übertraf\p{L}*|überschritten|übererfüll\p{L}+)`,
    ],
    ["reached its target", String.raw`(?:erreich\p{L}*|geschafft|erfüll\p{L}+)`],
  ].map(
    ([meant = "", verb = ""]) => [said(`${GOAL}\\s+${verb}(?:\\s+(?:haben|hat|hatten?))?`), meant] as const,
  ),
  [
    said(
      String.raw`(?:unter|hinter) ${GOAL}(?: (?:zurück)?(?:lag(?:en)?|liegt|liegen|blieb(?:en)?|geblieben))?`,
    ),
    "missed its target",
  ],
  [said(String.raw`über ${GOAL}(?: (?:lag(?:en)?|liegt|liegen))?`), "exceeded its target"],
];

function said(pattern: string): RegExp {
  return new RegExp(String.raw`(?<!\p{L})(?:${pattern})(?!\p{L})`, "iu");
}

/** One after the other, each on what the one before it has made. */
const REWRITES: readonly (readonly [RegExp, string])[] = [
  // "an wie vielen Tagen lag der Umsatz über": wie viele hatten so viel.
  [
    /\b(?:an|in) wie ?vielen (Tage|Woche|Monate|Quartale|Jahre)n\b([^?]*?)\s(?:lag(?:en)?|war(?:en)?) (?:(?:der|die|das|unser\p{L}*) )?([^?]*)/iu,
    "wie viele $1 hatten $3 $2",
  ],
  [/(?<!\p{L})(?:meist|best)verkauften? (?=.* nach (?:stück|menge|absatz|umsatz|einheit))/iu, "beste "],
  [/\bkein(?:\s+einziges)?\s+mal\b/giu, "nie"],
  [/\bwie ?viel geld\b/giu, "wie viel"],
  [
    /^\s*(?:(?:eine|die|zeige?|gib mir|bitte|mir) )*liste (?:aller|der|von(?: allen)?|mit(?: allen)?|unserer) /iu,
    "alle ",
  ],
  // "wie viele Bestellungen macht ein Kunde im Schnitt", "hatten wir durchschnittlich pro Filiale"
  [
    /\bwie ?viele? (\p{Lu}\p{L}+) (?:hat|haben|macht|enthält|umfasst|kauft|bestellt|bringt|tätigt) (?:eine?|jede[rs]?) (\p{Lu}\p{L}+)([^?]*?)\b(?:im (?:schnitt|durchschnitt|mittel)|durchschnittlich)(?!\p{L})/iu,
    "durchschnittliche Anzahl $1 pro $2 $3",
  ],
  [
    /\bwie ?viele (\p{Lu}\p{L}+)([^?]*?) (?:im (?:schnitt|durchschnitt|mittel)|durchschnittlich)(?= (?:\S+ ){0,2}(?:pro|je) )/iu,
    "durchschnittliche Anzahl $1$2",
  ],
  [SPENT, "umgesetzt"],
  [/(?<=\b(?:aller?|sämtlicher?)\b[^?]*)\bzusammen\b/iu, "insgesamt"],
  [/\b(?:um|zu) (?:wie ?viel uhr|welcher (?:uhrzeit|tageszeit))\b/i, "in welcher Stunde"],
  [/^(.{0,30}\b)?zahlen(?=\s+(?:für|von|zu|aus|vom|im|der|des)\b)/i, "$1"],
  [/\bkoste[nt](?=\s+(?:mehr|weniger|über|unter|mindestens|höchstens|maximal)\b)/u, "Preis"],
  [/\bwas koste(?:t|n|te|ten) (?=\S)/iu, "Preis von "],
  // "der letzten Bestellung"
  [
    /\bwann (?:hat|haben) (.+?) (?:zuletzt|das letzte mal|zum letzten mal) (?:bestellt|gekauft)/iu,
    "when was the last order of $1",
  ],
  [
    /\bwann (?:hat|haben) (.+?) (?:zuerst|das erste mal|zum ersten mal|erstmals) (?:bestellt|gekauft)/iu,
    "when was the first order of $1",
  ],
  [/(?<=\bneue[nr]? \p{L}+\b[^?.,]*)\b(?:hinzu|dazu)?ge(?:wonnen|kommen)\b/iu, ""],
  [/\bweder ((?:\S+ ){1,4}?)noch(?= \S)/giu, "nicht $1oder"],
  [/\bnicht (?=nur|immer|ausschließlich)/giu, "nicht-"],
  [/\b(?:an)?zahl (?:der|von|an)\b/giu, "Anzahl"],
  [/\bsowohl (.+?),? als auch\b/iu, "both $1 und"],
  [
    /\b(zweit|dritt|viert|fünft)(?=(?:best|schlechtest|höchst|niedrigst|größt|kleinst|meist|stärkst|schwächst|teuerst)e)/giu,
    "$1 ",
  ],
  // "der Online-Anteil am Umsatz"
  [/(\p{L}{3,})-?anteil (am|an) (\p{Lu}\p{L}+)/iu, "Anteil $2 $3 von $1"],
  [/\b(?:von )?monat (?:zu|auf|über) monat\b|\bim monatsvergleich\b/i, "month over month"],
  [/\b(?:von )?quartal (?:zu|auf|über) quartal\b|\bim quartalsvergleich\b/i, "quarter over quarter"],
  [/\b(?:von )?jahr (?:zu|auf|über) jahr\b|\bim jahresvergleich\b/i, "year over year"],
];

const PARTICIPLE = String.raw`(\p{Ll}{4,}(?:t|en))(?!\p{L})`;
/** What belongs to a verb at the end, where the verbs stand as they do in English. */
const BEHIND: readonly (readonly [RegExp, string])[] = [
  // "mindestens 3 mal bestellt": nothing of which there are three.
  [
    new RegExp(
      String.raw`((?:(?:mehr|weniger|öfter|häufiger) als |mindestens |höchstens |genau |nur |lediglich )?(?:\d+ mal|einmal)) ${PARTICIPLE}`,
      "iu",
    ),
    "$2 $1",
  ],
  // "am häufigsten zurückgegeben": wovon es die meisten gab.
  [
    /(?<!\p{L})am (?:häufigsten|meisten|öftesten) (?:zurück(?:gegeben|geschickt|gesandt)|retourniert)(?!\p{L})/iu,
    "mit den meisten Retouren",
  ],
  [/(?<!\p{L})am (?:häufigsten|öftesten) bestellt(?!\p{L})/iu, "mit den meisten Bestellungen"],
  [said(String.raw`(zuletzt|zuerst|als letzte[rs]?|als erste[rs]?) ${PARTICIPLE}`), "$2 $1"],
];

/** What begins is new, whether that is said or not. */
const BEGUN =
  /(?<!\p{L})(?:eingeführt|eröffnet|registriert|angemeldet|eingestellt|aufgemacht|hinzugekommen|dazugekommen)(?!\p{L})/u;

/** Says behind a verb how often it was done. */
export function behindVerbs(text: string): string {
  const once = BEGUN.test(text) ? text.replace(/(?<!\p{L})neu(?!\p{L})/u, "") : text;
  return BEHIND.reduce((last, [pattern, meant]) => last.replace(pattern, meant), once);
}

/** Numbers as digits, verbs as participles, and what is said in a way of its own as the rules know it. */
export function plain(text: string, vocabulary: Vocabulary): string {
  const counted = asParticiples(inDigits(text))
    .replace(TAKES, (_, unit: string | undefined, more: string, until: string) => {
      const when = `${until} ${more}`.replaceAll(ON_AVERAGE, "");
      return `Durchschnitt Zeit bis ${when}${unit === undefined ? "" : ` in ${unit}`}`;
    })
    .replace(UNTIL, "$1 bis $3 $2");
  const whole = REWRITES.reduce((last, [pattern, meant]) => last.replace(pattern, meant), counted);
  return aimed(toPlaces(whole, vocabulary), vocabulary.phrases);
}

/** Of what goes from one place to another, "nach" says to which. */
const RIDES = /(?<!\p{L})(?:fahrt|flug|flüge|reise|tour|trip|ride|zug|züge|bus)\p{L}*/iu;

/** "gingen nach Brasilien": before a name of the data it is where, and not by what. */
function toPlaces(text: string, { values }: Vocabulary): string {
  if (RIDES.test(text)) return text;
  const isName = (norm: string) =>
    values.has(norm) || (GLOSSARY.get(stemGerman(norm)) ?? []).some(({ norms }) => values.has(norms));
  return text.replaceAll(
    /(?:(?<!\p{L})(?:gehen|geht|ging(?:en)?|gegangen)(?!\p{L})(.*?))? nach (\p{Lu}\p{L}+)/gu,
    (said, between: string | undefined, name: string) =>
      isName(foldGerman(name)) ? `${between ?? ""} in ${name}` : said,
  );
}

function inDigits(text: string): string {
  return text.replaceAll(/\p{L}+/gu, (word) => {
    const times = /^(.+?)mal$/i.exec(word)?.[1];
    const often = times === undefined ? undefined : NUMBERS.get(times.toLowerCase());
    return often === undefined ? (NUMBERS.get(word.toLowerCase()) ?? word) : `${often} mal`;
  });
}

/** "ihr Ziel verfehlt": what is said of targets, where it is known how much of them was reached. */
function aimed(text: string, phrases: Vocabulary["phrases"]): string {
  const [pattern, meant = ""] = GOALS.find(([each]) => each.test(text)) ?? [];
  if (pattern === undefined) return text;
  const english = text.replace(pattern, ` ${meant} `).replace(/^\s*(?:hat|haben|hatten?)\b/i, "did");
  const read = withGoals(english, phrases);
  return read === english ? text : read;
}
