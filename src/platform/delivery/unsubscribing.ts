import { and, eq, inArray } from "drizzle-orm";
import { z } from "zod";
import { AppError } from "../../kernel/errors.ts";
import type { Catalog, CatalogTx } from "../catalog/index.ts";
import type { Vault } from "../vault/index.ts";
import { unsubscribed } from "./delivery.tables.ts";

const CONTEXT = "unsubscribe";
const claims = z.strictObject({ workspaceId: z.int(), address: z.string(), topic: z.string() });
export type Subscription = z.output<typeof claims>;

/** Lets recipients of mails stop getting more of the same, by a link that only they have. */
export class Unsubscribing {
  readonly #catalog: Catalog;
  readonly #vault: Vault;
  readonly #appUrl: string;

  constructor(catalog: Catalog, vault: Vault, appUrl: string) {
    this.#catalog = catalog;
    this.#vault = vault;
    this.#appUrl = appUrl;
  }

  urlFor(subscription: Subscription): string {
    return `${this.#appUrl}/unsubscribe/${this.#vault.seal(JSON.stringify(subscription), CONTEXT)}`;
  }

  read(ticket: string): Subscription {
    try {
      return claims.parse(JSON.parse(this.#vault.open(ticket, CONTEXT).reveal()));
    } catch (cause) {
      throw new AppError("not_found", "This link is wrong.", { cause });
    }
  }

  async stop({ workspaceId, address, topic }: Subscription): Promise<void> {
    await this.#catalog.db
      .insert(unsubscribed)
      .values({ workspaceId, address: address.toLowerCase(), topic })
      .onConflictDoNothing();
  }

  /** Those of these who do not want it. */
  async among(
    tx: Pick<CatalogTx, "select">,
    workspaceId: number,
    topic: string,
    addresses: readonly string[],
  ): Promise<Set<string>> {
    if (addresses.length === 0) return new Set();
    const rows = await tx
      .select({ address: unsubscribed.address })
      .from(unsubscribed)
      .where(of(workspaceId, topic, addresses));
    return new Set(rows.map(({ address }) => address));
  }
}

function of(workspaceId: number, topic: string, addresses: readonly string[]) {
  return and(
    eq(unsubscribed.workspaceId, workspaceId),
    eq(unsubscribed.topic, topic),
    inArray(
      unsubscribed.address,
      addresses.map((address) => address.toLowerCase()),
    ),
  );
}
