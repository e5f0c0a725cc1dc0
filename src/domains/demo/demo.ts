import { eq } from "drizzle-orm";
import type { Logger } from "pino";
import { AppError, isNotFound, messageOf } from "../../kernel/errors.ts";
import { type Clock, MS } from "../../kernel/time.ts";
import type { Catalog } from "../../platform/catalog/index.ts";
import { type CallPorts, callInside } from "../../registry/call.ts";
import type { CallMeta } from "../../registry/caller.ts";
import type { Registry } from "../../registry/registry.ts";
import type { Identity } from "../identity/index.ts";
import { dayOf } from "./company.ts";
import { demos } from "./demo.tables.ts";
import { addDay, CLIENT, STEPS, type Work } from "./steps.ts";

const SLUG = "demo";
/** How often it is looked whether a new day has begun. */
const LOOK_MS = 10 * MS.minute;

const META: CallMeta = {
  surface: "all",
  requestId: "demo",
  address: "",
  tokenHash: "",
  sessionId: null,
  client: { name: CLIENT, version: "" },
};

export interface DemoStatus {
  workspaceId: number;
  /** Of how many steps so many are done. */
  steps: number;
  done: number;
  /** What is being made. */
  doing: string | null;
  error: string | null;
}

export interface DemoParts {
  catalog: Catalog;
  registry: Registry;
  identity: Identity;
  ports: CallPorts;
  clock: Clock;
  log: Logger;
}

type DemoRow = typeof demos.$inferSelect;

/** A workspace to try everything with: made by our own tools, step by step, and a day longer every night. */
export class Demo {
  readonly #parts: DemoParts;
  readonly #stopping = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;

  constructor(parts: DemoParts) {
    this.#parts = parts;
  }

  /** Makes the empty workspace, of which everybody becomes an admin who is one elsewhere. */
  async create(): Promise<void> {
    const { catalog, identity, clock } = this.#parts;
    const admins = (await identity.users.list()).filter(
      ({ role, disabled }) => role === "admin" && !disabled,
    );
    const [owner] = admins;
    if (owner === undefined)
      throw new AppError("conflict", "There is no admin, in whose name the demo could be made.", {
        hint: "Start Kenning once, or make an admin with: kenning user create",
      });
    const { id } = await identity.workspaces.create({ slug: SLUG, name: "Hafenrad (demo)" });
    const anchorDay = dayOf(clock.now());
    // The last day is added when all else is there.
    const row = { workspaceId: id, ownerId: owner.userId, anchorDay, throughDay: anchorDay - 1 };
    await catalog.db.insert(demos).values(row);
    for (const email of new Set(admins.map((admin) => admin.email)))
      await identity.users.create({ email, workspace: SLUG, role: "admin" });
  }

  /** Fills it in the background, goes on where a former process was stopped, and adds each new day. */
  begin(): void {
    const look = () => {
      this.#running ??= this.fill()
        .catch((error) => {
          if (!this.#stopping.signal.aborted)
            this.#parts.log.warn({ reason: messageOf(error) }, "the demo workspace could not be filled");
        })
        .finally(() => {
          this.#running = undefined;
        });
    };
    look();
    this.#timer = setInterval(look, LOOK_MS).unref();
  }

  /** Does all steps that are left, and adds the days that are missing. */
  async fill(onStep: (status: DemoStatus) => void = () => undefined): Promise<void> {
    for (let status = await this.status(); status !== null; status = await this.status()) {
      onStep(status);
      try {
        if (!(await this.#next())) return;
      } catch (error) {
        if (this.#stopping.signal.aborted) return;
        await this.#parts.catalog.db.update(demos).set({ error: messageOf(error) });
        throw error;
      }
    }
  }

  async status(): Promise<DemoStatus | null> {
    const [row] = await this.#parts.catalog.db.select().from(demos);
    if (row === undefined) return null;
    const doing = STEPS[row.step]?.says ?? (row.throughDay < row.anchorDay ? "the latest day" : null);
    // The latest day counts as a step as well.
    const done = row.step + (row.throughDay < row.anchorDay ? 0 : 1);
    return { workspaceId: row.workspaceId, steps: STEPS.length + 1, done, doing, error: row.error };
  }

  /** Removes the workspace with everything in it. */
  async remove(): Promise<void> {
    const { catalog, identity } = this.#parts;
    const [row] = await catalog.db.select().from(demos);
    if (row === undefined) throw new AppError("not_found", "There is no demo workspace.");
    await this.#forgetSchedules(row);
    await identity.workspaces.remove(row.workspaceId);
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#stopping.abort();
    await this.#running;
  }

  /** One step, or one day. The row is locked meanwhile, so that two processes do not do the same. */
  #next(): Promise<boolean> {
    const { catalog, clock, log } = this.#parts;
    return catalog.transaction(async (tx) => {
      this.#stopping.signal.throwIfAborted();
      const [row] = await tx.select().from(demos).for("update");
      if (row === undefined) return false;
      const of = eq(demos.workspaceId, row.workspaceId);
      const step = STEPS[row.step];
      const work = await this.#work(row);
      if (step !== undefined) {
        await step.run(work);
        await tx
          .update(demos)
          .set({ step: row.step + 1, error: null })
          .where(of);
        log.info({ done: row.step + 1, of: STEPS.length }, `the demo workspace has its ${step.says}`);
        return true;
      }
      if (row.throughDay >= dayOf(clock.now())) return false;
      await addDay(work, row.throughDay + 1);
      await tx
        .update(demos)
        .set({ throughDay: row.throughDay + 1, error: null })
        .where(of);
      return true;
    });
  }

  async #work({ workspaceId, ownerId, anchorDay }: DemoRow): Promise<Work> {
    const { ports, registry, identity } = this.#parts;
    const caller = await identity.callerFor({ workspaceId, userId: ownerId, operator: true });
    const environment = { caller, meta: META, signal: this.#stopping.signal };
    return {
      anchor: anchorDay,
      call: <T>(tool: string, args: object) =>
        callInside(ports, registry, tool, args, environment) as Promise<T>,
    };
  }

  /** Schedules know their subjects by number alone, and would stay behind. */
  async #forgetSchedules(row: DemoRow): Promise<void> {
    const { call } = await this.#work(row);
    const { alerts } = await call<{ alerts: { id: number }[] }>("list_alerts", { limit: 200 });
    const { reports } = await call<{ reports: { id: number }[] }>("list_reports", { limit: 200 });
    const remove = (asset_type: string, asset_id: number) =>
      call("delete_asset", { asset_type, asset_id, confirm: true }).catch((error: unknown) => {
        if (!isNotFound(error)) throw error;
      });
    for (const { id } of alerts) await remove("alert", id);
    for (const { id } of reports) await remove("report", id);
  }
}
