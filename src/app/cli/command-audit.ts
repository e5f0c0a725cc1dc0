import { AsyncLocalStorage } from "node:async_hooks";
import type { Identity } from "../../domains/identity/index.ts";
import { isAppError } from "../../kernel/errors.ts";
import { clip } from "../../kernel/text.ts";
import type { AnyInput, Command } from "./command.ts";

/** The command that runs, for those who open the database for it. */
const running = new AsyncLocalStorage<{ command: Command; input: AnyInput; isRecorded: boolean }>();

/** Words that name a place on the operator's machine. */
const PLACES: ReadonlySet<string> = new Set(["file", "folder", "path"]);

export function runCommand<T>(command: Command, input: AnyInput, work: () => Promise<T>): Promise<T> {
  return command.reads(input) ? work() : running.run({ command, input, isRecorded: false }, work);
}

/**
 * Writes down that the operator changed something or took it away, once for a command. Which options were given is
 * told, and the value of none but the workspace: keys, passwords and addresses are among them.
 */
export async function auditedCommand<T>(
  { audit, workspaces }: Pick<Identity, "audit" | "workspaces">,
  work: () => Promise<T>,
): Promise<T> {
  const started = performance.now();
  const record = async (outcome: string) => {
    const run = running.getStore();
    if (run === undefined || run.isRecorded) return;
    run.isRecorded = true;
    const { args, options } = run.input;
    const slug = options.workspace ?? args.slug;
    const workspace =
      typeof slug === "string" ? await workspaces.bySlug(slug).catch(() => undefined) : undefined;
    const named = Object.entries(args).filter(([name]) => !PLACES.has(name));
    audit.record({
      action: "cli.command",
      workspaceId: workspace?.id ?? null,
      userId: null,
      resourceType: "command",
      resourceId: run.command.name,
      success: outcome === "ok",
      outcome,
      durationMs: performance.now() - started,
      metadata: {
        by: "operator",
        args: Object.fromEntries(named.map(([name, value]) => [name, clip(value)])),
        options: Object.keys(options).filter((name) => Boolean(options[name])),
      },
    });
  };
  try {
    const done = await work();
    await record("ok");
    return done;
  } catch (error) {
    await record(isAppError(error) ? error.code : "internal");
    throw error;
  }
}
