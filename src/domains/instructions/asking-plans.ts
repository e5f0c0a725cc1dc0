import { oneStep, type PlannedStep } from "./plan.ts";
import { words } from "./reader.ts";
import { type Clause, dashboardIn, takeDataset } from "./references.ts";
import { BOARD } from "./words.ts";

const KINDS: readonly (readonly [RegExp, string])[] = [
  [words("reports|berichte?n?"), "list_reports"],
  [words("alerts|alarme?n?|alarms|warnungen"), "list_alerts"],
  [words("data ?sets|datensätze?n?|datasets|data sources do we have"), "list_datasets"],
  [words("(?:dash)?boards|übersichten"), "list_dashboards"],
];
const LISTS = words(
  "list~|which|what|welche[nrs]?|show|zeig~|nenn~|display|give|gib|any|are there|is there|gibt|do we have|haben wir|see|what are|overview of|übersicht|zähl~|liste|tell|how many",
);
const LIST_REST = words(
  "all|alle[nr]?|of|me|us|mir|uns|have|haben|do|currently|derzeit|aktuell~|momentan|active|aktive?n?|scheduled|geplante?n?|set up|exist~|existieren|available|verfügbar~|auf|an|there|es|gibt|here|defined|eingerichtet~|configured|laufen|running|go out|goes out|to whom|whom|who gets them|an wen|und|names?|list|workspace|saved|right now|verschickt|firing|so|jetzt",
);
/** Something other than a list is wanted of them. */
const NO_LIST = words(
  "as|als|pdf|csv|png|export~|send~|schick~|mail~|pause|pausier~|create|erstell~|every|jede[nrs]?|move|rename|make",
);

/** The dashboards, alerts, reports or datasets; of alerts and reports also those on something. */
export async function planList(clause: Clause): Promise<PlannedStep[] | undefined> {
  const { reader, inventory } = clause;
  const tool = KINDS.find(([pattern]) => reader.has(pattern))?.[1];
  if (tool === undefined || !reader.has(LISTS) || reader.has(NO_LIST)) return undefined;
  for (const [pattern, name] of KINDS) if (name === tool) reader.takeAll(pattern);
  for (const pattern of [LISTS, LIST_REST]) reader.takeAll(pattern);
  const says = `List the ${tool.slice(5)}`;
  if (reader.words().length === 0) return oneStep(tool, {}, says);
  const dataset = tool === "list_alerts" ? takeDataset(reader, await inventory.datasets()) : undefined;
  if (dataset !== undefined) return oneStep(tool, { dataset_id: dataset.id }, `${says} on ${dataset.name}`);
  if (tool !== "list_reports" || !reader.has(BOARD)) return oneStep(tool, {}, says);
  const board = await dashboardIn(clause);
  return oneStep(tool, { dashboard_id: board.id }, `${says} of “${board.name}”`);
}

const FIND =
  /^\s*(?:please\s+|bitte\s+)?(?:find|search(?:\s+for)?|look\s+for|such\p{L}*|find\p{L}*|where\s+(?:can|do)\s+(?:i|we)\s+(?:find|see|show)|wo\s+(?:finde|sehe|gibt)\s+(?:ich|wir|es)|which\s+(?:of\s+(?:our|the|my)\s+)?(?:charts?|widgets?|dashboards?)\s+(?:use|show|have|are\s+about|contain)|welche\p{L}*\s+(?:diagramme?|dashboards?|charts?)\s+(?:zeig\p{L}*|nutz\p{L}*|verwend\p{L}*|enthalten|haben|gibt es)|(?:is|are)\s+there\s+(?:already\s+)?(?:a|an|any)\s+(?:chart|widget|dashboard)s?|gibt\s+es\s+(?:schon\s+|bereits\s+)?ein\p{L}*\s+(?:diagramm|dashboard|chart))(?!\p{L})/iu;

export async function planFind({ reader }: Clause): Promise<PlannedStep[] | undefined> {
  const found = reader.take(FIND);
  if (found === null) return undefined;
  reader.release(true);
  const query = reader
    .rest()
    .replace(
      /^(?:\s*(?:me|us|mir|uns|everything|anything|something|all|any|alles|etwas|nach|for|about|on|the|über|zu|zum|zum thema|charts?|widgets?|dashboards?|diagramme?)(?!\p{L}))*/iu,
      "",
    )
    .replace(/[?.!]+\s*$/, "")
    .trim();
  return oneStep("search_assets", { query: query || reader.text.trim() }, `Search for “${query}”`);
}

const ASKS =
  /^[\s·]*(?:(?:hey|so|und|and)[\s,]+)*(?:what|what's|how|how's|which|who|where|why|did|was|were|has|wie|wieviele?|was|welche\p{L}*|wer|wann|wo|warum|wieso|hat|hatten|gab)(?!\p{L})/iu;
const MAY_ASK =
  /\?\s*$|^[\s·]*(?:when|is|are|(?:do|does|have)(?=\s+(?:we|you|i|they|the|our))|ist|sind|haben|gibt|show|zeig\p{L}*|tell|sag\p{L}*|give|gib|compute|calculate|berechne\p{L}*|count|zähl\p{L}*|list\p{L}*|nenn\p{L}*|compare|vergleich\p{L}*)(?!\p{L})/iu;
/** Texts that people write for each other; what is in them is no number of a dataset. */
const DOCUMENTS =
  /(?<!\p{L})(?:polic(?:y|ies)|(?:hand|guide)books?|manuals?|guidelines?|documents?|documentation|contracts?|procedures?|rules?|terms|wiki|knowledge base|according to|\p{L}*richtlinien?|\p{L}*handb[uü]ch\p{L}*|\p{L}*anleitung\p{L}*|\p{L}*dokument\p{L}*|\p{L}*vertr[aä]g\p{L}*|\p{L}*regeln?|\p{L}*regelung\p{L}*|\p{L}*vorschrift\p{L}*|\p{L}*bedingungen|laut|wissensdatenbank)(?!\p{L})/iu;

/** What begins as a question is one. What may be one is, where it could be nothing else. */
export async function planQuestion({ reader, isElse }: Clause): Promise<PlannedStep[] | undefined> {
  if (!ASKS.test(reader.left) && (isElse || !MAY_ASK.test(reader.left))) return undefined;
  const isOfTexts = DOCUMENTS.test(reader.left);
  reader.release(true);
  reader.rest();
  const question = reader.text.trim();
  return isOfTexts
    ? [{ tool: "ask_documents", args: { question }, says: "Answer the question from documents" }]
    : [{ tool: "ask_data", args: { question }, says: "Answer the question from the data" }];
}
