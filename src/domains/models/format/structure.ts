import { isReserved } from "../guard/checks.ts";
import { type ModelDataset, type Problem, type Relationship, type SemanticModel, sqlOf } from "../model.ts";
import { repeatedName } from "./readers.ts";
import { locate, type Report, spellingSuggestion, step } from "./report.ts";

/** A problem whose words are found only if somebody will read them: that takes longer than all the rest. */
type Finding = Pick<Problem, "severity" | "path"> & {
  message: string | (() => string);
  hint?: string | ((report: Report) => string | undefined);
};

/** Reports what can be said about a model without looking at the data. */
export function checkStructure(model: SemanticModel, report: Report): void {
  for (const { severity, path, message, hint } of problemsOf(model)) {
    if (!report.hasRoom(severity)) {
      report.skip();
      continue;
    }
    const words = typeof hint === "function" ? hint(report) : hint;
    const problem = {
      severity,
      path,
      message: typeof message === "function" ? message() : message,
      ...(words !== undefined && { hint: words }),
    };
    report.add(locate(problem, report.places));
  }
}

function* problemsOf(model: SemanticModel): Generator<Finding> {
  if (model.datasets.length === 0) yield error("datasets", "The model has no datasets.");
  yield* repeated("dataset", "datasets", model.datasets);
  yield* repeated("relationship", "relationships", model.relationships);
  yield* repeated("metric", "metrics", model.metrics);
  const datasets = new Map(model.datasets.map((one) => [one.name.toLowerCase(), new Indexed(one)]));
  for (const dataset of model.datasets) yield* checkDataset(dataset);
  for (const relationship of model.relationships) yield* checkRelationship(relationship, datasets);
  yield* ambiguousJoins(model.relationships);
  for (const { name, expression } of model.metrics) {
    if (sqlOf(expression) === "") {
      yield error(step("metrics", name), "The metric has no expression.", "Say how it is computed.");
    }
  }
}

function error(path: string, message: Finding["message"], hint?: Finding["hint"]): Finding {
  return { severity: "error", message, ...(hint !== undefined && { hint }), path };
}

function warning(path: string, message: Finding["message"], hint?: Finding["hint"]): Finding {
  return { ...error(path, message, hint), severity: "warning" };
}

function* repeated(noun: string, path: string, items: readonly { name: string }[]): Generator<Finding> {
  const seen = new Set<string>();
  for (const { name } of items) {
    if (seen.has(name.toLowerCase())) {
      yield error(step(path, name), repeatedName(noun, name), "Rename one of them, or take one out.");
    }
    seen.add(name.toLowerCase());
  }
}

function* checkDataset({ name, fields }: ModelDataset): Generator<Finding> {
  const path = step("datasets", name);
  if (isReserved(name)) {
    yield error(
      path,
      `${name} is a name of the engine's own: it could not be queried.`,
      "Rename the dataset.",
    );
  }
  if (fields.length === 0) {
    yield warning(
      path,
      "The dataset has no fields: nobody can ask about it.",
      "Describe its columns as fields.",
    );
  }
  yield* repeated("field", step(path, "fields"), fields);
  for (const field of fields) {
    if (sqlOf(field.expression) !== "") continue;
    yield error(step(step(path, "fields"), field.name), "The field has no expression.");
  }
}

/** A dataset with what is looked up in it again and again; upper and lower case are the same. */
class Indexed {
  readonly dataset: ModelDataset;
  readonly columns: ReadonlySet<string>;
  readonly #keys: ReadonlySet<string>;

  constructor(dataset: ModelDataset) {
    this.dataset = dataset;
    this.columns = new Set(
      dataset.fields.flatMap(({ name, expression }) => [
        name.toLowerCase(),
        bare(sqlOf(expression)).toLowerCase(),
      ]),
    );
    this.#keys = new Set([dataset.primaryKey, ...dataset.uniqueKeys].map(keyText));
  }

