import { asc } from "drizzle-orm";
import { type CryptoKey, exportJWK, generateKeyPair, type JWK } from "jose";
import { isAppError } from "../../../kernel/errors.ts";
import { randomText } from "../../../kernel/text.ts";
import { type Clock, MS } from "../../../kernel/time.ts";
import type { Catalog } from "../../../platform/catalog/index.ts";
import type { Vault } from "../../../platform/vault/index.ts";
import { signingKeys } from "./oauth.tables.ts";

const SIGNING_ALGORITHM = "ES256";

/** A key signs for this long; then the next one is made. */
const SIGNS_MS = 90 * MS.day;
/** A new key is published this long before it signs, so that every server and client has seen it by then. */
const PUBLISHED_BEFORE_MS = 3 * MS.hour;
/** And it stays published for as long as the longest-lived of its tokens may be sent. */
const PUBLISHED_MS = SIGNS_MS + 366 * MS.day;
interface Aged {
  key: JWK;
  ageMs: number;
}

/** Any number that nothing else locks with. */
const LOCK = 8_319_001;

/** The keys of the authorization server; a new one is made when the newest has served its time. */
export class SigningKeys {
  readonly #catalog: Catalog;
  readonly #vault: Vault;
  readonly #clock: Clock;

  constructor(catalog: Catalog, vault: Vault, clock: Clock) {
    this.#catalog = catalog;
    this.#vault = vault;
    this.#clock = clock;
  }

  /** Private keys as JWKs, the one that signs first. Safe in several servers at once. */
  async current(): Promise<JWK[]> {
    return this.#catalog.transaction(async (tx) => {
      await tx.execute(`SELECT pg_advisory_xact_lock(${LOCK})`);
      const now = this.#clock.now().getTime();
      const rows = await tx.select().from(signingKeys).orderBy(asc(signingKeys.createdAt));
      const usable = rows
        .map(({ createdAt, ...row }) => ({ ageMs: now - createdAt.getTime(), key: this.#open(row) }))
        .filter(({ ageMs, key }) => ageMs < PUBLISHED_MS && key !== undefined) as Aged[];
      if (usable.every(({ ageMs }) => ageMs > SIGNS_MS)) {
        const key = await makeKey();
        const kid = key.kid as string;
        const sealed = this.#vault.seal(JSON.stringify(key), contextOf(kid));
        await tx.insert(signingKeys).values({ kid, sealed, createdAt: this.#clock.now() });
        usable.push({ ageMs: 0, key });
      }
      const signer = usable.findLast(({ ageMs }) => ageMs >= PUBLISHED_BEFORE_MS) ?? usable[0];
      const others = usable.filter((one) => one !== signer);
      return [signer as Aged, ...others].map(({ key }) => key);
    });
  }

  /** A key that was sealed under another root secret is lost, and with it only the tokens of a quarter of an hour. */
  #open({ kid, sealed }: { kid: string; sealed: string }): JWK | undefined {
    try {
      return JSON.parse(this.#vault.open(sealed, contextOf(kid)).reveal()) as JWK;
    } catch (error) {
      if (isAppError(error)) return undefined;
      throw error;
    }
  }
}

function contextOf(kid: string): string {
  return `signing-key:${kid}`;
}

async function makeKey(): Promise<JWK> {
  const { privateKey } = await generateKeyPair(SIGNING_ALGORITHM, { extractable: true });
  const jwk = await exportJWK(privateKey as CryptoKey);
  return { ...jwk, kid: randomText(9), alg: SIGNING_ALGORITHM, use: "sig" };
}
