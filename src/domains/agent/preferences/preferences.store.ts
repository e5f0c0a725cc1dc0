import { and, eq, sql } from "drizzle-orm";
import type { Clock } from "../../../kernel/clock.ts";
import type { Catalog } from "../../../platform/catalog/index.ts";
import type { Caller } from "../../../registry/caller.ts";
import { userSettings } from "../agent.tables.ts";
import type { Preferences, PreferencesPatch } from "./preferences.ts";

/** What each member of a workspace prefers. */
export class PreferencesStore {
  readonly #catalog: Catalog;
  readonly #clock: Clock;

  constructor(catalog: Catalog, clock: Clock) {
    this.#catalog = catalog;
    this.#clock = clock;
  }

  async get({ workspace, user }: Caller): Promise<Preferences> {
    const [row] = await this.#catalog.db
      .select({ settings: userSettings.settings })
      .from(userSettings)
      .where(and(eq(userSettings.workspaceId, workspace.id), eq(userSettings.accountId, user.id)));
    return row?.settings ?? {};
  }

  /** Changes what is named and leaves the rest, also what another request changes at the same time. */
  async change({ workspace, user }: Caller, patch: PreferencesPatch): Promise<Preferences> {
    const changes = JSON.stringify(patch);
    const updatedAt = this.#clock.now();
    const [row] = await this.#catalog.db
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
}
