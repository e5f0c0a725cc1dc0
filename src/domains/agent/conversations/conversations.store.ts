import {
  and,
  desc,
  eq,
  getTableColumns,
  gt,
  inArray,
  isNull,
  lt,
  lte,
  notExists,
  type SQL,
  sql,
} from "drizzle-orm";
import { AppError } from "../../../kernel/errors.ts";
import { clip } from "../../../kernel/text.ts";
import { MS } from "../../../kernel/time.ts";
import { Store } from "../../../platform/catalog/index.ts";
import { type Caller, type CallMeta, sessionKey } from "../../../registry/caller.ts";
import type { PublishedModel } from "../../models/index.ts";
import { answers, conversations, semanticModels, threadQuestions } from "../agent.tables.ts";
import type { Answer } from "../answer.ts";
import { LIMITS } from "../limits.ts";
import { type Suggested, suggestedIn } from "../phases/question.ts";

export type KeptAnswer = typeof answers.$inferSelect & { title: string };

export type Mark = NonNullable<KeptAnswer["mark"]>;

/** A question of a thread, and what answered it. */
interface Turn {
  id: string | null;
  question: string;
  outcome: Answer["outcome"] | null;
  model: string | null;
  mark: Mark | null;
  askedAt: Date;
}

const NOT_OF_A_MODEL = { id: null, outcome: null, model: null, mark: null };

/** A question may be refused by a model, and go on to others: it is one turn, as whoever answered it. */
function oncePerQuestion(turns: readonly Turn[]): Turn[] {
  const kept: Turn[] = [];
  for (const turn of turns.toSorted((a, b) => a.askedAt.getTime() - b.askedAt.getTime())) {
    const before = kept.at(-1);
    if (before?.question !== turn.question || before.outcome === "answer") kept.push(turn);
    else kept[kept.length - 1] = { ...turn, askedAt: before.askedAt };
  }
  return kept;
}

