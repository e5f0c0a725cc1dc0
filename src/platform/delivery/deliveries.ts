import { randomInt } from "node:crypto";
import { buffer } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { and, count, desc, eq, inArray, type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import { AppError, isAppError, messageOf } from "../../kernel/errors.ts";
import { clip, newUuid } from "../../kernel/text.ts";
import { MS } from "../../kernel/time.ts";
import type { FolderBlobStore } from "../blobs/index.ts";
import type { Catalog, CatalogLog, CatalogTx } from "../catalog/index.ts";
import type { JobContext, Jobs } from "../jobs/index.ts";
import type { Channels } from "./channels.ts";
import { deliveries, messages } from "./delivery.tables.ts";
import { LIMITS } from "./limits.ts";
import type { MailChannel } from "./mail.ts";
import {
  type LoadedFile,
  type LoadedMessage,
  type Message,
  mailAddresses,
  type Recipient,
} from "./message.ts";
import type { SlackChannel } from "./slack.ts";
import type { TeamsChannel } from "./teams.ts";
import type { Unsubscribing } from "./unsubscribing.ts";
import { Refused, TryLater, type WebhookChannel } from "./webhook.ts";

/** Two queues, so that receivers of webhooks that hang hold up no mail, not even of their own workspace. */
const MAILS = "delivery.send";
const POSTS = "delivery.post";
const jobData = z.strictObject({ deliveryId: z.int() });
/** After the first failure, the second and so on. */
const BACKOFF_MS = [5 * MS.second, 5 * MS.minute, 30 * MS.minute, 2 * MS.hour, 5 * MS.hour, 10 * MS.hour];
const WAIT_MS = 50;
/** The folder of the blob storage that files of messages are in. */
const FILES = "messages";

export type Delivery = typeof deliveries.$inferSelect;

interface DeliveriesParts {
  catalog: Catalog;
  blobs: FolderBlobStore;
  jobs: Jobs;
  mail: MailChannel;
  webhooks: WebhookChannel;
  slack: SlackChannel;
  teams: TeamsChannel;
  channels: Channels;
  unsubscribing: Unsubscribing;
  log: CatalogLog;
}

/** A delivery that was given up. */
export interface DeadDelivery extends Pick<Delivery, "runKey" | "workspaceId" | "target"> {
  lastError: string;
  /** The message before it of the same kind reached this recipient, or there was none. */
  isFirst: boolean;
}

type OnDead = (tx: CatalogTx, dead: DeadDelivery) => Promise<void>;

/** Of messages about things of this kind only those about these: others are not for whoever asks. */
export interface Only {
  kind: string;
  ids: readonly number[];
}

/** A message that is to be sent to some recipients. */
interface Posting {
  /** What it tells of: the same key is posted once. */
  runKey: string;
  workspaceId: number;
  message: Message;
  recipients: readonly Recipient[];
  /** After this it is of no use to anybody. */
  expiresAt: Date;
}

/** Messages on their way: each recipient has a delivery of its own, with its own tries. */
export class Deliveries {
  readonly #parts: DeliveriesParts;
  #onDead: OnDead = async () => undefined;

  constructor(parts: DeliveriesParts) {
    this.#parts = parts;
    const lanes = [
      [MAILS, LIMITS.delivery.mailsAtOnce],
      [POSTS, LIMITS.delivery.postsAtOnce],
    ] as const;
    for (const [name, concurrency] of lanes)
      parts.jobs.define(name, jobData, (data, context) => this.#work(data.deliveryId, context), {
        concurrency,
        perGroup: LIMITS.delivery.perWorkspace,
        retries: 5,
        retryDelaySeconds: 5,
        timeoutSeconds: (2 * LIMITS.delivery.tryMs) / MS.second,
        keyed: false,
        onGivenUp: ({ deliveryId }, { reason }) => this.#givenUp(deliveryId, reason),
      });
  }

  /** Whether mails go to a folder, because there is no mail server. */
  get mailsAreLocal(): boolean {
    return this.#parts.mail.isLocal;
  }

  /** Mail addresses as somebody gives them, if mails may go there. */
  addresses(given: string | readonly string[]): string[] {
    const addresses = mailAddresses(given);
    this.#parts.mail.assertAllowed(addresses);
    return addresses;
  }

  /** Where messages can go beside mail. */
  get channels(): Channels {
    return this.#parts.channels;
  }

  get unsubscribing(): Unsubscribing {
    return this.#parts.unsubscribing;
  }

  /** What is done, in the same transaction, when a delivery is given up. */
  onDead(react: OnDead): void {
    this.#onDead = react;
  }

  /** Before a transaction that posts, which would wait for it. */
  prepare(): Promise<void> {
    return this.#parts.jobs.wake();
  }

  /** Puts a file where messages find it; one that none tells of is cleared away in time. */
  async keep(content: Buffer): Promise<{ blob: string; bytes: number }> {
    const { blobs } = this.#parts;
    const blob = `${FILES}/${blobs.ownName()}`;
    await blobs.put(blob, content);
    return { blob, bytes: content.length };
  }

  /** In the caller's transaction: it is sent if and only if that commits. */
  async post(tx: CatalogTx, { runKey, workspaceId, message, recipients, expiresAt }: Posting): Promise<void> {
    const wanting = await this.#wanting(tx, workspaceId, message, recipients);
    if (wanting.length === 0) return;
    await tx.insert(messages).values({ runKey, workspaceId, content: message }).onConflictDoNothing();
    const made = await tx
      .insert(deliveries)
      .values(wanting.map((each) => ({ ...each, uid: newUuid(), workspaceId, runKey, expiresAt })))
      .onConflictDoNothing()
      .returning({ id: deliveries.id, channel: deliveries.channel, workspaceId: deliveries.workspaceId });
    for (const delivery of made) await this.#enqueue(tx, delivery);
  }

  /** Without those who have said that they do not want such messages. */
  async #wanting(
    tx: CatalogTx,
    workspaceId: number,
    { topic }: Message,
    recipients: readonly Recipient[],
  ): Promise<readonly Recipient[]> {
    if (topic === undefined) return recipients;
    const mailed = recipients.filter(({ channel }) => channel === "mail").map(({ target }) => target);
    const unwanted = await this.#parts.unsubscribing.among(tx, workspaceId, topic, mailed);
    return recipients.filter(
      ({ channel, target }) => channel !== "mail" || !unwanted.has(target.toLowerCase()),
    );
  }

  #enqueue(
    tx: CatalogTx,
    { id, channel, workspaceId }: Pick<Delivery, "id" | "channel" | "workspaceId">,
    startAfter?: Date,
  ): Promise<string> {
    const options = { tx, group: String(workspaceId), ...(startAfter !== undefined && { startAfter }) };
    return this.#parts.jobs.enqueue(channel === "mail" ? MAILS : POSTS, { deliveryId: id }, options);
  }

  /** What became of the message to each of its recipients, after waiting a little for those on their way. */
  async outcome(runKey: string, waitMs: number, signal: AbortSignal): Promise<Delivery[]> {
    for (const until = performance.now() + waitMs; ; ) {
      const found = await this.#parts.catalog.db
        .select()
        .from(deliveries)
        .where(eq(deliveries.runKey, runKey))
        .orderBy(deliveries.id);
      const isTried = found.every(({ state, tries }) => state !== "waiting" || tries > 0);
      if (isTried || performance.now() >= until) return found;
      await sleep(WAIT_MS, undefined, { signal });
    }
  }

  async list(
    workspaceId: number,
    {
      state,
      keyPrefix,
      only,
      limit,
      offset,
    }: {
      state?: Delivery["state"] | undefined;
      keyPrefix?: string | undefined;
      only?: Only | undefined;
      limit: number;
      offset: number;
    },
  ): Promise<{ total: number; items: (Delivery & { subject: string })[] }> {
    const condition = and(
      eq(deliveries.workspaceId, workspaceId),
      state === undefined ? undefined : eq(deliveries.state, state),
      keyPrefix === undefined ? undefined : sql`starts_with(${deliveries.runKey}, ${keyPrefix})`,
      about(only),
    );
    const { db } = this.#parts.catalog;
    const [[total], items] = await Promise.all([
      db.select({ all: count() }).from(deliveries).where(condition),
      db
        .select({ delivery: deliveries, subject: sql<string>`${messages.content} ->> 'subject'` })
        .from(deliveries)
        .innerJoin(messages, eq(messages.runKey, deliveries.runKey))
        .where(condition)
        .orderBy(desc(deliveries.id))
        .limit(limit)
        .offset(offset),
    ]);
    return { total: total?.all ?? 0, items: items.map((row) => ({ ...row.delivery, subject: row.subject })) };
  }

  /** Gives a dead delivery all of its tries again. */
  async retry(workspaceId: number, id: number, keepMs: number, only?: Only): Promise<Delivery> {
    await this.prepare();
    return this.#parts.catalog.transaction(async (tx) => {
      const own = and(eq(deliveries.id, id), eq(deliveries.workspaceId, workspaceId), about(only));
      const [found] = await tx.select().from(deliveries).where(own).for("update");
      if (found === undefined)
        throw new AppError("not_found", `There is no delivery with id ${id}.`, {
          hint: "{tool:list_deliveries} shows what there is.",
        });
      if (found.state !== "dead") {
        const state = found.state === "sent" ? "was sent" : "is still being tried";
        throw new AppError("conflict", `The delivery ${id} ${state}.`);
      }
      const expiresAt = sql`now() + ${keepMs} * interval '1 ms'`;
      const [changed] = await tx
        .update(deliveries)
        .set({ state: "waiting", tries: 0, expiresAt, settledAt: null })
        .where(own)
        .returning();
      await this.#enqueue(tx, found);
      return changed!;
    });
  }

  async sweep(): Promise<void> {
    const { keepDays } = LIMITS.delivery;
    const { catalog, blobs } = this.#parts;
    await catalog.db
      .delete(messages)
      .where(sql`${messages.createdAt} < now() - ${keepDays} * interval '1 day'`);
    const before = Date.now() - (keepDays + 1) * MS.day;
    for await (const { key, modifiedAt } of blobs.list(`${FILES}/`)) {
      if (modifiedAt.getTime() < before) await blobs.delete(key);
    }
  }

  async close(): Promise<void> {
    await this.#parts.mail.close();
  }

  /** One try. It may happen twice when the process dies between sending and writing that down, with the same uid. */
  async #work(id: number, { signal }: JobContext): Promise<void> {
    const [found] = await this.#parts.catalog.db
      .select({ delivery: deliveries, message: messages.content })
      .from(deliveries)
      .innerJoin(messages, eq(messages.runKey, deliveries.runKey))
      .where(and(eq(deliveries.id, id), eq(deliveries.state, "waiting")));
    if (found === undefined) return;
    const { delivery, message } = found;
    try {
      const { note } = await this.#send(delivery, await this.#load(message), signal);
      await this.#settle(id, { state: "sent", note, lastError: null });
    } catch (error) {
      await this.#failed(delivery, error);
    }
  }

  async #load({ attachments, ...message }: Message): Promise<LoadedMessage> {
    const files = attachments.map(async ({ name, mimeType, cid, ...file }): Promise<LoadedFile> => {
      const content =
        "text" in file ? Buffer.from(file.text) : await buffer(await this.#parts.blobs.get(file.blob));
      return { name, mimeType, content, ...(cid !== undefined && { cid }) };
    });
    return { ...message, files: await Promise.all(files) };
  }

  async #send(
    { channel, uid, target, workspaceId }: Delivery,
    message: LoadedMessage,
    signal: AbortSignal,
  ): Promise<{ note: string | null }> {
    const { mail, webhooks, slack, teams, channels, unsubscribing } = this.#parts;
    try {
      if (channel === "mail") {
        mail.assertAllowed([target]);
        const { topic } = message;
        const unsubscribe =
          topic === undefined ? undefined : unsubscribing.urlFor({ workspaceId, address: target, topic });
        return await mail.send(uid, target, message, unsubscribe);
      }
      if (channel === "webhook") return await webhooks.send(uid, target, message, { workspaceId, signal });
      const open = await channels.open(workspaceId, target);
      return await (channel === "slack" ? slack : teams).send(open, message, signal);
    } catch (error) {
      // A channel that is gone or switched off, or a domain that is not allowed, is not there again by itself.
      if (isAppError(error) && ["not_found", "forbidden"].includes(error.code))
        throw new Refused(error.advice);
      throw error;
    }
  }

  /** Its process died in every try, or it never ended. */
  async #givenUp(id: number, reason: string): Promise<void> {
    const [found] = await this.#parts.catalog.db
      .select()
      .from(deliveries)
      .where(and(eq(deliveries.id, id), eq(deliveries.state, "waiting")));
    if (found !== undefined) await this.#die(found, reason);
  }

  async #die(delivery: Delivery, lastError: string): Promise<void> {
    const { id } = delivery;
    this.#parts.log.warn({ delivery: id, reason: lastError }, "a delivery was given up");
    await this.#parts.catalog.transaction(async (tx) => {
      await this.#settle(id, { state: "dead", lastError }, tx);
      const isFirst = !(await this.#wasDead(tx, delivery));
      await this.#onDead(tx, { ...delivery, lastError, isFirst });
    });
  }

  async #failed(delivery: Delivery, error: unknown): Promise<void> {
    const { id, tries, expiresAt } = delivery;
    const lastError = clip(messageOf(error), LIMITS.delivery.errorCharacters);
    const backoffMs = BACKOFF_MS[tries];
    const steadyMs = error instanceof TryLater ? Math.max(error.afterMs, backoffMs ?? 0) : backoffMs;
    const nextAt = new Date(Date.now() + (steadyMs ?? 0) * (1 + randomInt(0, 200) / 1_000));
    if (error instanceof Refused || steadyMs === undefined || backoffMs === undefined || nextAt > expiresAt)
      return this.#die(delivery, lastError);
    await this.#parts.catalog.transaction(async (tx) => {
      await tx
        .update(deliveries)
        .set({ tries: sql`${deliveries.tries} + 1`, lastError })
        .where(eq(deliveries.id, id));
      await this.#enqueue(tx, delivery, nextAt);
    });
  }

  /** Whether the last message of this kind did not get to this recipient either. */
  async #wasDead(tx: CatalogTx, { id, runKey, channel, target, workspaceId }: Delivery): Promise<boolean> {
    const kind = runKey.slice(0, runKey.lastIndexOf(":") + 1);
    const [before] = await tx
      .select({ state: deliveries.state })
      .from(deliveries)
      .where(
        and(
          eq(deliveries.workspaceId, workspaceId),
          eq(deliveries.channel, channel),
          eq(deliveries.target, target),
          sql`starts_with(${deliveries.runKey}, ${kind})`,
          sql`${deliveries.id} < ${id}`,
        ),
      )
      .orderBy(desc(deliveries.id))
      .limit(1);
    return before?.state === "dead";
  }

  async #settle(
    id: number,
    outcome: Partial<Delivery>,
    tx: Pick<CatalogTx, "update"> = this.#parts.catalog.db,
  ): Promise<void> {
    await tx
      .update(deliveries)
      .set({ ...outcome, tries: sql`${deliveries.tries} + 1`, settledAt: sql`now()` })
      .where(and(eq(deliveries.id, id), inArray(deliveries.state, ["waiting"])));
  }
}

function about(only: Only | undefined): SQL | undefined {
  if (only === undefined) return undefined;
  const { kind, ids } = only;
  const subject = sql`substring(${deliveries.runKey} from ${`^(?:trouble:)?${kind}:(\\d+):`})::bigint`;
  return sql`(${subject} IS NULL OR ${subject} = ANY(${sql.param([...ids])}::bigint[]))`;
}
