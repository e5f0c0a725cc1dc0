import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { AppError, ERROR_CODES } from "../../src/kernel/errors.ts";
import type { Permission } from "../../src/kernel/permissions.ts";
import type { SurfaceName } from "../../src/registry/caller.ts";
import { resourcesOf } from "../../src/registry/define-resource.ts";
import { toolsOf } from "../../src/registry/define-tool.ts";
import type { Registry } from "../../src/registry/registry.ts";

/** Tools and resources that tests mount on the real stack, to see forms that no tool of today shows. */

const defineTool = toolsOf<object>();
const defineResource = resourcesOf<object>();

type SeedSurface = Exclude<SurfaceName, "all">;
const SEED_SURFACES: readonly SeedSurface[] = ["bi", "agent", "memory", "models", "knowledge"];

function everywhere(name: string): Record<SeedSurface, string> {
  return Object.fromEntries(SEED_SURFACES.map((surface) => [surface, name])) as Record<SeedSurface, string>;
}

const echo = defineTool({
  name: "fixture_echo",
  toolset: "memory",
  wire: everywhere("fixture_echo"),
  title: "Echo",
  description: "Gives back the text that it was given.",
  permission: null,
  effect: "read",
  input: z.strictObject({ text: z.string().max(100), more: z.record(z.string(), z.unknown()).optional() }),
  output: z.object({ text: z.string(), more: z.record(z.string(), z.unknown()).optional() }),
  run: async ({ text, more }) => ({ text, ...(more !== undefined && { more }) }),
});

const fail = defineTool({
  name: "fixture_fail",
  toolset: "memory",
  wire: everywhere("fixture_fail"),
  title: "Fail",
  description: "Fails in the way that it is told, or as nobody expects.",
  permission: null,
  effect: "read",
  input: z.strictObject({ code: z.enum([...ERROR_CODES, "bug"]) }),
  output: z.object({}),
  run: async ({ code }) => {
    if (code === "bug") throw new TypeError("hunter2 is not a function");
    throw new AppError(code, `It was ${code}.`, { hint: "Try something else." });
  },
});

const wait = defineTool({
  name: "fixture_wait",
  toolset: "memory",
  title: "Wait",
  description: "Takes its time.",
  permission: null,
  effect: "read",
  input: z.strictObject({ ms: z.int().max(10_000) }),
  output: z.object({ waitedMs: z.int() }),
  run: async ({ ms }, { signal }) => {
    await sleep(ms, undefined, { signal });
    return { waitedMs: ms };
  },
});

/** The permission that changing something takes on each surface. */
export const WRITE_PERMISSIONS: Readonly<Record<SeedSurface, Permission>> = {
  bi: "bi:write",
  agent: "data_agent:write",
  memory: "memory:write",
  models: "ontologies:write",
  knowledge: "knowledge:write",
};

/** One tool a surface that needs its write permission. */
const writers = SEED_SURFACES.map((surface) =>
  defineTool({
    name: `fixture_write_${surface}`,
    toolset: "memory",
    wire: { [surface]: "fixture_write" },
    title: "Write",
    description: "Does what only those may do who may change something.",
    permission: WRITE_PERMISSIONS[surface],
    effect: "write",
    input: z.strictObject({}),
    output: z.object({ done: z.boolean() }),
    run: async () => ({ done: true }),
  }),
);

const failures = defineResource({
  uri: { agent: "knecta://failures/{id}" },
  name: "failure",
  title: "Failure",
  description: "Its id says how the reading of it fails.",
  mimeType: "application/json",
  permission: "ontologies:read",
  read: async ({ id }) => {
    throw new AppError(id as never, `It was ${id}.`, { hint: "Try another." });
  },
});

export function mountFixtures(registry: Registry): void {
  registry.add({
    services: {},
    tools: [echo, fail, wait, ...writers],
    resources: [failures],
  });
}