  /** True if no two rows agree in these columns. A key with further columns is one as well. */
  isUniqueBy(columns: readonly string[]): boolean {
    const { primaryKey } = this.dataset;
    if (this.#keys.has(keyText(columns))) return true;
    if (primaryKey.length === 0 || primaryKey.length > columns.length) return false;
    const given = new Set(columns.map((column) => column.toLowerCase()));
    return primaryKey.every((column) => given.has(column.toLowerCase()));
  }
}

function keyText(columns: readonly string[]): string {
  return JSON.stringify(columns.map((column) => column.toLowerCase()).sort());
}

function bare(sql: string): string {
  const inner = sql.slice(1, -1);
  const isQuoted = sql.length >= 2 && sql.startsWith('"') && sql.endsWith('"');
  return isQuoted && !inner.replaceAll('""', "").includes('"') ? inner.replaceAll('""', '"') : sql;
}

/** Names that a message lists; the rest is only hinted at. */
const LISTED_NAMES = 50;

function some(names: readonly string[]): string {
  return names.length <= LISTED_NAMES
    ? names.join(", ")
    : `${names.slice(0, LISTED_NAMES).join(", ")} and ${names.length - LISTED_NAMES} more`;
}

/** Most names that a misspelt one is compared with. */
const COMPARED_NAMES = 200;

function suggestion(word: string, known: Iterable<string>, report: Report): string | undefined {
  const meant = spellingSuggestion(word, [...Iterator.from(known).take(COMPARED_NAMES)], report);
  return meant === undefined ? undefined : `Did you mean ${meant}?`;
}

function* checkRelationship(
  { name, from, to, fromColumns, toColumns }: Relationship,
  datasets: ReadonlyMap<string, Indexed>,
): Generator<Finding> {
  const path = step("relationships", name);
  const [many, one] = [datasets.get(from.toLowerCase()), datasets.get(to.toLowerCase())];
  for (const [end, wanted, found] of [["from", from, many] as const, ["to", to, one] as const]) {
    if (found !== undefined) continue;
    const known = () => Iterator.from(datasets.values()).map(({ dataset }) => dataset.name);
    yield error(step(path, end), `There is no dataset ${wanted}.`, (report) =>
      suggestion(wanted, known(), report),
    );
  }
  if (fromColumns.length === 0 || fromColumns.length !== toColumns.length) {
    const message = `The relationship joins ${fromColumns.length} columns to ${toColumns.length}.`;
    yield error(path, message, "Name as many columns in from_columns as in to_columns, at least one.");
    return;
  }
  if (many !== undefined) yield* unknownColumns(many, fromColumns, step(path, "from_columns"));
  if (one !== undefined) yield* unknownColumns(one, toColumns, step(path, "to_columns"));
  if (one === undefined || one.isUniqueBy(toColumns)) return;
  // Joining on what is no key multiplies rows, and then sums are wrong.
  yield warning(
    path,
    () => `${some(toColumns)} is no key of ${to}: a row of ${from} may have several partners there.`,
    () =>
      many?.isUniqueBy(fromColumns)
        ? `${some(fromColumns)} is a key of ${from}: perhaps from and to are the wrong way round.`
        : `Declare it as primary_key or in unique_keys of ${to} if it is one.`,
  );
}

/** A column need not be a field of the model, so this is only worth a look. */
function* unknownColumns({ dataset, columns }: Indexed, wanted: readonly string[], path: string) {
  if (dataset.fields.length === 0) return;
  for (const column of wanted) {
    if (columns.has(column.toLowerCase())) continue;
    const hint = (report: Report) =>
      suggestion(column, columns, report) ?? "That is fine if the data have such a column.";
    yield warning(path, `No field of ${dataset.name} has the name ${column}.`, hint);
  }
}

/** True if a problem is that one: it says nothing more once the data have been looked at. */
export function isForData({ severity, path, message }: Problem): boolean {
  return severity === "warning" && /\.(?:from|to)_columns$/.test(path) && message.startsWith("No field of ");
}

const WHICH_WAY = "Say in ai_context when each of the ways is meant.";

/**
 * Datasets that can be joined in more than one way. Both parallel relationships (order date, delivery date) and
 * circles are normal, but whoever asks should know that there is a choice. A dataset joined to itself is none.
 */
function* ambiguousJoins(relationships: readonly Relationship[]): Generator<Finding> {
  const tree = new JoinTree();
  const parallel = new Map<string, Relationship[]>();
  for (const relationship of relationships) {
    const { from, to, name } = relationship;
    if (from.toLowerCase() === to.toLowerCase()) continue;
    const pair = keyText([from, to]);
    const twins = parallel.get(pair);
    if (twins !== undefined) {
      twins.push(relationship);
      continue;
    }
    parallel.set(pair, [relationship]);
    if (tree.join(from, to)) continue;
    const message = () => `${from} and ${to} are also joined by way of ${some(tree.between(from, to))}.`;
    yield warning(step("relationships", name), message, WHICH_WAY);
  }
  for (const [first, ...others] of parallel.values()) {
    if (first === undefined || others.length === 0) continue;
    const names = [first, ...others].map(({ name }) => name);
    const message = () => `${first.from} and ${first.to} are joined in several ways: ${some(names)}.`;
    yield warning(step("relationships", first.name), message, WHICH_WAY);
  }
}

/** Datasets joined without circles; upper and lower case are the same. */
class JoinTree {
  readonly #names = new Map<string, string>();
  readonly #links = new Map<string, string[]>();
  /** The way to the representative of a tree: two datasets are joined when they have the same one. */
  readonly #above = new Map<string, string>();

  /** Joins two datasets; false when they already are, be it by way of others. */
  join(from: string, to: string): boolean {
    const [a, b] = [this.#key(from), this.#key(to)];
    if (this.#top(a) === this.#top(b)) return false;
    this.#above.set(this.#top(a), this.#top(b));
    this.#links.get(a)?.push(b);
    this.#links.get(b)?.push(a);
    return true;
  }

  #key(name: string): string {
    const key = name.toLowerCase();
    if (!this.#names.has(key)) {
      this.#names.set(key, name);
      this.#links.set(key, []);
    }
    return key;
  }

  #top(key: string): string {
    let top = key;
    for (let next = this.#above.get(top); next !== undefined; next = this.#above.get(top)) {
      const further = this.#above.get(next);
      if (further !== undefined) this.#above.set(top, further);
      top = next;
    }
    return top;
  }

  /** The datasets on the way, without its ends. Looks at all of them. */
  between(start: string, end: string): string[] {
    const [from, to] = [start.toLowerCase(), end.toLowerCase()];
    const cameFrom = new Map<string, string>([[to, to]]);
    for (const place of cameFrom.keys()) {
      if (place === from) break;
      for (const next of this.#links.get(place) ?? []) if (!cameFrom.has(next)) cameFrom.set(next, place);
    }
    const way: string[] = [];
    for (let place = cameFrom.get(from); place !== undefined && place !== to; place = cameFrom.get(place)) {
      way.push(this.#names.get(place) ?? place);
    }
    return way;
  }
}
