import { anyOf } from "./lexicon.ts";
import { AskBack, oneStep, type PlannedStep } from "./plan.ts";
import { type Reader, words } from "./reader.ts";
import { type Clause, dashboardIn, type Target, targetIn, type WidgetInfo, widgetIn } from "./references.ts";
import { takeNewName } from "./widget-plans.ts";
import { BOARD, COUNT_WORDS, countOf, takeFormat, takeQuoted, WIDGET } from "./words.ts";

const argsOf = ({ kind, id }: Target) => ({ [`${kind}_id`]: id });
const nameOf = ({ kind, name }: Target) => `the ${kind === "widget" ? "chart" : kind} “${name}”`;

const EXPORT = anyOf(
  "export give want make me data",
  "lad~(?= .*herunter)|herunter|save|speicher~|print|druck~|render|have|send me|take|pull|grab|mach~|möchte|können|can i|everything|all|alles|alle|of|from|out|raus|rows?|file|datei|sheet|list|liste|rohdaten|raw|underlying|behind|dahinter|hinter",
);
const EXPORTS = anyOf("export");

/** A dashboard or chart as a picture or document, or rows as a file. */
export async function planExport(clause: Clause): Promise<PlannedStep[] | undefined> {
  const { reader } = clause;
  const isMeant = reader.has(EXPORTS);
  const format = takeFormat(reader) ?? (isMeant ? undefined : "");
  if (format === "") return undefined;
  reader.takeAll(EXPORTS);
  const target = await targetIn(clause);
  const isData = target.kind === "dataset" || reader.has(anyOf("data", "rohdaten|numbers|zahlen"));
  reader.takeAll(EXPORT);
  const kind = format === "image" ? "png" : (format ?? (isData ? "csv" : "pdf"));
  const isRows = kind !== "pdf" && kind !== "png";
  if (!isRows && target.kind === "dataset")
    throw new AskBack(
      `Rows of ${target.name} are exported as CSV, JSON or Parquet. Or which dashboard do you mean?`,
      [`Export ${target.name} as CSV`],
    );
  return oneStep(
    isRows ? "export_data" : "export_dashboard",
    { ...argsOf(target), format: kind },
    `Export ${nameOf(target)} as ${kind.toUpperCase()}`,
  );
}

const LINK = words(
  "embed~|share(?:able)?(?: link)?|sharing|link|url|iframe|einbett~|einbettungslink|bette|freigabelink|link zum teilen|teil(?:en|e|bar~)",
);
const LINK_REST = anyOf(
  "give make want me it",
  "irgendwo|somewhere|anywhere|mach~|code|snippet|ein|page|intranet|website|webseite|wiki|site|seite|in|into|on|public|öffentlich~|so that|anyone|can|see|team|i can|people|internal~|intern~|danach|dafür|for it|dazu|blog|portal|confluence|notion|sharepoint|colleagues|kollegen",
);
const EXPIRES = words(
  `(?:(?:that|which|der|die) )?(?:expires?|valid|good|works?|läuft|gültig|gilt|ablauf~|lasts?)?(?: (?:only|nur))?(?: ?(?:in|for|after|für|nach|to))? ?(\\d+|${COUNT_WORDS}|an?) (days?|weeks?|months?|tagen?|tage|wochen?|monaten?|monate)(?: (?:long|lang|gültig(?: ist)?|gilt|abläuft|ab))?`,
);
const DAYS: Record<string, number> = { d: 1, t: 1, w: 7, m: 30 };

/** A link that shows a dashboard or chart. */
export async function planLink(clause: Clause): Promise<PlannedStep[] | undefined> {
  const { reader } = clause;
  if (!reader.has(LINK)) return undefined;
  const expires = reader.take(EXPIRES);
  reader.takeAll(LINK);
  const target = await targetIn(clause);
  if (target.kind === "dataset") throw new AskBack("Which dashboard or chart do you mean?");
  reader.takeAll(LINK_REST);
  const days = (countOf(expires?.[1] ?? "") ?? 1) * (DAYS[expires?.[2]?.[0]?.toLowerCase() ?? ""] ?? 1);
  const args = { ...argsOf(target), ...(expires !== null && { expires_in_days: days }) };
  return oneStep("get_embed_url", args, `Make a link that shows ${nameOf(target)}`);
}

const ODD = words(
  "(?:stands?|stood) out|should (?:i|we) know|insights?|anomal~|recommendations?|empfehlungen|findings?|unusual|weird|odd|strange|surpris~|striking|notable|suspicious|interesting|wrong|going on|auffällig~|auffallend~|fällt~(?= .*auf)|fällt|erkenntnisse?|besonder~|ungewöhnlich~|merkwürdig~|seltsam~|komisch~|sticht~|heraus~|ausreißer|outliers?",
);
const ODD_REST = words(
  "anything|something|nothing|what|is there|are there|any|there|give|me|us|gib|mir|zeig~|show|tell|find|lately|recently|zuletzt|in letzter zeit|at the moment|gerade|derzeit|auf|gibt|was|etwas|irgendetwas|irgendwas|ist|los|going|on|happening|happen(?:s|ed)?|look|check|see|for|list|summar~|fass~|zusammen|data|daten|top|key|main|wichtigsten|sag~|sonst",
);

