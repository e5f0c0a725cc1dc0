import type { Unit } from "./values.ts";

/** English and German words for one thing. */
export type Said = readonly [english: string, german?: string];

/** Words that stand for nothing but themselves, in either language. */
export const THEMSELVES =
  "by early as up date so calendar fytd fy cy q h w c ytd qtd mtd wtd yoy qoq mom wow equal is thousands";

/** Marks, by what they stand for. */
export const MARKS: Readonly<Record<string, string>> = {
  dash: "- – —",
  to: "- – — ~ -- .. ... …",
  slash: "/",
  dot: ".",
  comma: ",",
  apostrophe: "' ’",
  possessive: "'s ’s",
  of: "'s ’s",
  s: "'s ’s",
  below: "<",
  above: ">",
  equal: "=",
  upto: "≤",
  atleast: "≥",
};

/** What patterns call by one word. A star stands for the endings of a German adjective. */
export const WORDS: Readonly<Record<string, Said>> = {
  the: [
    "the both including whole entire full",
    "der die das den dem zum zur einschließlich inklusive ganz* gesamt*",
  ],
  a: ["a an", "ein eine einem einen einer"],
  of: ["of", "des der vom von"],
  in: [
    "in during for on at within throughout over",
    "in im während am für zum zur über an beim binnen innerhalb",
  ],
  on: ["on", "am"],
  from: ["from", "von vom"],
  to: ["to till til until through thru", "bis"],
  until: ["until till til through thru", "bis"],
  per: ["per each every", "nach pro je jede jeden jedes jeder"],
  and: ["and", "und"],
  or: ["or", "oder"],
  between: ["between", "zwischen"],
  since: ["since", "seit"],
  before: ["before", "vor"],
  after: ["after", "nach"],
  starting: ["starting beginning commencing effective", "ab beginnend"],
  ending: ["ending ended", "endend"],
  last: [
    "last past previous prior preceding trailing rolling",
    "letzt* vergangen* vorig* vorherig* vorangegangen* zurückliegend*",
  ],
  past: ["past trailing rolling"],
  latest: ["last"],
  lasting: ["over within"],
  next: ["next coming upcoming following", "nächst* kommend* folgend*"],
  this: ["this current", "dies* aktuell* laufend* heurig*"],
  first: ["first", "erst*"],
  same: ["same", "selb* gleich* derselbe dieselbe dasselbe demselben desselben derselben"],
  that: ["that", "jen*"],
  ago: ["ago", "vor"],
  mid: ["mid middle", "mitte"],
  late: ["late", "spät*"],
  start: ["start beginning", "anfang beginn"],
  end: ["end", "ende"],
  earlier: ["earlier", "früher"],
  later: ["later", "später"],
  onwards: ["onwards onward"],
  onto: ["on", "an"],
  more: ["more greater", "mehr"],
  less: ["less fewer", "weniger"],
  than: ["than", "als"],
  prior: ["prior previous"],
  no: ["no not", "nicht"],
  rest: ["rest remainder remaining", "rest"],
  only: ["only just", "nur"],
  today: ["today now", "heute jetzt"],
  yesterday: ["yesterday", "gestern"],
  tomorrow: ["tomorrow", "morgen"],
  far: ["far", "bisher bislang"],
  fiscal: ["fiscal financial"],
  ltm: ["ltm ttm"],
  versus: ["vs versus against", "gegenüber ggü"],
  compared: ["compared comparison relative", "vergleich verglichen"],
  with: ["with to", "zu zum zur mit"],
  over: ["over on"],
  period: ["period time timeframe", "zeitraum zeitraums"],
  business: ["business working"],
  couple: ["couple", "paar"],
  few: ["few several", "einige* wenige*"],
  half: ["half", "halb*"],
  s: ["s", "er ern"],
  ordinal: ["st nd rd th", "te ten ter tes"],
  hundred: ["hundred", "hundert"],
  thousand: ["thousand", "tausend"],
  daily: ["daily", "täglich täglich* tageweise"],
  weekly: ["weekly", "wöchentlich wöchentlich* wochenweise"],
  monthly: ["monthly", "monatlich monatlich* monatsweise"],
  quarterly: ["quarterly", "quartalsweise vierteljährlich vierteljährlich*"],
  yearly: ["yearly annual annually", "jährlich jährlich* jahresweise"],
  penult: ["", "vorletzt*"],
  second: ["", "übernächst*"],
  dayafter: ["", "übermorgen"],
  daybefore: ["", "vorgestern"],
  through: ["", "für"],
  prioryear: [
    "",
    "vorjahreszeitraum vorjahreszeitraums vorjahresmonat vorjahresmonats vorjahresquartal vorjahresquartals vorjahreswoche",
  ],
  thisyear: ["", "heuer"],
  // One word for the start or the end of the present period, and for the period before it.
  "startOf:year": ["", "jahresanfang jahresbeginn"],
  "startOf:quarter": ["", "quartalsanfang quartalsbeginn"],
  "startOf:month": ["", "monatsanfang monatsbeginn"],
  "startOf:week": ["", "wochenanfang wochenbeginn"],
  "endOf:year": ["eoy", "jahresende"],
  "endOf:quarter": ["eoq", "quartalsende"],
  "endOf:month": ["eom", "monatsende"],
  "prior:year": ["", "vorjahr vorjahres vorjahrs"],
  "prior:quarter": ["", "vorquartal vorquartals"],
  "prior:month": ["", "vormonat vormonats"],
  "prior:week": ["", "vorwoche"],
  "prior:day": ["", "vortag vortages vortags"],
};

