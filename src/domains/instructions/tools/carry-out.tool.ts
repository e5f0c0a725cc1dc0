import { z } from "zod";
import { AppError, isAppError } from "../../../kernel/errors.ts";
import { scopeOf } from "../../../kernel/fair-queue.ts";
import { LIMITS as KERNEL } from "../../../kernel/limits.ts";
import { callInside, requirePermission, toolOperation } from "../../../registry/call.ts";
import type { CallContext } from "../../../registry/context.ts";
import { explainIssues } from "../../../registry/explain-issues.ts";
import { nearestTools, planByModel } from "../by-model.ts";
import { doStep, reasonOf, shortfallOf, undoAll } from "../carry-out.ts";
import { defineTool, type InstructionsServices } from "../define.ts";
import type { Change } from "../instructions.tables.ts";
import { LIMITS } from "../limits.ts";
import { type DoneStep, isFromStep, type Plan } from "../plan.ts";
import { checkAll, type Instruction } from "../planner.ts";
import { type CallTool, Inventory } from "../references.ts";
import { aliasesFor } from "../words.ts";

const instruction = z
  .string()
  .meta({ maxLength: KERNEL.call.instructionCharacters })
  .describe("Natural language instruction describing what to do");
const dashboardId = z.int().optional().describe("Target dashboard ID for dashboard-level operations");
const widgetId = z.int().optional().describe("Target widget ID for widget-level operations");

const NO_PLAN: Plan = { steps: [], assumptions: [], questions: [] };
/** Nothing but an undo, of the last change or of one by its number. */
const UNDO =
  /^\s*(?:please |bitte )?(?:undo|revert|take (?:it|that|this) back|(?:mach\w*|nimm)\b(?=.*(?:rückgängig|zurück)))(?:\s+(?:it|that|this|the|my|last|change|das|es|die|meine|letzte|änderung|nr\.?|number|rückgängig|zurück|wieder|bitte|please))*\s*#?(\d{1,9})?(?:\s+(?:wieder |bitte )*(?:rückgängig|zurück))?\s*[.!]*\s*$/i;

type Context = CallContext & InstructionsServices;

/** An instruction in plain language becomes a plan, and the plan calls of our own tools. */
export const carryOut = defineTool({
  name: "carry_out",
  toolset: "dashboards",
  wire: {
    bi: {
      name: "knowi_do",
      description:
        "Execute any operation using natural language: dashboards, charts, alerts, reports, exports, questions. Blocks destructive operations (delete, remove, drop): use knowi_delete for those.",
      input: z.strictObject({ instruction, dashboardId, widgetId }),
      adapt: (args: { instruction: string; dashboardId?: number; widgetId?: number }) => ({
        instruction: args.instruction,
        dashboard_id: args.dashboardId,
        widget_id: args.widgetId,
      }),
    },
  },
  title: "Carry out an instruction",
  description:
    "Does what a sentence says (English or German) about dashboards, charts, alerts, reports, exports and questions: it plans calls of tools and makes them. dry_run only shows the plan; undo takes back what a change_id did. What is unclear is asked back, and nothing is done. Deletes nothing.",
  permission: "bi:read",
  effect: "delegate",
  isMetered: true,
  timeoutMs: LIMITS.instructions.totalMs,
  input: z.strictObject({
    instruction: instruction.optional(),
    dashboard_id: z.int().optional(),
    widget_id: z.int().optional(),
    dry_run: z.boolean().default(false),
    undo: z.int().optional().describe("A change_id"),
  }),
  output: z.object({
    outcome: z.enum(["done", "planned", "asked", "failed", "undone"]),
    message: z.string(),
    steps: z.array(
      z.object({
        tool: z.string(),
        says: z.string(),
        arguments: z.record(z.string(), z.unknown()),
        effect: z.string(),
        status: z.enum(["planned", "done", "failed", "skipped"]),
        result: z.unknown().optional(),
        error: z.string().optional(),
      }),
    ),
    assumptions: z.array(z.string()),
    questions: z.array(z.object({ question: z.string(), suggestions: z.array(z.string()) })),
    change_id: z.int().nullable().describe("For undo"),
  }),

  async run(given, context) {
    const result = await run(given, context);
    const { outcome, steps, change_id: changeId } = result;
    context.note({
      outcome,
      steps: steps.map(({ tool, status }) => `${tool} ${status}`).join(", "),
      changeId,
    });
    return result;
  },
});

