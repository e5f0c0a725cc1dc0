import { isAppError } from "../../kernel/errors.ts";
import type { Bound, Caller } from "../../registry/caller.ts";
import type { Identity } from "../identity/index.ts";
import type { Dashboard, Widget } from "./boards.store.ts";
import type { ModelSources } from "./query/model-source.ts";

interface Parts {
  identity: Pick<Identity, "callerFor">;
  modelSources: ModelSources;
}

/**
 * With whose rights widgets are shown: with the caller's. Where these stand in for those of others, whoever decided what
 * a widget shows must be able to see it too; otherwise they could have others shown, or sent to themselves, what they
 * may not see.
 */
export class EffectiveViewers {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** For each of the widgets. Those with the same authors have the same. */
  async of(caller: Caller, dashboard: Dashboard | null, widgets: readonly Widget[]): Promise<Caller[]> {
    const { standsIn, boundBy = [], ...rest } = caller;
    if (standsIn === undefined) return widgets.map(() => caller);
    const authors = await Promise.all(
      widgets.map((widget) => this.#authors(caller, standsIn, dashboard, widget)),
    );
    const bounds = new Map<number, Bound | null>();
    for (const id of new Set(authors.flat())) bounds.set(id, await this.#bound(caller, id));
    const viewers = new Map<string, Caller>();
    return authors.map((ids) => {
      const key = ids.join();
      const viewer = viewers.get(key) ?? {
        ...rest,
        boundBy: [...boundBy, ...ids.map((id) => bounds.get(id) ?? null)],
      };
      viewers.set(key, viewer);
      return viewer;
    });
  }

  async #authors(
    caller: Caller,
    { since }: NonNullable<Caller["standsIn"]>,
    dashboard: Dashboard | null,
    { authorIds, changedAt, spec }: Widget,
  ): Promise<number[]> {
    const isNew = (at: Date) => since === null || at > since;
    const model =
      spec.model === undefined ? undefined : await this.#parts.modelSources.published(caller, spec);
    const all = [
      ...(isNew(changedAt) ? (authorIds.length === 0 ? [0] : authorIds) : []),
      ...(dashboard !== null && isNew(dashboard.changedAt) ? dashboard.authorIds : []),
      ...(model !== undefined && isNew(model.at) ? [model.by ?? 0] : []),
    ];
    return [...new Set(all)].filter((id) => id !== caller.user.id).toSorted((a, b) => a - b);
  }

  /** Nobody, where they have left or may no longer read. */
  async #bound({ workspace }: Caller, userId: number): Promise<Bound | null> {
    try {
      const author = await this.#parts.identity.callerFor({ workspaceId: workspace.id, userId });
      return author.permissions.includes("bi:read") ? author : null;
    } catch (error) {
      if (isAppError(error) && error.code === "forbidden") return null;
      throw error;
    }
  }
}
