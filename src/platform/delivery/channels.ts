import { createHmac, randomBytes } from "node:crypto";
import { and, asc, eq, sql } from "drizzle-orm";
import { AppError } from "../../kernel/errors.ts";
import { MS } from "../../kernel/time.ts";
import type { Catalog } from "../catalog/index.ts";
import type { GuardedFetch } from "../guarded-fetch/index.ts";
import type { Vault } from "../vault/index.ts";
import { type CHANNEL_KINDS, channels, webhookEndpoints } from "./delivery.tables.ts";
import { LIMITS } from "./limits.ts";
import { type Recipient, webhookUrl } from "./message.ts";

export type ChannelKind = (typeof CHANNEL_KINDS)[number];
type Row = typeof channels.$inferSelect;
/** A channel as it may be shown: everything but its secret. */
export type Channel = Omit<Row, "secret" | "formerSecret">;

export interface ChannelWish {
  workspaceId: number;
  name: string;
  kind: ChannelKind;
  /** The token of a bot, or the address of a chat; of a webhook it is made here. The stored one stays if it is left out. */
  secret?: string | undefined;
  room?: string | undefined;
  url?: string | undefined;
  /** Of a webhook: a new signing secret. */
  rotate?: boolean | undefined;
}

/** A channel as it was set, with what is shown this once: the signing secret of a webhook that was just made. */
export interface SetChannel {
  channel: Channel;
  signingSecret: string | undefined;
}

/** Where a message goes, with what is needed to get in. */
export interface OpenChannel {
  kind: ChannelKind;
  name: string;
  room: string | null;
  secret: string;
}

