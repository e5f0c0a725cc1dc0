import type { WidgetInfo } from "./inventory.ts";
import { AskBack, oneStep, type PlannedStep } from "./plan.ts";
import { type Reader, words } from "./reader.ts";
import { type Clause, widgetIn } from "./references.ts";

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
