import type { Document } from "mongodb";
import { AppError } from "../../../../kernel/errors.ts";
import type { Parameters } from "../connector.ts";
import { checkQueryLength, noValue } from "../database-errors.ts";
import { type CallValue, parseShell, type ShellCall } from "./shell-text.ts";

/** One read of a collection. */
export type MongoQuery = { collection: string } & (
  | { kind: "find"; filter: Document; options: FindOptions }
  | { kind: "aggregate"; pipeline: Document[] }
  | { kind: "count"; filter: Document }
  | { kind: "distinct"; field: string; filter: Document }
);

interface FindOptions {
  projection?: Document;
  sort?: Document;
  limit?: number;
  skip?: number;
}

const HINT =
  'Write it such as db.orders.find({status: "open"}).limit(100), db.orders.aggregate([…]), or {"collection": "orders", "find": {…}}.';

/** Reads the shell's way of writing, and its JSON twin; `":name"` as a whole value stands for a parameter. */
export function mongoQuery(query: string, parameters: Parameters = {}): MongoQuery {
  checkQueryLength(query);
  const parsed = parseShell(query.trim().replace(/;\s*$/, ""), HINT);
  const read = "calls" in parsed ? fromCalls(parsed.collection, parsed.calls) : fromObject(parsed.value);
  const filled = withValues(read, parameters) as MongoQuery;
  checkReads(filled);
  return filled;
}

function fromCalls(collection: string, [first, ...rest]: readonly ShellCall[]): MongoQuery {
  const [one, two] = first?.args ?? [];
  switch (first?.name) {
    case "find":
    case "findOne":
      return { collection, kind: "find", filter: documentOf(one), options: optionsOf(first, two, rest) };
    case "aggregate":
      noMore(rest);
      if (!Array.isArray(one)) throw wrong("aggregate takes a list of stages.");
      return { collection, kind: "aggregate", pipeline: one.map(documentOf) };
    case "count":
    case "countDocuments":
      noMore(rest);
      return { collection, kind: "count", filter: documentOf(one) };
    case "distinct":
      noMore(rest);
      if (typeof one !== "string") throw wrong("distinct takes the name of a field.");
      return { collection, kind: "distinct", field: one, filter: documentOf(two) };
    default:
      throw wrong(
        `A datasource is only read, with find, aggregate, countDocuments or distinct; not ${first?.name}.`,
      );
  }
}

function optionsOf(first: ShellCall, projection: CallValue, rest: readonly ShellCall[]): FindOptions {
  const options: FindOptions = first.name === "findOne" ? { limit: 1 } : {};
  if (projection !== undefined) options.projection = documentOf(projection);
  for (const { name, args } of rest) {
    const [value] = args;
    if (name === "sort" || name === "projection") options[name] = documentOf(value);
    else if ((name === "limit" || name === "skip") && typeof value === "number") options[name] = value;
    else if (name !== "toArray" && name !== "pretty") throw wrong(`find is not followed by ${name}.`);
  }
  return options;
}

function fromObject(value: CallValue): MongoQuery {
  const { collection, find, aggregate, pipeline, projection, sort, limit, skip, ...others } =
    documentOf(value);
  const name = collection ?? (typeof find === "string" ? find : aggregate);
  if (typeof name !== "string" || name === "") throw wrong("The query does not name its collection.");
  const [unknown] = Object.keys(others).filter(
    (key) => key !== "filter" && key !== "query" && key !== "cursor",
  );
  if (unknown !== undefined) throw wrong(`A query has no field ${unknown.slice(0, 50)}.`);
  const stages = Array.isArray(aggregate) ? aggregate : pipeline;
  if (Array.isArray(stages)) return { collection: name, kind: "aggregate", pipeline: stages.map(documentOf) };
  const filter = documentOf(others.filter ?? others.query ?? (typeof find === "object" ? find : {}));
  const options = Object.fromEntries(
    Object.entries({ projection, sort, limit, skip }).filter(([, item]) => item !== undefined),
  );
  return { collection: name, kind: "find", filter, options };
}

function noMore([next]: readonly ShellCall[]): void {
  if (next !== undefined && next.name !== "toArray")
    throw wrong(`Nothing may follow it, and ${next.name} does.`);
}

function documentOf(value: unknown): Document {
  if (value === undefined || value === null) return {};
  if (typeof value === "object" && !Array.isArray(value)) return value;
  throw wrong("An object is wanted in {}.");
}

function wrong(message: string): AppError {
  return new AppError("bad_request", message, { hint: HINT });
}

function withValues(value: unknown, parameters: Parameters): unknown {
  if (typeof value === "string") {
    const name = /^:([A-Za-z_]\w*)$/.exec(value)?.[1];
    if (name === undefined) return value;
    if (!Object.hasOwn(parameters, name)) throw noValue(name, Object.keys(parameters));
    return parameters[name];
  }
  if (Array.isArray(value)) return value.map((item) => withValues(item, parameters));
  if (typeof value !== "object" || value === null || Object.getPrototypeOf(value) !== Object.prototype)
    return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, withValues(item, parameters)]),
  );
}

/** Stages that write, and operators that run a script on the server. */
const REFUSED = new Set(["$out", "$merge", "$where", "$function", "$accumulator"]);

function checkReads(value: unknown): void {
  if (Array.isArray(value)) for (const item of value) checkReads(item);
  else if (typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype) {
    for (const [name, item] of Object.entries(value)) {
      if (REFUSED.has(name)) {
        throw new AppError("bad_request", `A datasource is only read, and ${name} does not only read.`, {
          hint: "Leave it out.",
        });
      }
      checkReads(item);
    }
  }
}