const WAY = { slack_bot: "slack", slack_webhook: "slack", teams: "teams", webhook: "webhook" } as const;
/** A room of Slack by its name or its id. */
const ROOM = /^(?:#[\p{L}\p{N}_.-]{1,80}|[CGD][A-Z0-9]{8,})$/u;

/** Places that messages can go to beside mail. Their secrets are in the catalog only sealed. */
export class Channels {
  readonly #catalog: Catalog;
  readonly #vault: Vault;
  readonly #fetch: Pick<GuardedFetch, "check">;
  readonly #formerKey: Buffer;

  /** `formerKey` is what secrets of webhooks were made of before each had one of its own. */
  constructor(catalog: Catalog, vault: Vault, fetch: Pick<GuardedFetch, "check">, formerKey: Buffer) {
    this.#catalog = catalog;
    this.#vault = vault;
    this.#fetch = fetch;
    this.#formerKey = formerKey;
  }

  async list(workspaceId: number): Promise<Channel[]> {
    const rows = await this.#catalog.db
      .select()
      .from(channels)
      .where(eq(channels.workspaceId, workspaceId))
      .orderBy(asc(channels.id));
    return rows.map(shown);
  }

  /**
   * Makes one, or changes the one of that name; whatever kept it from being used is forgotten. After a rotation both
   * signing secrets are good for a while, so that receivers can change over.
   */
  async set(wish: ChannelWish): Promise<SetChannel> {
    const { workspaceId, name, kind } = wish;
    assertName(name);
    const room = wish.room === undefined ? null : roomOf(wish.room);
    const url = kind === "webhook" ? await this.reachable(wish.url ?? "") : null;
    const given = secretOf(kind, wish.secret);
    if (given !== undefined && kind !== "slack_bot") await this.reachable(given);
    return this.#catalog.transaction(async (tx) => {
      // One after the other, or there could be more of them than there may be.
      await tx.execute(sql`SELECT pg_advisory_xact_lock(hashtext('channels'), ${workspaceId}::int)`);
      const all = await tx.select().from(channels).where(eq(channels.workspaceId, workspaceId));
      const found = all.find((each) => each.name.toLowerCase() === name.toLowerCase());
      assertRoomFor(kind, found, all.length);
      const isSigned = kind === "webhook" && (found === undefined || wish.rotate === true);
      const secret = isSigned ? newSigningSecret() : given;
      if (found === undefined && secret === undefined) throw noSecret(kind);
      const former = found?.secret ?? (url === null ? undefined : await this.#endpoint(tx, workspaceId, url));
      const values = {
        room,
        url,
        disabled: null,
        ...(secret !== undefined && { secret: this.#seal(secret) }),
        ...(isSigned && former !== undefined && { formerSecret: former, formerUntil: formerUntil() }),
      };
      const [made] =
        found === undefined
          ? await tx
              .insert(channels)
              .values({ workspaceId, name, kind, secret: "", ...values })
              .returning()
          : await tx.update(channels).set(values).where(eq(channels.id, found.id)).returning();
      return { channel: shown(made!), signingSecret: isSigned ? secret : undefined };
    });
  }

  /** The address of a webhook or chat, as far as can be said now that something can be sent to it. */
  async reachable(text: string): Promise<string> {
    const url = webhookUrl(text);
    await this.#fetch.check(url);
    return url;
  }

  async remove(workspaceId: number, name: string): Promise<void> {
    const [gone] = await this.#catalog.db.delete(channels).where(named(workspaceId, name)).returning();
    if (gone === undefined) throw unknownChannel(await this.list(workspaceId), name);
  }

  /** Nothing goes there any more until somebody sets it again. */
  async disable(workspaceId: number, target: string, reason: string): Promise<void> {
    await this.#catalog.db
      .update(channels)
      .set({ disabled: reason })
      .where(
        and(
          eq(channels.workspaceId, workspaceId),
          sql`(${channels.url} = ${target} OR ${channels.name} = ${target})`,
        ),
      );
  }

  /** The recipients that such names stand for; one that is gone by now becomes a dead letter that says so. */
  async recipients(workspaceId: number, names: readonly string[]): Promise<Recipient[]> {
    if (names.length === 0) return [];
    const all = await this.list(workspaceId);
    return names.map((name) => {
      const found = find(all, name);
      const channel = WAY[found?.kind ?? "slack_bot"];
      return { channel, target: channel === "webhook" ? (found?.url ?? name) : name };
    });
  }

  /** The names of channels that are given by name or id, and rooms that the only Slack bot writes to; throws for others. */
  async namesOf(workspaceId: number, given: readonly string[]): Promise<string[]> {
    const all = given.length === 0 ? [] : await this.list(workspaceId);
    const names = given.map((name) => {
      const byId = /^\d+$/.test(name) ? all.find(({ id }) => id === Number(name)) : undefined;
      if (byId === undefined && find(all, name) === undefined) throw unknownChannel(all, name);
      return byId?.name ?? name;
    });
    return [...new Set(names)];
  }

  /** For the one place that sends. */
  async open(workspaceId: number, target: string): Promise<OpenChannel> {
    const rows = await this.#catalog.db.select().from(channels).where(eq(channels.workspaceId, workspaceId));
    const row = find(rows, target);
    if (row === undefined) throw unknownChannel(rows, target);
    assertEnabled(row);
    const isNamed = row.name.toLowerCase() === target.toLowerCase();
    return {
      kind: row.kind,
      name: row.name,
      room: isNamed ? row.room : target,
      secret: this.#open(row.secret),
    };
  }

  /**
   * Makes a secret for each of these webhooks that has none, and tells those that it made, by URL. Nobody is told it
   * again: whoever names the URL of somebody else's receiver must not be able to sign for it.
   */
  async newSecrets(workspaceId: number, urls: readonly string[]): Promise<Record<string, string>> {
    const known = new Set((await this.list(workspaceId)).map(({ url }) => url));
    const made: Record<string, string> = {};
    for (const url of urls.filter((each) => !known.has(each))) {
      const secret = newSigningSecret();
      if (await this.#keepEndpoint(workspaceId, url, secret)) made[url] = secret;
    }
    return made;
  }

  /** False where it has one already. */
  async #keepEndpoint(workspaceId: number, url: string, secret: string): Promise<boolean> {
    const rows = await this.#catalog.db
      .insert(webhookEndpoints)
      .values({ workspaceId, url, secret: this.#seal(secret) })
      .onConflictDoNothing()
      .returning({ id: webhookEndpoints.id });
    return rows.length > 0;
  }

  /** The sealed secret of a webhook that is named by its URL alone. */
  async #endpoint(
    db: Pick<Catalog["db"], "select">,
    workspaceId: number,
    url: string,
  ): Promise<string | undefined> {
    const named = sql`md5(${webhookEndpoints.url}) = md5(${url})`;
    const [row] = await db
      .select({ secret: webhookEndpoints.secret })
      .from(webhookEndpoints)
      .where(and(eq(webhookEndpoints.workspaceId, workspaceId), named));
    return row && (row.secret ?? this.#seal(this.#formerSecret(workspaceId, url)));
  }

  #formerSecret(workspaceId: number, url: string): string {
    const secret = createHmac("sha256", this.#formerKey).update(`${workspaceId}\n${url}`).digest("base64");
    return `whsec_${secret}`;
  }

  /** What a webhook is signed with, the newest first. */
  async signingSecrets(workspaceId: number, url: string): Promise<string[]> {
    const [row] = await this.#catalog.db
      .select()
      .from(channels)
      .where(and(eq(channels.workspaceId, workspaceId), eq(channels.url, url)))
      .orderBy(asc(channels.id));
    if (row === undefined) {
      const known = await this.#endpoint(this.#catalog.db, workspaceId, url);
      if (known !== undefined) return [this.#open(known)];
      await this.#keepEndpoint(workspaceId, url, newSigningSecret());
      return this.signingSecrets(workspaceId, url);
    }
    assertEnabled(row);
    const isFormerGood =
      row.formerSecret !== null && row.formerUntil !== null && row.formerUntil > new Date();
    return [row.secret, ...(isFormerGood ? [row.formerSecret ?? ""] : [])].map((sealed) =>
      this.#open(sealed),
    );
  }

  #seal(secret: string): string {
    return this.#vault.seal(secret, "channel");
  }

  #open(sealed: string): string {
    return this.#vault.open(sealed, "channel").reveal();
  }
}

function shown({ secret: _, formerSecret: __, ...channel }: Row): Channel {
  return channel;
}

function named(workspaceId: number, name: string) {
  return and(eq(channels.workspaceId, workspaceId), sql`lower(${channels.name}) = lower(${name})`);
}

/** By its name; what looks like a room of Slack is one of the only bot's. */
function find<T extends Pick<Row, "name" | "kind">>(all: readonly T[], name: string): T | undefined {
  const exact = all.find((each) => each.name.toLowerCase() === name.toLowerCase());
  if (exact !== undefined || !ROOM.test(name)) return exact;
  const bots = all.filter(({ kind }) => kind === "slack_bot");
  return bots.length === 1 ? bots[0] : undefined;
}

function unknownChannel(all: readonly Pick<Row, "name" | "kind">[], name: string): AppError {
  const bots = all.filter(({ kind }) => kind === "slack_bot");
  const why =
    ROOM.test(name) && bots.length > 1
      ? `Several Slack bots could write to ${name}: ${bots.map((bot) => bot.name).join(", ")}.`
      : `There is no channel called ${JSON.stringify(name.slice(0, 100))}.`;
  const known = all.map((each) => each.name).join(", ");
  return new AppError("not_found", why, {
    hint: known === "" ? "An admin adds one with {tool:set_channel}." : `There are ${known}.`,
  });
}

function assertEnabled({ name, disabled }: Pick<Row, "name" | "disabled">): void {
  if (disabled === null) return;
  throw new AppError("forbidden", `${name} is switched off: ${disabled}`, {
    hint: "Set it again with {tool:set_channel}.",
  });
}

function assertName(name: string): void {
  const isGood = name.trim() === name && name !== "" && name.length <= LIMITS.delivery.channelCharacters;
  if (isGood && !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(name) && !ROOM.test(name)) return;
  throw new AppError(
    "bad_request",
    `The name of a channel has 1 to ${LIMITS.delivery.channelCharacters} characters, no spaces around it, and no # before it.`,
  );
}

function roomOf(room: string): string {
  if (ROOM.test(room)) return room;
  throw new AppError("bad_request", `${JSON.stringify(room.slice(0, 100))} is no channel of Slack.`, {
    hint: "Give its name such as #general, or its id such as C0123456789.",
  });
}

function assertRoomFor(kind: ChannelKind, found: Row | undefined, count: number): void {
  if (found === undefined && count >= LIMITS.delivery.channels)
    throw new AppError("plan_limit", `A workspace has at most ${LIMITS.delivery.channels} channels.`);
  if (found !== undefined && found.kind !== kind)
    throw new AppError("conflict", `${found.name} is a channel of another kind: ${found.kind}.`, {
      hint: "Remove it first, or choose another name.",
    });
}

/** What somebody gives to be kept secret: the token of a bot, or the address of a chat. */
function secretOf(kind: ChannelKind, given: string | undefined): string | undefined {
  const secret = given?.trim() ?? "";
  if (kind === "webhook" || secret === "") return undefined;
  if (kind !== "slack_bot") return webhookUrl(secret);
  if (/^xox[a-z]-[\w-]{10,500}$/.test(secret)) return secret;
  throw new AppError("bad_request", "The token of a Slack bot begins with xoxb-.");
}

function noSecret(kind: ChannelKind): AppError {
  const what = kind === "slack_bot" ? "the token of the bot (xoxb-…)" : "the address that was made for it";
  return new AppError("bad_request", `A channel of kind ${kind} needs a secret: ${what}.`);
}

function formerUntil(): Date {
  return new Date(Date.now() + LIMITS.delivery.rotationHours * MS.hour);
}

function newSigningSecret(): string {
  return `whsec_${randomBytes(32).toString("base64")}`;
}
