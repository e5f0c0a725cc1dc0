import { type Command, defineCommand, type Option } from "./command.ts";
import { JSON_OPTION } from "./common-options.ts";

const FILTERS = {
  workspace: { value: "SLUG", description: "Only this workspace; default: all, and what belongs to none" },
  action: { value: "NAME", description: "Such as mcp.tool.call, auth.sign_in or auth.denied" },
  user: { value: "EMAIL", description: "Only what this person did" },
  token: { value: "ID", description: "Only what was done with this token" },
  application: { value: "NAME", description: "Only what this OAuth application did, by its id or its name" },
  address: { value: "IP", description: "Only from this address" },
  dataset: { value: "ID", description: "Only what read or changed this dataset" },
  since: { value: "TIME", description: "From then on: 2026-11-17T14:00Z, or how long ago, such as 2h" },
  until: { value: "TIME", description: "Up to then, likewise" },
  "slower-than": { value: "MS", description: "Only what took longer" },
  failed: { description: "Only what failed or was refused" },
} as const satisfies Record<string, Option>;

/** Commands about what happened. */
export const AUDIT_COMMANDS: readonly Command[] = [
  defineCommand({
    name: "audit list",
    reads: true,
    summary: "List audit events, the newest first",
    options: { ...FILTERS, limit: { value: "N", description: "How many; default: 50" }, ...JSON_OPTION },
    run: async (input, terminal) => (await import("./audit.ts")).listAudit(input, terminal),
  }),
  defineCommand({
    name: "audit export",
    summary: "Write audit events as JSON Lines, the newest first",
    options: { ...FILTERS, output: { value: "FILE", description: "Where to; default: standard output" } },
    run: async (input, terminal) => (await import("./audit.ts")).exportAudit(input, terminal),
  }),
];