interface Given {
  instruction?: string | undefined;
  dashboard_id?: number | undefined;
  widget_id?: number | undefined;
  dry_run: boolean;
  undo?: number | undefined;
}

async function run({ instruction: sent, undo, dry_run, dashboard_id, widget_id }: Given, context: Context) {
  if (undo !== undefined) return undoChange(undo, context);
  const text = sent?.trim() ?? "";
  if (text === "")
    throw new AppError("bad_request", "instruction is empty.", { hint: "Say what should be done." });
  const wish = UNDO.exec(text);
  if (wish !== null) {
    const id = wish[1] === undefined ? await context.changes.last(context.caller) : Number(wish[1]);
    if (!dry_run) return undoChange(id, context);
    return answer("planned", `Nothing was done yet. It would take back the change ${id}.`, [], NO_PLAN);
  }
  checkAll(text, context.say("{tool:delete_asset}"));
  const given = { text, dashboardId: dashboard_id, widgetId: widget_id, me: context.caller.user.email };
  const plan = await planFor(given, context);
  if (plan.questions.length > 0) return asked(plan, context);
  if (plan.steps.length > LIMITS.instructions.steps)
    throw new AppError("bad_request", `This would take more than ${LIMITS.instructions.steps} steps.`, {
      hint: "Ask for less at once.",
    });
  const steps = plan.steps.map(
    (step): DoneStep => ({ ...step, effect: effectOf(step.tool, context), status: "planned" }),
  );
  requireFit(steps, context);
  requireRights(steps, context);
  if (dry_run) return answer("planned", "Nothing was done yet. This is the plan.", steps, plan);
  return execute(text, steps, plan, context);
}

async function planFor(given: Instruction, context: Context): Promise<Plan> {
  const { caller, models, planning, signal } = context;
  const call = callerOf(context);
  const aliases = () => aliasesFor(caller, models);
  const plan = await planning.plan(given, { call, aliases, scope: scopeOf(caller), signal });
  if (plan.questions.length === 0) return plan;
  return (await planByModel(given, plan, new Inventory(call, aliases), context)) ?? plan;
}

function callerOf({ ports, registry, caller, meta, signal, say }: Context): CallTool {
  return <T>(tool: string, args: object) =>
    callInside(ports, registry, tool, args, { caller, meta, signal, say }) as Promise<T>;
}

function effectOf(tool: string, { registry }: Context): DoneStep["effect"] {
  const found = registry.tool("all", tool)?.tool;
  if (found === undefined) throw new AppError("unsupported", `This server has no ${tool} yet.`);
  return found.effect;
}

/** Nothing is begun that its giver may not end. */
function requireRights(steps: readonly DoneStep[], { registry, ports, caller }: Context): void {
  for (const { tool, says } of steps) {
    const found = registry.tool("all", tool);
    if (found === undefined) continue;
    try {
      requirePermission(ports.authorizer, toolOperation(found), caller);
    } catch (error) {
      if (!isAppError(error)) throw error;
      throw new AppError(error.code, `You may not do this: ${says}. ${error.message} Nothing was done.`, {
        cause: error,
        ...(error.hint !== undefined && { hint: error.hint }),
      });
    }
  }
}

