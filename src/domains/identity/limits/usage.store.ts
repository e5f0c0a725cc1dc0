import { and, eq, inArray, sql } from "drizzle-orm";
import { AppError } from "../../../kernel/errors.ts";
import type { Clock } from "../../../kernel/time.ts";
import type { CatalogDb } from "../../../platform/catalog/index.ts";
import { accounts, auditEvents, type PlanLimits, plans, usage, workspaces } from "../identity.tables.ts";
import type { Usage } from "../identity.ts";

export function createUsage(db: CatalogDb, clock: Clock): Usage {
  return {
    async take(workspaceId, metric, amount = 1, { isBounded = true } = {}) {
      requireAmount(amount);
      // No plan limits what has no name.
      const bounding = isBounded ? metric : "";
      const period = periodOf(metric, clock.now());
      // One statement: of two takers of the last piece exactly one gets it, in whichever process.
      const { rowCount } = await db.execute(sql`
        with bound as (
          select coalesce((${plans.limits} ->> ${bounding})::bigint, 9223372036854775807) as most
          from ${workspaces} join ${plans} on ${plans.name} = ${workspaces.plan} where ${workspaces.id} = ${workspaceId}
        )
        insert into ${usage} (workspace_id, metric, period, used)
        select ${workspaceId}, ${metric}, ${period}, ${amount} from bound where ${amount} <= bound.most
        on conflict (workspace_id, metric, period) do update set used = ${usage.used} + excluded.used
        where ${usage.used} + excluded.used <= (select most from bound)`);
      if (rowCount === 0) throw await refusal(db, workspaceId, metric, period, amount);
    },

    async giveBack(workspaceId, metric, amount = 1) {
      requireAmount(amount);
      const period = periodOf(metric, clock.now());
      await db
        .update(usage)
        .set({ used: sql`greatest(0, ${usage.used} - ${amount})` })
        .where(and(eq(usage.workspaceId, workspaceId), eq(usage.metric, metric), eq(usage.period, period)));
    },

    async byMember(workspaceId) {
      const month = `${clock.now().toISOString().slice(0, 7)}-01T00:00:00Z`;
      const isLlm = sql`${auditEvents.action} = 'llm.call' and ${auditEvents.success}`;
      const tokens = (name: string) => sql`coalesce((${auditEvents.metadata} ->> ${name})::bigint, 0)`;
      return db
        .select({
          email: accounts.email,
          agentCalls: sql<number>`count(*) filter (where ${auditEvents.metadata} ? 'isAgentCall')`.mapWith(
            Number,
          ),
          llmCalls: sql<number>`count(*) filter (where ${isLlm})`.mapWith(Number),
          llmTokens: sql<number>`coalesce(sum(${tokens("inputTokens")} + ${tokens("outputTokens")})
            filter (where ${isLlm}), 0)`.mapWith(Number),
        })
        .from(auditEvents)
        .innerJoin(accounts, eq(accounts.id, auditEvents.userId))
        .where(
          and(
            eq(auditEvents.workspaceId, workspaceId),
            sql`${auditEvents.at} >= ${month}::timestamptz`,
            sql`(${isLlm} or ${auditEvents.metadata} ? 'isAgentCall')`,
          ),
        )
        .groupBy(accounts.email)
        .orderBy(accounts.email);
    },
    async report(workspaceId) {
      const limits = await limitsOf(db, workspaceId);
      const now = clock.now();
      const current = ["total", now.toISOString().slice(0, 7)];
      const rows = await db
        .select({ metric: usage.metric, used: usage.used, period: usage.period })
        .from(usage)
        .where(and(eq(usage.workspaceId, workspaceId), inArray(usage.period, current)));
      const used = rows.map((row) => ({ ...row, limit: limitIn(limits, row.metric) }));
      const unused = Object.keys(limits).filter((metric) => !rows.some((row) => row.metric === metric));
      const untouched = unused.map((metric) => ({
        metric,
        used: 0,
        period: periodOf(metric, now),
        limit: limitIn(limits, metric),
      }));
      return [...used, ...untouched].sort((a, b) => a.metric.localeCompare(b.metric));
    },
  };
}

function requireAmount(amount: number): void {
  if (!Number.isSafeInteger(amount) || amount < 0)
    throw new TypeError(`not an amount that can be metered: ${amount}`);
}

function limitIn(limits: PlanLimits, metric: string): number | null {
  return Object.hasOwn(limits, metric) ? (limits[metric] ?? null) : null;
}

async function limitsOf(db: CatalogDb, workspaceId: number): Promise<PlanLimits> {
  const [row] = await db
    .select({ limits: plans.limits })
    .from(workspaces)
    .innerJoin(plans, eq(plans.name, workspaces.plan))
    .where(eq(workspaces.id, workspaceId));
  if (row === undefined) throw new AppError("not_found", "There is no such workspace.");
  return row.limits;
}

/** Nothing was taken: says what the bound is and how much of it is used. */
async function refusal(
  db: CatalogDb,
  workspaceId: number,
  metric: string,
  period: string,
  amount: number,
): Promise<AppError> {
  const limit = limitIn(await limitsOf(db, workspaceId), metric);
  const [row] = await db
    .select({ used: usage.used })
    .from(usage)
    .where(and(eq(usage.workspaceId, workspaceId), eq(usage.metric, metric), eq(usage.period, period)));
  const used = row?.used ?? 0;
  const when = period === "total" ? "" : " this month";
  return new AppError(
    "plan_limit",
    `Plan limit reached: ${used} of ${limit} ${metric.replaceAll("_", " ")} are used${when}.`,
    {
      hint:
        period === "total"
          ? "Remove some, or ask the operator for a larger plan."
          : "Ask the operator for a larger plan, or wait for the next month.",
      data: { metric, used, limit, asked: amount, period },
    },
  );
}

/** What is metered, and how long its count runs: what is kept counts for ever, what is done counts by month. */
export const METRICS = {
  memories: "total",
  agent_calls: "month",
  llm_calls: "month",
  llm_tokens: "month",
} as const;

function periodOf(metric: string, now: Date): string {
  const isKept = Object.hasOwn(METRICS, metric) && METRICS[metric as keyof typeof METRICS] === "total";
  return isKept ? "total" : now.toISOString().slice(0, 7);
}