/** In units a bar parts the singular from the plural. */
export const UNITS: Readonly<Record<Unit, Said>> = {
  hour: ["hour|hours hrs", "stunde|stunden"],
  day: ["day|days", "tag tages|tage tagen"],
  workday: ["workday|workdays", "werktag arbeitstag|werktage werktagen arbeitstage arbeitstagen"],
  week: ["week wk|weeks wks", "woche kalenderwoche kw|wochen kalenderwochen"],
  workweek: ["workweek|workweeks"],
  weekend: ["weekend|weekends", "wochenende|wochenenden"],
  fortnight: ["fortnight|fortnights"],
  month: ["month|months", "monat monats|monate monaten"],
  quarter: ["quarter qtr|quarters qtrs", "quartal quartals|quartale quartalen"],
  half: ["semester|semesters halves", "halbjahr halbjahres halbjahrs|halbjahre halbjahren"],
  year: ["year yr|years yrs", "jahr jahres kalenderjahr kalenderjahres|jahre jahren"],
  decade: ["decade|decades", "jahrzehnt jahrzehnts|jahrzehnte jahrzehnten"],
  century: ["century|centuries", "jahrhundert jahrhunderts|jahrhunderte"],
};
export const FISCAL_UNITS: Readonly<Partial<Record<Unit, Said>>> = {
  year: [
    "",
    "geschäftsjahr geschäftsjahres wirtschaftsjahr wirtschaftsjahres gj|geschäftsjahre geschäftsjahren",
  ],
  quarter: ["", "geschäftsquartal|geschäftsquartale"],
};

/** Bars part those that are numbered. */
export const MONTHS: Said = [
  "january jan|february feb|march mar|april apr|may|june jun|july jul|august aug|september sept sep|october oct|november nov|december dec",
  "januar januars jän jänner|februar feber|märz mär mrz|april|mai|juni|juli|august|september|oktober okt|november|dezember dez",
];
export const WEEKDAYS: Said = [
  "sunday sun|monday mon|tuesday tue tues|wednesday wed|thursday thu thur thurs|friday fri|saturday sat",
  "sonntag|montag|dienstag|mittwoch|donnerstag|freitag|samstag sonnabend",
];
export const SEASONS: Said = ["spring|summer|autumn fall|winter", "frühling frühjahr|sommer|herbst|winter"];
export const NUMBERS: Said = [
  "zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen",
  "null|ein eins|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf|dreizehn|vierzehn|fünfzehn|sechzehn|siebzehn|achtzehn|neunzehn",
];
export const TENS: Said = [
  "twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety",
  "zwanzig|dreißig|vierzig|fünfzig|sechzig|siebzig|achtzig|neunzig",
];
export const ORDINALS: Said = [
  "first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|eleventh|twelfth|thirteenth|fourteenth|fifteenth|sixteenth|seventeenth|eighteenth|nineteenth|twentieth",
  "erst*|zweit*|dritt*|viert*|fünft*|sechst*|siebt*|acht*|neunt*|zehnt*|elft*|zwölft*|dreizehnt*|vierzehnt*|fünfzehnt*|sechzehnt*|siebzehnt*|achtzehnt*|neunzehnt*|zwanzigst*",
];
export const DECADES: Said = [
  "twenties|thirties|forties|fifties|sixties|seventies|eighties|nineties",
  "zwanzigern zwanziger|dreißigern dreißiger|vierzigern vierziger|fünfzigern fünfziger|sechzigern sechziger|siebzigern siebziger|achtzigern achtziger|neunzigern neunziger",
];

/** Names of months and days that are other words as well. */
export const WEAK = ["may", "sun", "mon", "wed", "sat", "fri"];
