import type { z } from "zod";
import { MS } from "../../kernel/time.ts";
import type { Catalog, CatalogTx } from "../../platform/catalog/index.ts";
import {
  type DeadDelivery,
  type Deliveries,
  htmlOf,
  type Letter,
  textOf,
} from "../../platform/delivery/index.ts";
import type { DataServices, queryRunEnded } from "../data/index.ts";
import { LIMITS as DATA } from "../data/limits.ts";
import type { Identity } from "../identity/index.ts";
import type { AlertsStore } from "./alerts.store.ts";
import { maskedUrl } from "./recipients.ts";
import type { ReportsStore } from "./reports/reports.store.ts";

/** An alert or report that somebody must look after. */
interface Owned {
  workspaceId: number;
  ownerId: number | null;
  name: string;
}

interface DeliveryFailuresParts {
  catalog: Catalog;
  data: Pick<DataServices, "queriesStore" | "runs">;
  deliveries: Deliveries;
  identity: Pick<Identity, "users" | "workspaces">;
  alertsStore: AlertsStore;
  reportsStore: ReportsStore;
  appUrl: string;
}

/** Not the messages of this file, or one that cannot be delivered would be told of by another. */
const TOLD = /^(alert|report):(\d+):/;

/** Notifies the owner of an alert or report, once, of a delivery that has failed for good; admins where the owner is gone. */
export class DeliveryFailures {
  readonly #parts: DeliveryFailuresParts;

  constructor(parts: DeliveryFailuresParts) {
    this.#parts = parts;
    parts.deliveries.onDead((tx, dead) => this.#dead(tx, dead));
  }

  async #dead(
    tx: CatalogTx,
    { runKey, workspaceId, target, lastError, isFirst }: DeadDelivery,
  ): Promise<void> {
    const [, kind, id] = TOLD.exec(runKey) ?? [];
    if (!isFirst || kind === undefined) return;
    const { alertsStore, reportsStore } = this.#parts;
    const store = kind === "alert" ? alertsStore : reportsStore;
    const owned = await store.find(workspaceId, Number(id));
    if (owned === undefined) return;
    const says = `The message of the ${kind} ${owned.name} to ${maskedUrl(target)} could not be delivered: ${lastError}`;
    const next = "The list of deliveries has all of them, and each can be sent again.";
    await this.tell(tx, runKey, owned, [says, next], target);
  }

  /** Whoever set when a query runs by itself is told that it fails: once, until it has gone well again. */
  async runEnded({ workspaceId, queryId, status }: z.output<typeof queryRunEnded>): Promise<void> {
    const { catalog, data, deliveries } = this.#parts;
    if (status !== "failed") return;
    const query = await data.queriesStore.find(workspaceId, queryId);
    if (query?.refresh == null) return;
    const latest = await data.runs.latest(queryId, DATA.queries.keptRuns);
    const since = latest.find((run) => run.status === "succeeded")?.id ?? 0;
    const says = `The query ${query.name}, which runs by itself, failed. Its dataset stays as it was.`;
    const next = "{tool:get_details} of the query tells why; {tool:run} tries again at once.";
    const owned = { workspaceId, ownerId: query.refresh.ownerId, name: query.name };
    await deliveries.prepare();
    await catalog.transaction((tx) => this.tell(tx, `query:${queryId}:${since}`, owned, [says, next]));
  }

  /** In the transaction that records the trouble; the same thing is told once. */
  async tell(
    tx: CatalogTx,
    what: string,
    { workspaceId, ownerId, name }: Owned,
    paragraphs: readonly string[],
    unreachable?: string,
  ): Promise<void> {
    const { deliveries, appUrl } = this.#parts;
    const targets = await this.#lookingAfter(workspaceId, ownerId, unreachable);
    const letter: Letter = {
      title: `Trouble with ${name}`,
      when: "You own it, or look after this workspace.",
      // A mail is read on no surface in particular: tools go by their plain names.
      paragraphs: paragraphs.map((text) => text.replace(/\{tool:(\w+)\}/g, "$1")),
      link: { label: "Open Kenning", url: appUrl },
      notes: ["Nothing more is told of this until it has gone well again."],
    };
    await deliveries.post(tx, {
      runKey: `trouble:${what}`,
      workspaceId,
      message: {
        subject: letter.title.replace(/\s+/g, " ").slice(0, 200),
        text: textOf(letter),
        html: htmlOf(letter),
        attachments: [],
        event: { type: "trouble", data: {} },
      },
      recipients: targets.map((target) => ({ channel: "mail" as const, target })),
      expiresAt: new Date(Date.now() + MS.day),
    });
  }

  async #lookingAfter(workspaceId: number, ownerId: number | null, unreachable?: string): Promise<string[]> {
    const { users, workspaces } = this.#parts.identity;
    const slug = (await workspaces.list()).find(({ id }) => id === workspaceId)?.slug;
    if (slug === undefined) return [];
    const members = (await users.list({ workspace: slug })).filter(
      ({ disabled, email }) => !disabled && email.toLowerCase() !== unreachable?.toLowerCase(),
    );
    const owner = members.filter(({ userId }) => userId === ownerId);
    const told = owner.length > 0 ? owner : members.filter(({ role }) => role === "admin");
    return told.map(({ email }) => email);
  }
}