function noThread(id: string): AppError {
  return new AppError("not_found", `There is no thread ${clip(id)} of yours.`, {
    hint: "{tool:list_threads} lists them.",
  });
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

interface Kept {
  model: PublishedModel;
  question: string;
  answer: Answer;
  /** The answer that it follows up on. */
  previous: KeptAnswer | undefined;
}

/** The last answer, and the questions after it that were asked back. */
interface Latest {
  answer: KeptAnswer | undefined;
  /** What was answered before that, the last first. */
  earlier: KeptAnswer[];
  /** The question that was asked back, where it answered that. */
  asked: string | undefined;
  waiting: KeptAnswer[];
  /** What was suggested to be asked instead of what was asked last. */
  suggested: Suggested[];
  /** What was asked since that answer, and refused. */
  refused: string[];
}

/** Nobody is asked back more often and still answers the first question. */
const LATEST = 8;

/** What was asked, by whom and how it was understood. Each is for the member who asked, and for nobody else. */
export class ConversationsStore extends Store {
  /** Keeps an answer in the conversation of its session, or of what it follows; its id. */
  async keep(caller: Caller, meta: CallMeta, { model, question, answer, previous }: Kept): Promise<string> {
    const conversationId =
      meta.thread === undefined && previous !== undefined
        ? previous.conversationId
        : await this.#conversation(caller, meta, question);
    const [row] = await this.catalog.db
      .insert(answers)
      .values({
        conversationId,
        modelId: model.record.id,
        modelVersion: model.version,
        question,
        outcome: answer.outcome,
        query: answer.query ?? null,
        sql: answer.sql,
        suggested: suggestedIn(answer),
        createdAt: this.clock.now(),
      })
      .returning({ id: answers.id });
    return (row as { id: string }).id;
  }

  /** What the session has had of this model: its last answer, and what was asked back since. */
  async latest(caller: Caller, meta: CallMeta, { record }: PublishedModel): Promise<Latest> {
    const session = sessionKey(meta);
    if (session === null) return this.#latest(sql`false`);
    return this.#latest(
      and(this.#own(caller), eq(conversations.session, session), eq(answers.modelId, record.id)),
    );
  }

  /** The same up to an answer of theirs, that one included. */
  async upTo(caller: Caller, { conversationId, modelId, place }: KeptAnswer): Promise<Latest> {
    const same = and(eq(answers.conversationId, conversationId), eq(answers.modelId, modelId));
    return this.#latest(and(this.#own(caller), same, lte(answers.place, place)));
  }

  async #latest(found: SQL | undefined): Promise<Latest> {
    const rows = await this.#select().where(found).orderBy(desc(answers.place)).limit(LATEST);
    const at = rows.findIndex(({ outcome }) => outcome === "answer");
    const since = at === -1 ? rows : rows.slice(0, at);
    const waiting = since.filter(({ outcome }) => outcome === "clarify").toReversed();
    return {
      answer: rows[at],
      earlier: at === -1 ? [] : rows.slice(at + 1).filter(({ outcome }) => outcome === "answer"),
      asked: at !== -1 && rows[at + 1]?.outcome === "clarify" ? rows[at + 1]?.question : undefined,
      waiting,
      suggested: rows[0]?.suggested ?? [],
      refused:
        at === -1 ? [] : since.flatMap(({ outcome, question }) => (outcome === "refuse" ? [question] : [])),
    };
  }

  async require(caller: Caller, id: string): Promise<KeptAnswer> {
    const [row] = UUID.test(id) ? await this.#select().where(and(this.#own(caller), eq(answers.id, id))) : [];
    if (row !== undefined) return row;
    throw new AppError("not_found", `There is no answer ${clip(id)} of yours.`, {
      hint: `Answers are kept for ${LIMITS.agent.keptAnswerDays} days, for whoever asked.`,
    });
  }

  async mark(id: string, mark: Mark | null, comment: string | null): Promise<void> {
    await this.catalog.db.update(answers).set({ mark, comment }).where(eq(answers.id, id));
  }

  async sweep(): Promise<void> {
    const now = this.clock.now().getTime();
    const { db } = this.catalog;
    await db
      .delete(answers)
      .where(lt(answers.createdAt, new Date(now - LIMITS.agent.keptAnswerDays * MS.day)));
    const place = sql<number>`row_number() OVER (PARTITION BY ${answers.conversationId} ORDER BY ${answers.place} DESC)`;
    const placed = db
      .select({ id: answers.id, place: place.as("place") })
      .from(answers)
      .as("placed");
    const surplus = db
      .select({ id: placed.id })
      .from(placed)
      .where(sql`${placed.place} > ${LIMITS.agent.keptAnswers}`);
    await db.delete(answers).where(inArray(answers.id, surplus));
    await db.delete(conversations).where(lt(conversations.removedAt, new Date(now - MS.day)));
    const any = db
      .select({ id: answers.id })
      .from(answers)
      .where(eq(answers.conversationId, conversations.id));
    await db
      .delete(conversations)
      .where(
        and(
          lt(conversations.usedAt, new Date(now - MS.day)),
          notExists(any),
          notExists(this.#otherQuestions()),
        ),
      );
  }

  /** Keeps a question that no model answered in the thread that it was asked in. */
  async note(caller: Caller, meta: CallMeta, question: string): Promise<void> {
    if (meta.thread === undefined) return;
    const conversationId = await this.#conversation(caller, meta, question);
    await this.catalog.db
      .insert(threadQuestions)
      .values({ conversationId, question, createdAt: this.clock.now() });
  }

  /** Those in which something was asked, the last used first. */
  async threads(caller: Caller, { query, limit }: { query?: string | undefined; limit: number }) {
    const asked = this.catalog.db.$count(answers, eq(answers.conversationId, conversations.id));
    const other = this.catalog.db.$count(
      threadQuestions,
      eq(threadQuestions.conversationId, conversations.id),
    );
    const questions = sql<number>`(${asked} + ${other})::int`;
    return this.catalog.db
      .select({ id: conversations.id, title: conversations.title, usedAt: conversations.usedAt, questions })
      .from(conversations)
      .where(
        and(
          this.#own(caller),
          isNull(conversations.removedAt),
          gt(questions, 0),
          query === undefined
            ? undefined
            : sql`position(lower(${query}) IN lower(${conversations.title})) > 0`,
        ),
      )
      .orderBy(desc(conversations.usedAt))
      .limit(limit);
  }

  /** What was asked in a thread, in its order; a question that several were asked stands where it was answered. */
  async thread(caller: Caller, id: string) {
    const [found] = UUID.test(id)
      ? await this.catalog.db
          .select()
          .from(conversations)
          .where(and(this.#own(caller), eq(conversations.id, id), isNull(conversations.removedAt)))
      : [];
    if (found === undefined) throw noThread(id);
    const [ofModels, others] = await Promise.all([
      this.catalog.db
        .select({
          id: answers.id,
          question: answers.question,
          outcome: answers.outcome,
          model: semanticModels.name,
          mark: answers.mark,
          askedAt: answers.createdAt,
        })
        .from(answers)
        .innerJoin(semanticModels, eq(semanticModels.id, answers.modelId))
        .where(eq(answers.conversationId, id))
        .orderBy(answers.place),
      this.catalog.db
        .select({ question: threadQuestions.question, askedAt: threadQuestions.createdAt })
        .from(threadQuestions)
        .where(eq(threadQuestions.conversationId, id))
        .orderBy(threadQuestions.id),
    ]);
    const all: Turn[] = [...ofModels, ...others.map((each) => ({ ...NOT_OF_A_MODEL, ...each }))];
    return { ...found, turns: oncePerQuestion(all) };
  }

  async changeThread(
    caller: Caller,
    id: string,
    change: { title?: string | undefined; isRemoved?: boolean | undefined },
  ): Promise<void> {
    const { title, isRemoved } = change;
    const set = {
      ...(title !== undefined && { title }),
      ...(isRemoved !== undefined && { removedAt: isRemoved ? this.clock.now() : null }),
      usedAt: sql`${conversations.usedAt}`,
    };
    const changed = UUID.test(id)
      ? await this.catalog.db
          .update(conversations)
          .set(set)
          .where(and(this.#own(caller), eq(conversations.id, id)))
          .returning({ id: conversations.id })
      : [];
    if (changed.length === 0) throw noThread(id);
  }

  #otherQuestions() {
    return this.catalog.db
      .select({ id: threadQuestions.id })
      .from(threadQuestions)
      .where(eq(threadQuestions.conversationId, conversations.id));
  }

  async #conversation(caller: Caller, meta: CallMeta, question: string): Promise<string> {
    const usedAt = this.clock.now();
    if (meta.thread !== undefined && (await this.#touched(caller, meta.thread, usedAt))) return meta.thread;
    const [row] = await this.catalog.db
      .insert(conversations)
      .values({
        workspaceId: caller.workspace.id,
        accountId: caller.user.id,
        session: sessionKey(meta),
        ...(meta.thread !== undefined && { id: meta.thread }),
        title:
          meta.thread === undefined
            ? `MCP: ${clip(meta.client.name, 60)} — ${clip(question, 80)}`
            : clip(question, 80),
        createdAt: usedAt,
        usedAt,
      })
      .onConflictDoUpdate({
        target: [conversations.workspaceId, conversations.accountId, conversations.session],
        set: { usedAt },
      })
      .returning({ id: conversations.id });
    return (row as { id: string }).id;
  }

  /** Whether it is there already; one of somebody else looks like none, and cannot be written into. */
  async #touched(caller: Caller, id: string, usedAt: Date): Promise<boolean> {
    const own = await this.catalog.db
      .update(conversations)
      .set({ usedAt })
      .where(and(this.#own(caller), eq(conversations.id, id)))
      .returning({ id: conversations.id });
    if (own.length > 0) return true;
    const others = await this.catalog.db
      .select({ id: conversations.id })
      .from(conversations)
      .where(eq(conversations.id, id));
    if (others.length > 0) throw noThread(id);
    return false;
  }

  #select() {
    return this.catalog.db
      .select({ ...getTableColumns(answers), title: conversations.title })
      .from(answers)
      .innerJoin(conversations, eq(conversations.id, answers.conversationId));
  }

  #own({ workspace, user }: Caller) {
    return and(eq(conversations.workspaceId, workspace.id), eq(conversations.accountId, user.id));
  }
}