const DATA = anyOf("data");

export async function planInsights(clause: Clause): Promise<PlannedStep[] | undefined> {
  const { reader, inventory } = clause;
  if (!reader.has(ODD)) return undefined;
  const hasOpen = clause.dashboardId !== undefined || clause.widgetId !== undefined;
  if (!hasOpen && ![BOARD, WIDGET, DATA].some((noun) => reader.has(noun))) {
    // "Anything weird in marketing?": a dashboard by a word of it.
    const boards = await inventory.dashboards();
    const trial = reader.fork();
    for (const pattern of [ODD, ODD_REST]) trial.takeAll(pattern);
    const [word, ...more] = trial.words();
    const fits = boards.filter(({ name, about }) =>
      ` ${name} ${about} `.toLowerCase().includes(` ${word?.toLowerCase()}`),
    );
    if (word !== undefined && more.length === 0 && fits.length === 1) {
      reader.rest();
      const [{ id, name } = { id: 0, name: "" }] = fits;
      return oneStep("get_insights", { dashboard_id: id }, `Say what stands out in the dashboard “${name}”`);
    }
  }
  reader.takeAll(ODD);
  const target = await targetIn(clause);
  reader.takeAll(ODD_REST);
  return [{ tool: "get_insights", args: argsOf(target), says: `Say what stands out in ${nameOf(target)}` }];
}

const RENAME = anyOf("rename");

/** Another name for a dashboard; those of charts are changed with their other settings. */
export async function planRename(clause: Clause): Promise<PlannedStep[] | undefined> {
  const { reader, widgetId } = clause;
  if (!reader.has(RENAME)) return undefined;
  if (widgetId !== undefined && !reader.has(BOARD)) return undefined;
  const target = await targetIn(clause);
  if (target.kind !== "dashboard") return undefined;
  const name = takeNewName(reader);
  return oneStep("update_dashboard", { ...argsOf(target), name }, `Rename ${nameOf(target)} to “${name}”`);
}

const ACCESS: readonly (readonly [RegExp, string])[] = [
  [
    words(
      "private?|privat|only (?:visible )?(?:to|for) me|only i can see(?: it)?|nur für mich(?: sichtbar)?|nur ich",
    ),
    "private",
  ],
  [
    words(
      "read[- ]only|view[- ]only|nur lesbar|schreibgeschützt|only (?:let|allow) others (?:to )?(?:view|read)(?: it)?",
    ),
    "view",
  ],
  [
    words(
      "(?:editable|bearbeitbar)(?: (?:by|for|für|von) (?:everyone|everybody|all|alle))?|(?:shared|public|sichtbar|visible) (?:with|for|to|für) (?:everyone|everybody|all|alle)",
    ),
    "edit",
  ],
];
const SETTINGS = anyOf(
  "only it give",
  "make|set|turn|mark|keep|mach~|stell~|setz~|so that|sodass|damit|i|can|see|ich|kann|sehen|sieht|sein|soll|to|auf|visible|others?|andere|nobody else|niemand sonst|die|eine|dem|add|füg~|hinzu",
);
const DESCRIBE = words(
  "describe|beschreib~|(?:add|set|give|change|write|use|gib|setz~|füg~|änder~|ergänz~|schreib~)?(?: ?(?:it|the|a|die|eine|dem|als|dashboard))* ?(?:description|beschreibung)(?: (?:to|auf|hinzu|of|für|für das|von|as))*",
);

