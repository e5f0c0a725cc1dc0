import { dateOf, type Filter, filtersOf, fitText, isNumeric } from "./fitting.ts";
import { anyOf } from "./lexicon.ts";
import { AskBack, oneStep, type PlannedStep } from "./plan.ts";
import { isFunctionWord, Reader, words, wordsIn } from "./reader.ts";
import { type Clause, type DatasetInfo, dashboardIn, takeDescribed } from "./references.ts";
import { type ChartWish, readChart } from "./widget-plans.ts";
import { BOARD, CHARTS, takeName, takeQuoted, WIDGET } from "./words.ts";

const MAKE = anyOf(
  "make want new",
  "make up|put together|prepare|design|start|spin up|throw together|knock up|would love|i'd love|give me|get me|bau~|mach~|stell~|zusammen|an|ein",
);
const WEAK = words("for|about|zu|zum thema|zum|über|on|of|für");
const CONTENT = words(
  "with|mit|that (?:has|shows|contains)|which (?:has|shows|contains)|containing|showing|including|das (?:folgendes )?(?=.*(?:zeigt|enthält))",
);
const GROUPED = words(
  "this|last|diese[nrs]?|letzte[nrs]?|by|per|nach|pro|je|as|als|each|over|im|~ly|täglich~|wöchentlich~|monatlich~",
);
const TRENDS = words("trends?|over time|top|verlauf|entwicklung");
const SHOWS = anyOf("draw", "chart|put|add");
const EMPTY = words("empty|blank|leere[sn]?");

