import { z } from "zod";
import { AppError } from "../../../../kernel/errors.ts";
import type { Parameters } from "../connector.ts";
import { checkQueryLength, noValue } from "../parameter-errors.ts";

/** What one request of a query asks for. */
export interface RestQuery {
  url: URL;
  body: unknown;
  resultPath: string | undefined;
}

const queryFields = z.strictObject({
  path: z.string().optional(),
  params: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).optional(),
  body: z.unknown().optional(),
  resultPath: z.string().min(1).max(500).optional(),
});

/**
 * A query is empty, or a path below the datasource's URL (`/orders?status=open`), or an object with path, params,
 * body and resultPath. `{name}` stands for a parameter.
 */
export function restQuery(query: string, base: URL, parameters: Parameters = {}): RestQuery {
  checkQueryLength(query);
  const { path = "", params = {}, body, resultPath } = fieldsOf(query.trim());
  if (/\s/.test(path.replace(/[?#].*$/s, ""))) throw noPath();
  const filled = fill(path, parameters, encodeURIComponent);
  const missing = /\{([A-Za-z_]\w*)\}/.exec(filled)?.[1];
  if (missing !== undefined) throw noValue(missing, Object.keys(parameters));
  const url = below(base, filled);
  for (const [name, value] of Object.entries(params)) {
    url.searchParams.set(
      name,
      fill(String(value), parameters, (text) => text),
    );
  }
  return { url, body: fillAll(body, parameters), resultPath };
}

/** Whoever writes SQL, or a query of another kind, would be answered with the 404 of a page that nobody asked for. */
function noPath(): AppError {
  return new AppError(
    "bad_request",
    "The query of a REST datasource is a path below its URL, and this is none.",
    {
      hint: 'Write it such as /orders?status=open, or {"path": "/orders", "params": {"status": "open"}}; a blank in a path is %20. What begins with select is C9QL, and works on the rows that the URL gives.',
    },
  );
}

function fieldsOf(query: string): z.infer<typeof queryFields> {
  if (!query.startsWith("{")) return { path: query };
  const { data, error } = queryFields.safeParse(asJson(query));
  if (error === undefined) return data;
  throw new AppError(
    "bad_request",
    "The query is neither a path nor an object with path, params, body and resultPath.",
    {
      hint: 'Write it such as /orders?status=open, or {"path": "/orders", "params": {"status": "open"}}.',
    },
  );
}

function asJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // `{id}/items` begins with a parameter.
    return { path: text };
  }
}

/** The credentials of the datasource go along, so a query must not lead away from where they are meant to go. */
function below(base: URL, path: string): URL {
  const [, pathname = "", search = ""] = /^([^?#]*)(?:\?([^#]*))?/.exec(path) ?? [];
  const folder = base.pathname.replace(/\/$/, "");
  const joined = pathname === "" ? base.pathname : `${folder}/${pathname.replace(/^[/\\]+/, "")}`;
  const url = URL.parse(joined, base.origin);
  const isBelow =
    url !== null &&
    url.origin === base.origin &&
    (url.pathname === base.pathname || url.pathname.startsWith(`${folder}/`));
  if (!isBelow) {
    throw new AppError("bad_request", "The path leads away from the URL of the datasource.", {
      hint: "Write a path below it, without .. and without a host.",
    });
  }
  for (const [name, value] of [...base.searchParams, ...new URLSearchParams(search)])
    url.searchParams.set(name, value);
  return url;
}

function fill(text: string, parameters: Parameters, encode: (text: string) => string): string {
  return text.replace(/\{([A-Za-z_]\w*)\}/g, (whole, name: string) => {
    if (!Object.hasOwn(parameters, name)) return whole;
    const value = parameters[name];
    return encode(Array.isArray(value) ? value.join(",") : String(value ?? ""));
  });
}

function fillAll(value: unknown, parameters: Parameters): unknown {
  if (typeof value === "string") {
    // A parameter alone keeps its type.
    const alone = /^\{([A-Za-z_]\w*)\}$/.exec(value)?.[1];
    if (alone !== undefined && Object.hasOwn(parameters, alone)) return parameters[alone];
    return fill(value, parameters, (text) => text);
  }
  if (Array.isArray(value)) return value.map((item) => fillAll(item, parameters));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, fillAll(item, parameters)]));
}
