import { addsUp, squared, type Unit, unitCalled, unitsPer } from "../../../models/quantities/index.ts";
import type { Knowledge } from "../../knowledge/build-knowledge.ts";
import { type AggregateFormula, isOfField } from "../../query/metric-formula.ts";
import { isEqual, isSameField, nodesIn } from "../../query/parts.ts";
import type { Schema } from "../../query/schema.ts";
import type { Cond, Key, Num } from "../../query/semantic-query.ts";
import { phraseKey } from "../languages/words.ts";
import type { Facts } from "./facts.ts";
import { isMoney, isSummed, isTaken } from "./model-words.ts";

type Is = Extract<Cond, { k: "is" }>;

/** The values that an aggregate takes rows of: `CASE WHEN orders.status = 'completed' THEN …`. */
function onlyIn({ pieces }: AggregateFormula): Is[] {
  if (pieces.some((piece) => typeof piece === "string" && /\b(or|not)\b|<>|!=/i.test(piece))) return [];
  return pieces.flatMap((piece, i) => {
    const said = /^\s*(?:=|in)\s*\(?((?:\s*'[^']*'\s*,?)+)/i.exec(String(pieces[i + 1] ?? ""))?.[1];
    if (typeof piece === "string" || said === undefined) return [];
    const values = [...said.matchAll(/'([^']*)'/g)].map(([, value = ""]) => value);
    return [{ k: "is" as const, key: { ds: piece.ds, field: piece.field }, values, match: "equal" as const }];
  });
}

/** What rules ask of the metrics of a model. */
export class MetricFacts {
  readonly schema: Schema;
  protected readonly model: Knowledge["model"];

  constructor({ model, schema }: Knowledge) {
    this.model = model;
    this.schema = schema;
  }

  /** Whether a metric counts something, and does not measure it; undefined where nobody says. */
  isCounting(name: string): boolean | undefined {
    const metric = this.model.metrics.find((each) => each.name === name);
    if (metric === undefined) return undefined;
    if (isMoney(metric)) return false;
    return /int/i.test(metric.dataType ?? "") ? true : undefined;
  }

  /** Whether a metric is called by the noun of a dataset: "tracks sold". */
  isCalled(name: string, ds: string): boolean {
    const ai = this.model.metrics.find((each) => each.name === name)?.ai;
    const noun = phraseKey(ds);
    return [name, ...(ai?.synonyms ?? [])].some((text) => phraseKey(text).split(" ").includes(noun));
  }

  /** Whether a metric is an average, a rate or a share. */
  isAverage(name: string): boolean {
    const { texts = [], aggregates = [] } = this.schema.metrics.get(name)?.formula ?? {};
    return texts.some((text) => text.includes("/")) || /^(avg|mean|median)$/.test(aggregates[0]?.fn ?? "");
  }

  /** Whether a metric leaves out all rows that a condition keeps: the revenue of completed orders has none of cancelled ones. */
  leavesOut(name: string, cond: Cond): boolean {
    if (cond.k === "and" || cond.k === "or") return cond.of.some((each) => this.leavesOut(name, each));
    if (cond.k === "link" && cond.path.length === 0 && cond.to.k === "where") {
      const { if: own, in: rest } = cond.to;
      return this.leavesOut(name, own) || this.leavesOut(name, { ...cond, to: rest });
    }
    if (cond.k !== "is" || cond.match !== "equal") return false;
    const { aggregates = [] } = this.schema.metrics.get(name)?.formula ?? {};
    return aggregates.every((each) => {
      const only = onlyIn(each).find(({ key }) => isSameField(key, cond.key));
      return only !== undefined && !cond.values.some((value) => only.values.includes(value));
    });
  }

  /** The rows that a sum is made of, where it leaves out others: those of completed orders. */
  rowsOf(name: string): Is[] {
    const { aggregates = [] } = this.schema.metrics.get(name)?.formula ?? {};
    const [first, ...others] = aggregates;
    if (first === undefined || aggregates.some(({ isCount }) => isCount)) return [];
    const own = onlyIn(first);
    return others.every((each) => isEqual(onlyIn(each), own)) ? own : [];
  }

  /** The columns that a number speaks of. */
  columnsOf(num: Num): string[] {
    const { aggregates = [] } = (num.k === "metric" && this.schema.metrics.get(num.name)?.formula) || {};
    return nodesIn([num, aggregates.map(({ columns }) => columns)]).flatMap(({ ds, field }) =>
      field === undefined ? [] : [`${ds}.${field}`],
    );
  }

  /** The author's own average of a field, which may leave something out. */
  averageOf({ ds, field }: Key): string | undefined {
    return [...this.schema.metrics.values()].find(
      ({ name, formula }) =>
        /^(average|avg|mean)_/.test(name) &&
        name.replace(/^(average|avg|mean)_/, "") === field &&
        formula.aggregates.every(({ columns }) => columns.some((column) => column.ds === ds)),
    )?.name;
  }

  /** The field of which a metric is the average, and nothing else. */
  averagedIn(name: string): Key | undefined {
    const { only } = this.schema.metrics.get(name)?.formula ?? {};
    const [key] = only?.columns ?? [];
    const isMean = only !== undefined && /^(avg|mean)$/.test(only.fn) && only.pieces.length === 3;
    return isMean && key !== undefined && isOfField(only, key) ? key : undefined;
  }

  /** The sum of what a metric is the average of. */
  sumBeside(average: string): string | undefined {
    const { aggregates = [] } = this.schema.metrics.get(average)?.formula ?? {};
    const [key, ...others] = aggregates.flatMap(({ columns }) => columns);
    const isSum = (name: string) => name !== average && !this.isAverage(name);
    return key === undefined || others.length > 0 ? undefined : this.metricsOf(key).find(isSum);
  }

  /** How many of something each row has, by its name: of `children` there may be none. */
  isTally({ ds, field }: Key): boolean {
    const { type = "" } = this.schema.datasets.get(ds)?.fields.get(field) ?? {};
    return /INT/i.test(type) && /[^s]s$|children|people/.test(field);
  }

  /** The field that a metric adds up, where it says how many each row has. */
  tallyOf(name: string): Key | undefined {
    const { only } = this.schema.metrics.get(name)?.formula ?? {};
    const [key] = only?.columns ?? [];
    const isSum = key !== undefined && this.metricsOf(key).includes(name) && !this.isAverage(name);
    return isSum && this.isTally(key) ? key : undefined;
  }

  /** The metric that is one sum or average of a field, and nothing else; of several the one that is called like it. */
  metricOf(key: Key): string | undefined {
    const all = this.metricsOf(key);
    const own = key.field.replaceAll("_", " ");
    const called = all.find((name) =>
      this.model.metrics.find((metric) => metric.name === name)?.ai.synonyms.includes(own),
    );
    return called ?? (all.length === 1 ? all[0] : undefined);
  }

  /** The metrics that are one sum or average of a field. */
  metricsOf(key: Key): string[] {
    return [...this.schema.metrics.values()]
      .filter(({ formula: { only } }) => only?.isCount === false && isOfField(only, key))
      .map(({ name }) => name);
  }
}

/** What each has one of: the cost of a unit, the level at which it is ordered again. */
const OF_EACH = /^unit_|_per_|(^|_)(level|limit|point|threshold|min|max|minimum|maximum|grenze)$/i;

/** Whether there is so much of it that something can be told for each: square metres and seats, but no prices. */
export function isShared(facts: Facts, key: Key): boolean {
  const { field } = key;
  if (facts.isFraction(key) || isTaken(field) || OF_EACH.test(field)) return false;
  return addsUp(field) || isSummed(field);
}

/** What is measured in units that questions are read with. */
type Kind = "time" | "money" | "area" | "weight" | "length";

const KINDS: ReadonlyMap<string, Kind> = new Map([
  ["duration", "time"],
  ["money", "money"],
  ["area", "area"],
  ["weight", "weight"],
  ["length", "length"],
]);

function kindOf(unit: Unit | undefined): Kind | undefined {
  return unit === undefined ? undefined : KINDS.get(unit.quantity);
}

/** What a word after a number, or after "in", says that it is measured in. */
export function unitNamed(norm: string): Kind | undefined {
  return kindOf(unitCalled(norm));
}

/** The sign of the currency that a text names. */
export function currencyIn(text: string): string | undefined {
  const named = text
    .toLowerCase()
    .split(/[^\p{L}€$£¥]+/u)
    .map((word) => unitCalled(word));
  return named.find((unit) => unit?.quantity === "money" && unit.factor === 1)?.sign;
}

/** Words before the unit that something is measured in; elsewhere in a text a day is no unit. */
const BEFORE_UNIT = /^(in|of|average|mean|total|square)?$/;

/** The unit that a description of a number names: `duration_minutes`, "Length in minutes", "Hours from …". */
export function unitIn(texts: readonly (string | null)[]): string | undefined {
  for (const text of texts) {
    const words = squared(text ?? "")
      .toLowerCase()
      .split(/[^\p{L}]+/u);
    const isName = !text?.includes(" ");
    const named = words.find((word, i) => {
      const kind = unitNamed(word);
      if (!isName && !BEFORE_UNIT.test(words[i - 1] ?? "")) return false;
      return kind === "area" || (kind === "time" && (word.length > 2 || word === "ms"));
    });
    if (named !== undefined) return named;
  }
  return undefined;
}

/** How many of one unit make one of another; undefined where they measure something else. */
export function unitsIn(one: string, other: string): number | undefined {
  const [a, b] = [unitCalled(one), unitCalled(other)];
  return a === undefined || b === undefined ? undefined : unitsPer(a, b);
}