/** Who sees a dashboard, and its description. */
export async function planBoardSettings(clause: Clause): Promise<PlannedStep[] | undefined> {
  const { reader } = clause;
  const hasDescription = reader.has(words("description|beschreibung|describe|beschreib~"));
  const trial = reader.fork();
  const described = hasDescription
    ? (takeQuoted(trial) ??
      /(?:description|beschreibung)\s*(?:to|auf|:)?\s+(.+?)[.!]*\s*$/iu.exec(trial.left)?.[1])
    : undefined;
  const shared = hasDescription ? undefined : ACCESS.find(([pattern]) => reader.has(pattern))?.[1];
  if (shared === undefined && !hasDescription) return undefined;
  if (hasDescription && described === undefined) throw new AskBack("What should the description say?");
  if (described !== undefined) {
    const at = reader.left.indexOf(described);
    const open = /["“„»«]?$/.exec(reader.left.slice(0, at))?.[0].length ?? 0;
    reader.drop(at - open, Math.min(reader.left.length, at + described.length + 1));
    reader.takeAll(DESCRIBE);
  } else for (const [pattern] of ACCESS) reader.takeAll(pattern);
  const board = await dashboardIn(clause);
  reader.takeAll(SETTINGS);
  const change = described === undefined ? { access: { shared } } : { description: described };
  const says =
    described === undefined
      ? `Share ${nameOf(board)}: ${shared}`
      : `Describe ${nameOf(board)} as “${described}”`;
  return oneStep("update_dashboard", { ...argsOf(board), ...change }, says);
}

const CLEARS = words(
  "clear|reset|remove|entfern~|leer~|hebe?|setz~|zurücksetz~|aufheb~|take off|take away|nimm|turn off",
);

/** No filter any more. */
export async function planClear(clause: Clause): Promise<PlannedStep[] | undefined> {
  const { reader } = clause;
  if (!reader.has(CLEARS) || !reader.has(anyOf("filter"))) return undefined;
  reader.takeAll(CLEARS);
  reader.takeAll(
    words("(?:all|any|the|die|alle|den|sämtliche)? ?filters?n?|zurück|auf|weg|heraus|raus|off|all|alle"),
  );
  const target = await targetIn(clause);
  if (target.kind === "dataset") throw new AskBack("Which dashboard or chart do you mean?");
  const [tool, change] =
    target.kind === "widget"
      ? ["update_widget", { options: { filters: [] } }]
      : ["update_dashboard", { filters: [] }];
  return oneStep(
    tool as string,
    { ...argsOf(target), ...(change as object) },
    `Clear the filters of ${nameOf(target)}`,
  );
}

const COLUMNS = 24;
const TALLEST = 16;
type Place = NonNullable<WidgetInfo["place"]>;

const MOVE = words(
  "widen|enlarge|verbreiter~|take|occupy|span|put|move|place|position|arrange|drag|bring|set|make|want|have|should be|resize|stretch|schieb~|verschieb~|setz~|stell~|leg~|platzier~|rück~|mach~|zieh~|pack~|soll(?:te|en)?|be|sein|stehen|to|an|ganz|nach|all the way|very|as|so|i'd like|it|of the dashboard|of the page|row|corner|ecke|zeile|reihe|spot|position|place|stelle|platz|auf|breit|wide|width|breite|wie|columns? wide|spalten breit",
);

type Wish = (place: Place, others: readonly Place[], beside: Place | undefined) => Partial<Place>;
/** Where something should stand, or how large it should be. The longest words come first. */
const WISHES: readonly (readonly [RegExp, Wish])[] = [
  [
    words(
      "(?:right |directly |direkt )?(?:next to|beside|alongside|to the right of|right of|rechts neben|rechts von|neben)",
    ),
    (place, _, by) => (by === undefined ? {} : beside(place, by)),
  ],
  [
    words("(?:right |directly |just |direkt )?(?:below|under|underneath|beneath|unter|unterhalb(?: von)?)"),
    (_, __, by) => (by === undefined ? {} : { row: by.row + by.sizeY, col: by.col }),
  ],
  [
    words("(?:right |directly |just |direkt )?(?:above|over|on top of|über|oberhalb(?: von)?)"),
    (_, __, by) => (by === undefined ? {} : { row: by.row, col: by.col }),
  ],
  [
    words(
      "half (?:of )?(?:the |as )?(?:width|wide)|half[- ]width|halbe breite|halb so breit|half (?:of )?the (?:dashboard|page)",
    ),
    (place) => ({ sizeX: COLUMNS / 2, col: Math.min(place.col, COLUMNS / 2 + 1) }),
  ],
  [
    words("(?:a |one )?third (?:of )?(?:the )?(?:width|wide)|(?:ein )?drittel (?:der )?breite?"),
    () => ({ sizeX: COLUMNS / 3 }),
  ],
  [
    words(
      "(?:the )?(?:full|whole|entire)[- ]width|(?:as wide as|across|over) (?:the )?(?:whole|entire|full) (?:dashboard|page|width|row)|(?:über )?(?:die )?(?:volle|ganze|gesamte) breite|(?:as )?wide as (?:the )?(?:whole |entire )?(?:dashboard|page)",
    ),
    () => ({ sizeX: COLUMNS, col: 1 }),
  ],
  [
    words("twice as wide|double (?:the |its )?width|doppelt so breit"),
    ({ sizeX }) => ({ sizeX: Math.min(COLUMNS, 2 * sizeX) }),
  ],
  [
    words("twice as (?:tall|high)|double (?:the |its )?height|doppelt so hoch"),
    ({ sizeY }) => ({ sizeY: Math.min(TALLEST, 2 * sizeY) }),
  ],
  [
    words(
      "(?:at |to |in )?(?:the )?(?:very )?(?:top|first|oben|beginning|start|anfang|erste[rn]?|zuerst)(?: left| right)?(?=.*)",
    ),
    () => ({ row: 1 }),
  ],
  [
    words(
      "(?:at |to |in )?(?:the )?(?:very )?(?:bottom|end|last|ans ende|am ende|unten|letzte[rn]?|zuletzt|schluss)",
    ),
    (_, others) => ({ row: Math.max(1, ...others.map(({ row, sizeY }) => row + sizeY)) }),
  ],
  [words("(?:to |on |at )?(?:the )?(?:far )?(?:left|links)(?: side| edge)?"), () => ({ col: 1 })],
  [
    words("(?:to |on |at )?(?:the )?(?:far )?(?:right|rechts)(?: side| edge)?"),
    ({ sizeX }) => ({ col: COLUMNS + 1 - sizeX }),
  ],
];
const SIDE = words("(?:top|oben|bottom|unten)[ -](left|right|links|rechts)");
const BESIDE = words(
  "next to|beside|alongside|to the right of|right of|neben|below|under|underneath|unter|above|on top of|über|oberhalb(?: von)?|unterhalb(?: von)?",
);
const FEELS = words(
  "(?:top|oben|bottom|unten|left|links|right|rechts|next to|beside|neben|below|above|under|unter|über|first|last|wide|width|breit~|breite|taller|end|ende|erste~|hoch)",
);

/** Where a chart stands on its dashboard, and how large it is. */
export async function planPlace(clause: Clause): Promise<PlannedStep[] | undefined> {
  const { reader, inventory } = clause;
  if (!reader.has(FEELS) || !reader.has(MOVE)) return undefined;
  const widgets = await inventory.widgets();
  const at = reader.left.search(BESIDE);
  const otherId = at === -1 ? undefined : reader.takeNamed("widget", at);
  const other = widgets.find(({ id }) => id === otherId);
  const wishes = takeWishes(reader, other !== undefined);
  const widget = await widgetIn(clause);
  if (wishes.length === 0) return undefined;
  reader.takeAll(MOVE);
  if (widget.dashboard_id === null || widget.place === null)
    throw new AskBack(
      `“${widget.name}” is on no dashboard. On which one should it be?`,
      await inventory.dashboards(),
    );
  const others = widgets.flatMap(({ id, dashboard_id, place }) =>
    dashboard_id === widget.dashboard_id && id !== widget.id && place !== null ? [place] : [],
  );
  if (other !== undefined && (other.dashboard_id !== widget.dashboard_id || other.place === null))
    throw new AskBack(
      `“${other.name}” is not on the same dashboard as “${widget.name}”. Where should it stand?`,
    );
  let place: Place = widget.place;
  for (const wish of wishes) place = { ...place, ...wish(place, others, other?.place ?? undefined) };
  place = { ...place, col: Math.min(place.col, COLUMNS + 1 - place.sizeX) };
  return oneStep(
    "layout_dashboard",
    { dashboard_id: widget.dashboard_id, widgets: [{ widget_id: widget.id, ...place }] },
    `Put “${widget.name}” at column ${place.col}, row ${place.row}, ${place.sizeX} columns wide`,
  );
}

function takeWishes(reader: Reader, hasOther: boolean): Wish[] {
  const side = reader.take(SIDE);
  const wishes: Wish[] = [];
  if (side !== null) {
    const [said, edge = ""] = side;
    wishes.push(
      ...WISHES.filter(([pattern]) => pattern.test(/^(?:top|oben)/i.test(said) ? "top" : "bottom")).map(
        ([, wish]) => wish,
      ),
    );
    wishes.push(...WISHES.filter(([pattern]) => pattern.test(edge)).map(([, wish]) => wish));
  }
  for (const [index, [pattern, wish]] of WISHES.entries()) {
    // Of these three, each says beside which other chart.
    if (index < 3 && !hasOther) continue;
    if (reader.take(pattern) !== null) wishes.push(wish);
  }
  // How wide comes before where: the right edge depends on it.
  return wishes.toSorted((a, b) => Number(sizes(b)) - Number(sizes(a)));
}

const sizes = (wish: Wish) => "sizeX" in wish({ col: 1, row: 1, sizeX: 1, sizeY: 1 }, [], undefined);

/** To the right of another, as wide as there is room; to its left where there is more. */
function beside(place: Place, by: Place): Partial<Place> {
  const right = COLUMNS + 1 - (by.col + by.sizeX);
  const left = by.col - 1;
  const room = Math.max(right, left);
  if (room === 0)
    throw new AskBack("There is no room beside it: it is as wide as the dashboard. Where should it stand?");
  const sizeX = Math.min(place.sizeX, room);
  return { row: by.row, sizeX, col: right >= left ? by.col + by.sizeX : by.col - sizeX };
}
