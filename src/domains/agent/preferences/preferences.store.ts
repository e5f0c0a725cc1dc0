import { and, eq, sql } from "drizzle-orm";
import { AppError } from "../../../kernel/errors.ts";
import type { Clock } from "../../../kernel/time.ts";
import { type Catalog, Store } from "../../../platform/catalog/index.ts";
import type { Caller } from "../../../registry/caller.ts";
import type { LlmServices } from "../../llm/index.ts";
import { userSettings } from "../agent.tables.ts";
import type { Preferences, PreferencesPatch } from "./preferences.ts";

/** What each member of a workspace prefers. */
export class PreferencesStore extends Store {
  readonly #llm: Pick<LlmServices["llm"], "list">;

  constructor(catalog: Catalog, clock: Clock, llm: Pick<LlmServices["llm"], "list">) {
    super(catalog, clock);
    this.#llm = llm;
  }

  async get({ workspace, user }: Caller): Promise<Preferences> {
    const [row] = await this.catalog.db
      .select({ settings: userSettings.settings })
      .from(userSettings)
      .where(and(eq(userSettings.workspaceId, workspace.id), eq(userSettings.accountId, user.id)));
    return row?.settings ?? {};
  }

  /** Changes what is named and leaves the rest, also what another request changes at the same time. */
  async change({ workspace, user }: Caller, patch: PreferencesPatch): Promise<Preferences> {
    if (patch.defaultProvider != null) await this.#requireProvider(workspace.id, patch.defaultProvider);
    const changes = JSON.stringify(patch);
    const updatedAt = this.clock.now();
    const [row] = await this.catalog.db
      .insert(userSettings)
      .values({
        workspaceId: workspace.id,
        accountId: user.id,
        settings: sql`jsonb_strip_nulls(${changes}::jsonb)`,
        updatedAt,
      })
      .onConflictDoUpdate({
        target: [userSettings.workspaceId, userSettings.accountId],
        set: { settings: sql`jsonb_strip_nulls(${userSettings.settings} || ${changes}::jsonb)`, updatedAt },
      })
      .returning({ settings: userSettings.settings });
    return row?.settings ?? {};
  }

  /** Somebody who misspells it would be answered by another one, and not know. */
  async #requireProvider(workspaceId: number, wanted: string): Promise<void> {
    const names = (await this.#llm.list(workspaceId)).map(({ name }) => name);
    if (names.some((name) => name.toLowerCase() === wanted.toLowerCase())) return;
    const there =
      names.length === 0 ? "The workspace has none." : `Those that there are: ${names.join(", ")}.`;
    throw new AppError("bad_request", `defaultProvider: there is no provider ${wanted}. ${there}`);
  }
}