/** Stops at the first step that fails, and says what stands. */
async function execute(text: string, steps: DoneStep[], plan: Plan, context: Context) {
  const call = callerOf(context);
  const changesSomething = steps.some(({ effect }) => effect !== "read");
  const id = changesSomething ? await context.changes.begin(context.caller, text) : null;
  const results: unknown[] = [];
  const kept: Change[] = [];
  for (const [i, step] of steps.entries()) {
    context.client.progress(i, { total: steps.length, message: step.says });
    try {
      const { result, change } = await doStep(call, step, results);
      results.push(result);
      if (change !== undefined) kept.push(change);
      if (id !== null) await context.changes.keep(id, kept);
      step.result = shortened(result);
      const { questions = [] } = result as Partial<Plan>;
      if (result.outcome === "clarify" && steps.length === 1)
        return answer("asked", `Nothing was done. ${result.answer}`, [], { ...plan, questions });
      const shortfall = shortfallOf(result);
      if (shortfall !== undefined) throw new AppError("unsupported", shortfall);
      step.status = "done";
    } catch (error) {
      Object.assign(step, { status: "failed", error: reasonOf(error) });
      for (const later of steps.slice(i + 1)) later.status = "skipped";
      const stands =
        i > 0
          ? `The first ${i} of ${steps.length} steps are done and stand.`
          : kept.length === 0
            ? "Nothing was changed."
            : "";
      return answer(
        "failed",
        `${step.says}: ${step.error} ${stands}`.trim(),
        steps,
        plan,
        kept.length > 0 ? id : null,
      );
    }
  }
  const message = `${steps.map(toldOf).join(" ")} ${kept.length > 0 ? context.say(`{tool:carry_out} with the instruction “undo ${id}” takes it back.`) : ""}`;
  return answer("done", message.trim(), steps, plan, kept.length > 0 ? id : null);
}

async function undoChange(id: number, context: Context) {
  const undone = await context.changes.undo(context.caller, id, (steps) => undoAll(callerOf(context), steps));
  const message = undone.length === 0 ? "There was nothing to undo." : `Undone: ${undone.join("; ")}.`;
  return answer("undone", message, [], NO_PLAN, id);
}

/** What was done, or what came of asking. */
function toldOf({ says, result }: DoneStep): string {
  const { answer: found } = (typeof result === "object" && result !== null ? result : {}) as {
    answer?: unknown;
  };
  return typeof found === "string" ? found : `${says}.`;
}

/** A plan that one of its tools would not take is not begun: what stands before that step would be half of it. */
function requireFit(steps: readonly DoneStep[], { registry }: Context): void {
  for (const { tool, args, says } of steps) {
    // What an earlier step makes is not known yet.
    const later = JSON.stringify(args, (_, value: unknown) => (isFromStep(value) ? 1 : value));
    const input = registry.tool("all", tool)?.tool.input;
    const parsed = input?.safeParse(JSON.parse(later));
    if (input === undefined || parsed?.success !== false) continue;
    throw new AppError(
      "unsupported",
      `${says}: that cannot be carried out (${explainIssues(parsed.error.issues, input)}). Nothing was done.`,
      { hint: "Say it in another way, or call the tool of that step yourself." },
    );
  }
}

function asked(plan: Plan, { registry, meta, caller, ports, say }: Context) {
  const near = nearestTools(plan.unread ?? "", registry.tools(meta.surface)).filter(
    (tool) => ports.authorizer.missing(caller, toolOperation(tool).permissions).role.length === 0,
  );
  const instead =
    near.length === 0
      ? ""
      : say(` Perhaps one of these does it: ${near.map(({ tool }) => `{tool:${tool.name}}`).join(", ")}.`);
  const message = `Nothing was done. ${plan.questions.map(({ question }) => question).join(" ")}${instead}`;
  const steps = plan.steps.map((step): DoneStep => ({ ...step, effect: "read", status: "planned" }));
  return answer("asked", message, steps, plan);
}

function answer(
  outcome: "done" | "planned" | "asked" | "failed" | "undone",
  message: string,
  steps: readonly DoneStep[],
  { assumptions, questions }: Plan,
  changeId: number | null = null,
) {
  const shown = steps.map(({ args, ...step }) => ({ ...step, arguments: args }));
  const assumed = assumptions.length === 0 ? "" : ` Assumed: ${assumptions.join(" ")}`;
  return {
    outcome,
    message: `${message}${assumed}`,
    steps: shown,
    assumptions,
    questions,
    change_id: changeId,
  };
}

/** A step that reads may give very much; whoever wants all of it calls the tool itself. */
function shortened(result: unknown): unknown {
  const text = JSON.stringify(result);
  return text.length <= LIMITS.instructions.resultCharacters
    ? result
    : `${text.slice(0, LIMITS.instructions.resultCharacters)}…`;
}
