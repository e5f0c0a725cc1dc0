import type { Adapter, AdapterPayload } from "oidc-provider";
import { errors } from "oidc-provider";
import type { ConnectedApps, OAuthRecords } from "../../domains/identity/index.ts";
import { unregisteredClient, withHashedSecret } from "./clients.ts";

export interface AdapterParts {
  records: OAuthRecords;
  apps: ConnectedApps;
}

/** oidc-provider's storage, on our own table. */
export function adapterFor({ records, apps }: AdapterParts): new (model: string) => Adapter {
  return class CatalogAdapter implements Adapter {
    readonly #model: string;

    constructor(model: string) {
      this.#model = model;
    }

    async upsert(id: string, payload: AdapterPayload, expiresIn?: number): Promise<void> {
      const kept = this.#model === "Client" ? withHashedSecret(payload) : payload;
      await records.put(this.#model, id, kept as Record<string, unknown>, expiresIn);
    }

    async find(id: string): Promise<AdapterPayload | undefined> {
      // Nothing has such an id, and the database will not even look for it.
      if (id.includes("\0")) return undefined;
      const record = await records.find(this.#model, id);
      if (record === undefined) return this.#model === "Client" ? unregisteredClient(id) : undefined;
      const { payload, consumedAt } = record;
      if (consumedAt === null) return payload as AdapterPayload;
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
      if (isFirst) return;
      // What it gave the first time is given again afterwards, or nothing.
      if (this.#model === "RefreshToken") throw new errors.InvalidGrant("refresh token already consumed");
      if (this.#model !== "AuthorizationCode") return;
      // Sent twice at the same moment: as with a code that comes back later, what it gave ends too.
      const grantId = (await records.find(this.#model, id))?.payload.grantId;
      if (typeof grantId === "string") await apps.revokeGrant(grantId);
      throw new errors.InvalidGrant("authorization code already consumed");
    }

    async destroy(id: string): Promise<void> {
      if (this.#model === "Grant") return apps.revokeGrant(id);
      await records.remove(this.#model, id);
    }

    revokeByGrantId(grantId: string): Promise<void> {
      return apps.revokeGrant(grantId);
    }
  };
}
