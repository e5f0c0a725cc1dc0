import { type ChartWish, dateOf, fitText, isNumeric, readChart } from "./charts.ts";
import { namedIn } from "./inventory.ts";
import { AskBack, type PlannedStep } from "./plan.ts";
import { type Clause, dashboardIn, quotedIn, widgetIn, without } from "./references.ts";
import { ADD, calledIn, isFiller, wordsIn } from "./words.ts";

const COLUMNS = 24;
const GROUPED = /\b(?:by|per|nach|pro|je|as|als)\b|ly\b/i;
const TRENDS = /\btrends?\b|\bover time\b|\btop\b|\bverlauf\b|\bentwicklung\b/i;

const EMPTY = /\b(?:empty|blank|leeres?)\b/i;

export async function planDashboard(clause: Clause): Promise<PlannedStep[]> {
  const { inventory, assumptions } = clause;
  const text = clause.text.replace(/^(\s*(?:bitte )?lege?\b.*?)\s+an\s*[.!]?\s*$/is, "$1");
  const name = quotedIn(text) ?? boardName(text);
  const before = quotedIn(text) === undefined ? text : text.replace(/["“„][^"”“„]+["”“]/, " ");
  const content =
    /(?:\bwith\b|\bmit\b|\bthat (?:has|shows|contains)\b|\bcontaining\b|\bshowing\b|\bdas\b.*\bzeigt\b|:)(.*)$/is.exec(
      name === undefined ? before : without(before, name),
    )?.[1];
  const shown =
    content ??
    (/\bon a new dashboard\b|\bauf (?:einem|ein) neue\w* dashboard\b/i.test(before)
      ? before
          .replace(/\bon a new dashboard\b.*|\bauf (?:einem|ein) neue\w* dashboard\b.*/is, " ")
          .replace(/\b(?:and|und) (?:put|pack|leg|setz|stell)\w* (?:it|that|das|es)\s*$/i, " ")
          .replace(ADD, " ")
      : undefined);
  const isNamed = quotedIn(text) !== undefined || calledIn(text) !== undefined || EMPTY.test(text);
  if (content === undefined && shown === undefined && name !== undefined && isNamed)
    return [{ tool: "create_dashboard", args: { name }, says: `Make the empty dashboard “${name}”` }];
  if (EMPTY.test(text) && name === undefined) throw new AskBack("What should the dashboard be called?");
  if (shown === undefined || shown.trim() === "")
    throw new AskBack(
      "What should the dashboard show? Name numbers and what they are by.",
      await examples(clause),
    );
  const widgets: ChartWish[] = [];
  const questions: AskBack[] = [];
  for (const part of partsOf(shown)) {
    try {
      widgets.push(await readChart(part, inventory, assumptions));
    } catch (error) {
      if (!(error instanceof AskBack)) throw error;
      questions.push(error);
    }
  }
  if (questions[0] !== undefined) throw questions[0];
  const called = name ?? widgets[0]?.name ?? "Dashboard";
  return [
    {
      tool: "create_dashboard",
      args: { name: called, widgets },
      says: `Make the dashboard “${called}” with ${widgets.map((each) => each.name).join("; ")}`,
    },
  ];
}

/** What a dashboard is called: "called X", "dashboard X with", or the word before: "a sales dashboard". */
function boardName(text: string): string | undefined {
  const called = calledIn(text);
  if (called !== undefined) return called;
  const behind =
    /\b[Dd]ashboard\s+((?:[\p{Lu}\p{N}][\p{L}\p{N}]*\s*)+?)(?=\s+(?:with|that|mit|das)\b|[,:.!]|$)/u
      .exec(text)?.[1]
      ?.trim();
  if (behind !== undefined && behind !== "") return behind;
  const of = /\b(?:overview|übersicht) (?:of|über|on|der) (?:the )?([\p{L}]+)/iu.exec(text)?.[1];
  const word = of ?? /([\p{L}]+)[- ](?:dashboard|overview|übersicht)/iu.exec(text)?.[1];
  if (word === undefined || isFiller(word) || /^(?:new|neues|a|an|this|empty|blank|leeres?)$/i.test(word))
    return undefined;
  return word.charAt(0).toUpperCase() + word.slice(1);
}

/** The charts of a list: "A and B", "A, B, and C"; but "revenue and cost per quarter" is one. */
function partsOf(text: string): string[] {
  const parts = text.split(/\s*[,;]\s*(?:and |und )?/i).flatMap((part) => {
    const [first, ...others] = part.split(/\s+(?:and|und)\s+(?:the |die |der |das |a |an |eine? )*/i);
    // A part that has no grouping of its own shares the one behind it.
    const own = [first as string];
    for (const next of others) {
      const last = own.at(-1) as string;
      const isOwn = GROUPED.test(last) ? GROUPED.test(next) || wordsIn(next).length > 1 : TRENDS.test(last);
      if (isOwn) own.push(next);
      else own[own.length - 1] = `${last} and ${next}`;
    }
    return own;
  });
  return parts
    .map((part) => part.replace(COUNT, " ").trim())
    .filter((part) => wordsIn(part).some((word) => !isFiller(word)));
}

/** "three charts:", which says nothing of any of them. */
const COUNT = /^\s*(?:\p{L}+|\d+) (?:charts?|widgets?|tiles?|diagrammen?|kacheln)\s*:/iu;

async function examples({ inventory }: Clause): Promise<string[]> {
  const datasets = await inventory.datasets();
  return datasets.flatMap((dataset) => {
    const number = dataset.columns.find(isNumeric);
    return number !== undefined && dateOf(dataset) !== undefined ? [`${number.name} per month`] : [];
  });
}

export async function planWidget(clause: Clause): Promise<PlannedStep[]> {
  const { text, inventory, assumptions } = clause;
  const isOnBoard =
    /dashboard/i.test(text) ||
    clause.dashboardId !== undefined ||
    namedIn(text, await inventory.dashboards()) !== undefined;
  const board = isOnBoard ? await dashboardIn(clause) : undefined;
  const called = quotedIn(text) ?? calledIn(text);
  const name = called !== undefined && called !== board?.name ? called : undefined;
  const bare = (board === undefined ? text : without(text, board.name))
    .replace(name ?? "\0", " ")
    .replace(
      /\b(?:to|on|onto|in|auf|zu|zum|dem|das|this|the|our|my)?\s*(?:the |our |my |dem |das |diesem )?(?:[\p{L}]+[- ])?dashboard\b/iu,
      " ",
    )
    .replace(/\b(?:hinzu|please|bitte|called|named|namens)\b|\ban\s*[.!]?\s*$/gi, " ")
    .replace(/\b(?:to|on|onto|auf|zu)\s*[.?!]*\s*$/i, " ")
    .replace(ADD, " ")
    .replace(/\b(?:me|mir|new|neue[ns]?|widget|chart|with|mit)\b/gi, " ");
  const read = await readChart(bare, inventory, assumptions);
  const wish = { ...read, ...(name !== undefined && { name }) };
  return [
    {
      tool: "create_widget",
      args: { ...wish, ...(board !== undefined && { dashboard_id: board.id }) },
      says: `Make the chart “${wish.name}”${board === undefined ? "" : ` on “${board.name}”`}`,
    },
  ];
}

interface PlaceWish {
  isLast?: boolean;
  col?: number;
  row?: number;
  sizeX?: number;
}

/** Where something should stand, and how wide. */
export function placeIn(text: string): PlaceWish | undefined {
  const wish: PlaceWish = {
    ...(/\b(?:top|oben)\b(?! \d)(?! (?:products?|customers?))/i.test(text) &&
      /\b(?:put|move|place|setz\w*|verschieb\w*|top left|top right|oben)\b/i.test(text) && { row: 1 }),
    ...(/\b(?:bottom|unten|(?:the |ans )ende?)\b/i.test(text) &&
      /\b(?:put|move|place|setz\w*|verschieb\w*)\b/i.test(text) && { isLast: true }),
    ...(/\b(?:top |bottom |oben |the )?(?:left|links)\b/i.test(text) && { col: 1 }),
    ...(/\b(?:half|halbe?) (?:the |of the |der )?(?:width|breite|wide)|\bhalb so breit|half (?:the )?width/i.test(
      text,
    ) && { sizeX: COLUMNS / 2 }),
    ...(/\b(?:full[- ]width|whole width|entire width|as wide as the (?:whole )?dashboard|volle breite|ganze breite)\b/i.test(
      text,
    ) && { sizeX: COLUMNS }),
  };
  return Object.keys(wish).length > 0 ? wish : undefined;
}

export async function planPlace(clause: Clause): Promise<PlannedStep[]> {
  const widget = await widgetIn(clause);
  if (widget.dashboard_id === null || widget.place === null)
    throw new AskBack(
      `“${widget.name}” is on no dashboard. On which one should it be?`,
      (await clause.inventory.dashboards()).map(({ name }) => name),
    );
  const wish = placeIn(clause.text) as PlaceWish;
  const sizeX = wish.sizeX ?? widget.place.sizeX;
  const col = Math.min(wish.col ?? widget.place.col, COLUMNS + 1 - sizeX);
  const others = (await clause.inventory.widgets()).flatMap(({ id, dashboard_id, place }) =>
    dashboard_id === widget.dashboard_id && id !== widget.id && place !== null
      ? [place.row + place.sizeY]
      : [],
  );
  const place = {
    widgetId: widget.id,
    col,
    row: wish.isLast ? Math.max(1, ...others) : (wish.row ?? widget.place.row),
    sizeX,
    sizeY: widget.place.sizeY,
  };
  return [
    {
      tool: "layout_dashboard",
      args: { dashboard_id: widget.dashboard_id, widgets: [place] },
      says: `Put “${widget.name}” at column ${col}, row ${place.row}, ${sizeX} columns wide`,
    },
  ];
}

/** A field that readers of a dashboard can filter by, beside those that there are. */
export async function planBoardFilter(clause: Clause): Promise<PlannedStep[]> {
  const { text, inventory } = clause;
  const board = await dashboardIn(clause);
  if (typeof board.id !== "number")
    throw new AskBack("Make the dashboard first: by which field should it be filtered?");
  const said = without(text, board.name).replace(
    /\b(?:add|another|filters?|füg\w*|hinzu|einen|for|by|für|nach|on|to|auf|zum|dem|the|[\p{L}]+[- ]dashboard|dashboard)\b/giu,
    " ",
  );
  const shown = new Set(
    (await inventory.widgets())
      .filter(({ dashboard_id }) => dashboard_id === board.id)
      .map(({ dataset_id }) => dataset_id),
  );
  const datasets = (await inventory.datasets()).filter(({ id }) => shown.has(id));
  const { dims, measures, unknown } = fitText(said, datasets);
  const [column] = [...dims, ...measures];
  if (column === undefined || unknown.length > 0)
    throw new AskBack(
      `By which field should “${board.name}” be filtered?`,
      datasets.flatMap(({ columns }) => columns.map(({ name }) => name)),
    );
  const { filters = [] } = await inventory.details<{ filters?: { field?: string }[] }>("dashboard", board.id);
  const field = { field: column.name, label: labelOf(column.name), operator: isNumeric(column) ? "=" : "in" };
  return [
    {
      tool: "update_dashboard",
      args: {
        dashboard_id: board.id,
        filters: [...filters.filter((each) => each.field !== column.name), field],
      },
      says: `Let readers of “${board.name}” filter by ${column.name}`,
    },
  ];
}

function labelOf(name: string): string {
  const words = name.replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}
