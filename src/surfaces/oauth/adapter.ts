import type { Adapter, AdapterPayload } from "oidc-provider";
import { errors } from "oidc-provider";
import type { ConnectedApps, OAuthRecords } from "../../domains/identity/index.ts";
import { type Clock, MS } from "../../kernel/clock.ts";
import { unregisteredClient, withHashedSecret } from "./clients.ts";

/**
 * Two tabs, or two retries, of an honest client may use the same refresh token at once. Within this time the second
 * gets tokens of its own; after it, a used token is taken for stolen and the whole grant ends.
 */
const REFRESH_GRACE_MS = 30 * MS.second;

/** A client that registered itself is forgotten after this time if nobody has connected it. */
const UNCONNECTED_SECONDS = (30 * MS.day) / 1_000;

export interface AdapterParts {
  records: OAuthRecords;
  apps: ConnectedApps;
  clock: Clock;
}

/** oidc-provider's storage, on our own table. */
export function adapterFor({ records, apps, clock }: AdapterParts): new (model: string) => Adapter {
  return class CatalogAdapter implements Adapter {
    readonly #model: string;

    constructor(model: string) {
      this.#model = model;
    }

    async upsert(id: string, payload: AdapterPayload, expiresIn?: number): Promise<void> {
      const isClient = this.#model === "Client";
      const kept = isClient ? withHashedSecret(payload) : payload;
      const ttlSeconds = isClient ? UNCONNECTED_SECONDS : expiresIn;
      await records.put(this.#model, id, kept as Record<string, unknown>, ttlSeconds);
    }

    async find(id: string): Promise<AdapterPayload | undefined> {
      // Nothing has such an id, and the database will not even look for it.
      if (id.includes("\0")) return undefined;
      const record = await records.find(this.#model, id);
      if (record === undefined) return this.#model === "Client" ? unregisteredClient(id) : undefined;
      const { payload, consumedAt } = record;
      if (consumedAt === null || this.#isForgiven(consumedAt)) return payload as AdapterPayload;
      return { ...payload, consumed: Math.floor(consumedAt.getTime() / 1_000) } as AdapterPayload;
    }

    async findByUid(uid: string): Promise<AdapterPayload | undefined> {
      return (await records.findByUid(this.#model, uid))?.payload as AdapterPayload | undefined;
    }

    async findByUserCode(): Promise<undefined> {
      // The device flow is not offered.
      return undefined;
    }

    async consume(id: string): Promise<void> {
      const isFirst = await records.consume(this.#model, id);
      if (isFirst || this.#model !== "AuthorizationCode") return;
      // Sent twice at the same moment: as with a code that comes back later, what it gave ends too.
      const grantId = (await records.find(this.#model, id))?.payload.grantId;
      if (typeof grantId === "string") await endGrant(grantId);
      throw new errors.InvalidGrant("authorization code already consumed");
    }

    async destroy(id: string): Promise<void> {
      if (this.#model === "Grant") return endGrant(id);
      await records.remove(this.#model, id);
    }

    revokeByGrantId(grantId: string): Promise<void> {
      return endGrant(grantId);
    }

    #isForgiven(consumedAt: Date): boolean {
      return (
        this.#model === "RefreshToken" && clock.now().getTime() - consumedAt.getTime() < REFRESH_GRACE_MS
      );
    }
  };

  /** Nothing that came of a grant outlives it. */
  async function endGrant(grantId: string): Promise<void> {
    await records.removeByGrant(grantId);
    await records.remove("Grant", grantId);
    await apps.revokeGrant(grantId);
  }
}