/** A new dashboard with what it should show, or an empty one. */
export async function planDashboard(clause: Clause): Promise<PlannedStep[] | undefined> {
  const { reader, inventory, assumptions } = clause;
  const first = BOARD.exec(reader.left);
  const onNew =
    /(?<!\p{L})(?:on|to|in|into|auf)\s+(?:a|an|ein|einem|einen)\s+(?:new\s+|neues?\s+|neuen?m?\s+|separate\s+)?(?:dash)?board(?!\p{L})/iu.exec(
      reader.left,
    );
  if (first === null || !reader.has(MAKE)) return undefined;
  const isOnOther =
    /(?<!\p{L})(?:to|on|onto|in|auf|zu|zum|an)\s+(?:the|my|our|this|that|dem|das|diesem|unserem|meinem)\s+(?:[\p{L}'-]+[\s-]+){0,4}?(?:dash)?board(?!\p{L})/iu.test(
      reader.left,
    );
  const isNew = words("new|neues?|neuen|neuem").test(reader.left) || onNew !== null;
  // What is new may be called like something else.
  if (words("create|build|new|erstell~|leg~|neues").test(reader.left.slice(0, 30)) && !isOnOther)
    reader.release(true);
  const early = MAKE.exec(reader.left);
  if (!isNew && (isOnOther || (early?.index ?? 99) > 40)) return undefined;
  if (!isNew && reader.named("dashboard")) return undefined;
  const content = takeContent(reader, onNew);
  const isEmpty = reader.take(EMPTY) !== null;
  const name = takeName(reader) ?? takeQuoted(reader) ?? takeBoardName(reader);
  reader.takeAll(BOARD);
  reader.takeAll(MAKE);
  if (name !== undefined && content === undefined && (isEmpty || NAMED.test(reader.text)))
    return oneStep("create_dashboard", { name }, `Make the empty dashboard “${name}”`);
  if (isEmpty && name === undefined) throw new AskBack("What should the dashboard be called?");
  if (content === undefined || content.trim() === "")
    throw new AskBack(
      "What should the dashboard show? Name numbers and what they are by.",
      await examples(clause),
    );
  const widgets = await readAll(partsOf(content), inventory, assumptions);
  const called = name ?? widgets[0]?.name ?? "Dashboard";
  return oneStep(
    "create_dashboard",
    { name: called, widgets },
    `Make the dashboard “${called}” with ${widgets.map((each) => each.name).join("; ")}`,
  );
}

/** Several charts: what the others are about says what one is about where it could be either. */
async function readAll(
  parts: readonly string[],
  inventory: Clause["inventory"],
  assumptions: string[],
): Promise<ChartWish[]> {
  const read = (part: string, near: readonly number[], assumed: string[]) => {
    const reader = new Reader(part);
    const name = takeName(reader) ?? takeQuoted(reader);
    return readChart(reader.rest(), inventory, assumed, near).then((wish) => ({
      ...wish,
      ...(name !== undefined && { name }),
    }));
  };
  const alone = await Promise.all(parts.map((part) => read(part, [], []).catch(() => undefined)));
  const widgets: ChartWish[] = [];
  for (const [i, part] of parts.entries()) {
    const others = alone.flatMap((wish, j) => (wish === undefined || i === j ? [] : [wish.dataset_id]));
    widgets.push(await read(part, others, assumptions));
  }
  return widgets;
}

/** What stands behind "with" or a colon; or what is to be "on a new dashboard". */
function takeContent(reader: Reader, onNew: RegExpExecArray | null): string | undefined {
  const { left } = reader;
  const quote = /["“„»«][^"”“„»«]+["”“»«]/u.exec(left);
  const board = BOARD.exec(left);
  if (onNew !== null && SHOWS.test(left.slice(0, onNew.index))) {
    const shown = left.slice(0, onNew.index);
    reader.drop(0, onNew.index);
    return shown.replace(SHOWS, " ").replace(anyOf("me"), " ");
  }
  const from = Math.max(
    (board?.index ?? 0) + (board?.[0].length ?? 0),
    quote === null || quote.index > (board?.index ?? 0) + 40 ? 0 : quote.index + quote[0].length,
  );
  const colon = left.indexOf(":", from);
  const rest = left.slice(from);
  const lead = CONTENT.exec(rest) ?? (colon === -1 ? WEAK.exec(rest) : null);
  const isColon =
    colon !== -1 &&
    (lead === null ||
      !/^(?:with|mit|that|which|containing|showing|including|das)/i.test(lead[0]) ||
      colon < from + lead.index + 20);
  const start = isColon ? colon + 1 : lead === null ? -1 : from + lead.index + lead[0].length;
  if (start === -1) return undefined;
  const text = left
    .slice(start)
    .replace(/[.!?]+\s*$/, "")
    .replace(/\s+(?:zeigt|enthält|an)\s*$/i, "");
  const led = from + (lead?.index ?? 0);
  // "with three tiles:" says nothing more than what follows.
  const isCounted = isColon && lead !== null && COUNT.test(left.slice(led + lead[0].length, start));
  reader.drop(isColon && !isCounted ? start - 1 : led, left.length);
  return text;
}

/** "dashboard X with", or the word before: "a sales dashboard". */
function takeBoardName(reader: Reader): string | undefined {
  const behind = reader
    .take(
      /(?<=(?:[Dd]ash)?[Bb]oard\s+)((?:[\p{Lu}\p{N}][\p{L}\p{N}&-]*\s*)+?)(?=\s*(?:an\s*)?(?:[,:.!·]|$))/u,
    )?.[1]
    ?.trim();
  if (behind !== undefined && behind !== "") return behind;
  const about = reader.take(
    /(?<=board\s+)(?:for|about|on|zum\s+thema|zum|zu|über|für)\s+(?:(?:our|the|unser\p{L}*|den|die|das)\s+)?([\p{L}\p{N} -]+?)(?=\s*(?:[,:.!·]|$))/iu,
  )?.[1];
  if (about !== undefined) return about.charAt(0).toUpperCase() + about.slice(1);
  const of = reader.take(
    /(?<=(?:overview|übersicht)\s+(?:of|über|on|der)\s+(?:the\s+|our\s+)?)([\p{L}]+)/iu,
  )?.[1];
  const before =
    of === undefined
      ? takeDescribed(reader, BOARD)?.filter((word) => !MAKE.test(word) && !EMPTY.test(word))
      : [of];
  if (before === undefined || before.length === 0) return undefined;
  const name = before.join(" ");
  return name.charAt(0).toUpperCase() + name.slice(1);
}

/** Quoted or called: then it may be empty. "A sales dashboard" alone says nothing of what it shows. */
const NAMED =
  /["“„»«]|(?<!\p{L})(?:called|named|titled|namens|genannt|call it|name it|nenn\p{L}*)(?!\p{L})/iu;

/** The charts of a list: "A and B", "A, B, and C"; but "revenue and cost per quarter" is one. */
function partsOf(text: string): string[] {
  const parts = text.split(/\s*[,;]\s*(?:and |und |as well as |sowie )?/i).flatMap((part) => {
    const [first, ...others] = part.split(
      /\s+(?:and|und|as well as|sowie|plus)\s+(?:the |die |der |das |a |an |eine? )*/i,
    );
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
    .filter((part) => wordsIn(part).some((word) => !isFunctionWord(word)));
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

const ADD_REST = anyOf("me give", "have|dar|hinzu|dran|drauf|rein|ein|an|noch|another|weitere[ns]?|please");
const MAKES = anyOf(
  "make want new add draw",
  "attach|(?<=^[\\s·]*)(?:chart|graph)(?= \\p{L})|compare|darstell~|zeichne~|vergleich~|bau~|mach~|hinzufügen",
);
const DRAWS = /^[\s·]*(?:plot|draw|chart|graph|visuali[sz]e|zeichne|visualisiere)(?!\p{L})/iu;
const ADDS = anyOf("add");

/** A new chart, on a dashboard or by itself. */
export async function planWidget(clause: Clause): Promise<PlannedStep[] | undefined> {
  const { reader, inventory, assumptions } = clause;
  const head = /^\s*([\p{L} ]{3,20}):/u.exec(reader.left)?.[1] ?? "";
  const hasType = CHARTS.some(([chart]) => reader.has(chart));
  const isMeant =
    ADDS.test(reader.left.slice(0, 25)) ||
    (head !== "" && (CHARTS.some(([chart]) => chart.test(head)) || WIDGET.test(head))) ||
    DRAWS.test(reader.left) ||
    (reader.has(MAKES) && (reader.has(WIDGET) || hasType || reader.has(BOARD)));
  if (!isMeant) return undefined;
  const isOnBoard = reader.named("dashboard") || reader.has(BOARD) || clause.dashboardId !== undefined;
  const board = isOnBoard ? await dashboardIn(clause) : undefined;
  const name = takeName(reader) ?? takeQuoted(reader);
  reader.take(new RegExp(`^\\s*${WIDGET.source}\\s*:`, "iu"));
  reader.takeAll(MAKES);
  reader.takeAll(ADD_REST);
  const text = reader
    .rest()
    .replace(
      /[\s,]*(?:\b(?:to|on|onto|auf|zu|zum|an|in|to the|on the|auf dem|an das|dem)\s*)+[.?!]*\s*$/i,
      " ",
    );
  if (wordsIn(text).every(isFunctionWord))
    throw new AskBack(
      "What should the chart show? Name numbers and what they are by.",
      await examples(clause),
    );
  const near = (await inventory.widgets()).flatMap(({ dashboard_id, dataset_id }) =>
    dashboard_id === board?.id && dataset_id !== null ? [dataset_id] : [],
  );
  const read = await readChart(text, inventory, assumptions, near);
  const wish = { ...read, ...(name !== undefined && { name }) };
  return oneStep(
    "create_widget",
    { ...wish, ...(board !== undefined && { dashboard_id: board.id }) },
    `Make the chart “${wish.name}”${board === undefined ? "" : ` on “${board.name}”`}`,
  );
}

const FILTER = anyOf("filter");
const FILTER_VERB = anyOf(
  "give add draw only limit",
  "another|a|hinzu|set|apply|let|allow|make|filterable|bau~|ein~|einen|auf|by|nach|readers?|people|users?|viewers?|leser~|nutzer~|to|down",
);

/** A field that readers of a dashboard can filter by, or a value that it is filtered by, beside the filters that there are. */
export async function planBoardFilter(clause: Clause): Promise<PlannedStep[] | undefined> {
  const { reader, inventory } = clause;
  const isOpen = clause.dashboardId !== undefined && clause.widgetId === undefined;
  const isOnly =
    reader.has(BOARD) && reader.has(anyOf("only")) && !CHARTS.some(([chart]) => reader.has(chart));
  if (!(reader.has(FILTER) || isOnly) || reader.has(WIDGET)) return undefined;
  if (!isOpen && !reader.has(BOARD) && !reader.named("dashboard")) return undefined;
  if (!reader.has(BOARD) && reader.named("widget")) return undefined;
  const board = await dashboardIn(clause);
  if (typeof board.id !== "number")
    throw new AskBack("Make the dashboard first: by which field should it be filtered?");
  reader.takeAll(FILTER);
  reader.takeAll(FILTER_VERB);
  const shown = new Set(
    (await inventory.widgets())
      .filter(({ dashboard_id }) => dashboard_id === board.id)
      .map(({ dataset_id }) => dataset_id),
  );
  const datasets = (await inventory.datasets()).filter(({ id }) => shown.has(id));
  const isDate = reader.take(DATE) !== null && reader.words().length === 0;
  const text = reader.rest();
  for (const dataset of datasets) {
    const date = isDate ? dateOf(dataset) : undefined;
    const wanted =
      date === undefined
        ? await wantedFilters(text, dataset, inventory)
        : [{ field: date.name, operator: "between" }];
    if (wanted === undefined) continue;
    const { filters = [] } = await inventory.details<{ filters?: { field?: string; operator?: string }[] }>(
      "dashboard",
      board.id,
    );
    const changed = wanted.map((wish) => {
      const there = filters.find(({ field }) => field === wish.field);
      const values = "value" in wish && there?.operator === "in" ? { value: [wish.value].flat() } : wish;
      return {
        label: labelOf(wish.field),
        ...wish,
        ...there,
        ...values,
        ...(there?.operator && { operator: there.operator }),
      };
    });
    const kept = filters.filter(({ field }) => !wanted.some((wish) => wish.field === field));
    const said = wanted.map(({ field, ...rest }) =>
      ["value" in rest ? rest.value : [], field].flat().join(" "),
    );
    return oneStep(
      "update_dashboard",
      {
        dashboard_id: board.id,
        filters: [...kept, ...changed],
      },
      `Filter “${board.name}” by ${said.join(" and ")}`,
    );
  }
  const left = wordsIn(text).filter((word) => !isFunctionWord(word));
  throw new AskBack(
    `${left.length === 0 ? "" : `What do you mean by “${left.join(" ")}”? `}By which field should “${board.name}” be filtered?`,
    datasets.flatMap(({ columns }) => columns),
    left.length,
  );
}

const DATE = words("(?:date|time|datums?)(?: ?range)?|datum|zeitraum|period");

/** A field that readers choose by, or values that are chosen; nothing where the dataset has neither. */
async function wantedFilters(
  text: string,
  dataset: DatasetInfo,
  inventory: Clause["inventory"],
): Promise<(Filter | Omit<Filter, "value">)[] | undefined> {
  const fit = fitText(text, dataset);
  const values = await filtersOf(fit, inventory).catch((error: unknown) => {
    if (error instanceof AskBack) return undefined;
    throw error;
  });
  const [column, ...more] = [...fit.dims, ...fit.measures];
  if (values === undefined || more.length > 0 || fit.ofRows) return undefined;
  if (column === undefined) return values.length === 0 ? undefined : values;
  return values.length > 0 ? undefined : [{ field: column.name, operator: isNumeric(column) ? "=" : "in" }];
}

function labelOf(name: string): string {
  const all = name.replaceAll("_", " ");
  return all.charAt(0).toUpperCase() + all.slice(1);
}
