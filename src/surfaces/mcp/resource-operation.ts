import { z } from "zod";
import { AppError } from "../../kernel/errors.ts";
import { clip } from "../../kernel/text.ts";
import { type Operation, rulesOf } from "../../registry/call.ts";
import type { Resource } from "../../registry/define-resource.ts";

/** The operation behind the reading of a resource by its address. */
export function readOperation(resource: Resource, uri: string): Operation {
  return {
    ...rulesOf(resource),
    kind: "resource",
    name: uri,
    timeoutMs: resource.timeoutMs,
    input: z.record(z.string(), z.string()),
    run: (params: Record<string, string>, context) => resource.read(params, context),
  };
}

export function noResource(uri: string): AppError {
  if (uri === "") return new AppError("bad_request", "params.uri is missing, or no text.");
  const hint = "resources/list and resources/templates/list show what there is.";
  return new AppError("not_found", `Resource not found: ${clip(uri)}`, { hint });
}
