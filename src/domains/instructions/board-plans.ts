import { type ChartWish, dateOf, isNumeric, readChart } from "./charts.ts";
import { namedIn } from "./inventory.ts";
import { AskBack, type PlannedStep } from "./plan.ts";
import { type Clause, dashboardIn, quotedIn, widgetIn, without } from "./references.ts";
import { ADD, isFiller, wordsIn } from "./words.ts";

const COLUMNS = 24;
const GROUPED = /\b(?:by|per|nach|pro|je|as|als)\b|ly\b/i;
const TRENDS = /\btrends?\b|\bover time\b|\btop\b|\bverlauf\b|\bentwicklung\b/i;

export async function planDashboard(clause: Clause): Promise<PlannedStep[]> {
  const { text, inventory, assumptions } = clause;
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
          .replace(ADD, " ")
      : undefined);
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
  const called =
    /\b(?:called|named|namens)\s+(.+?)(?=\s+(?:with|that|which|mit|das|showing|containing)\b|[,:]|$)/is.exec(
      text,
    )?.[1];
  if (called !== undefined) return called.trim();
  const behind = /\bdashboard\s+((?:\p{Lu}[\p{L}\p{N}]*\s*)+?)(?=\s+(?:with|that|mit|das)\b|[,:]|$)/u
    .exec(text)?.[1]
    ?.trim();
  if (behind !== undefined && behind !== "") return behind;
  const of = /\b(?:overview|übersicht) (?:of|über|on|der) (?:the )?([\p{L}]+)/iu.exec(text)?.[1];
  const word = of ?? /([\p{L}]+)[- ](?:dashboard|overview|übersicht)/iu.exec(text)?.[1];
  if (word === undefined || isFiller(word) || /^(?:new|neues|a|an|this)$/i.test(word)) return undefined;
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
  return parts.map((part) => part.trim()).filter((part) => wordsIn(part).some((word) => !isFiller(word)));
}

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
  const bare = (board === undefined ? text : without(text, board.name))
    .replace(
      /\b(?:to|on|onto|in|auf|zu|zum|dem|das|this|the|our|my)?\s*(?:the |our |my |dem |das |diesem )?(?:[\p{L}]+[- ])?dashboard\b/iu,
      " ",
    )
    .replace(/\b(?:hinzu|please|bitte)\b/gi, " ")
    .replace(/\b(?:to|on|onto|auf|zu)\s*[.?!]*\s*$/i, " ")
    .replace(ADD, " ")
    .replace(/\b(?:me|mir|new|neue[ns]?|widget|chart|with|mit)\b/gi, " ");
  const wish = await readChart(bare, inventory, assumptions);
  return [
    {
      tool: "create_widget",
      args: { ...wish, ...(board !== undefined && { dashboard_id: board.id }) },
      says: `Make the chart “${wish.name}”${board === undefined ? "" : ` on “${board.name}”`}`,
    },
  ];
}

interface PlaceWish {
  col?: number;
  row?: number;
  sizeX?: number;
}

/** Where something should stand, and how wide. */
export function placeIn(text: string): PlaceWish | undefined {
  const wish: PlaceWish = {
    ...(/\b(?:top|oben)\b(?! \d)(?! (?:products?|customers?))/i.test(text) &&
      /\b(?:put|move|place|setz\w*|verschieb\w*|top left|top right|oben)\b/i.test(text) && { row: 1 }),
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
  const place = {
    widgetId: widget.id,
    col,
    row: wish.row ?? widget.place.row,
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
