import { and, desc, eq, getTableColumns, inArray, lt, lte, notExists, type SQL, sql } from "drizzle-orm";
import { AppError } from "../../../kernel/errors.ts";
import { clip } from "../../../kernel/text.ts";
import { MS } from "../../../kernel/time.ts";
import { Store } from "../../../platform/catalog/index.ts";
import { type Caller, type CallMeta, sessionKey } from "../../../registry/caller.ts";
import type { PublishedModel } from "../../models/index.ts";
import { answers, conversations } from "../agent.tables.ts";
import type { Answer } from "../answer.ts";
import { LIMITS } from "../limits.ts";
import { type Suggested, suggestedIn } from "../phases/question.ts";

export type KeptAnswer = typeof answers.$inferSelect & { title: string };

export type Mark = NonNullable<KeptAnswer["mark"]>;

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
    const conversationId = previous?.conversationId ?? (await this.#conversation(caller, meta, question));
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
    const any = db
      .select({ id: answers.id })
      .from(answers)
      .where(eq(answers.conversationId, conversations.id));
    await db
      .delete(conversations)
      .where(and(lt(conversations.usedAt, new Date(now - MS.day)), notExists(any)));
  }

  async #conversation(caller: Caller, meta: CallMeta, question: string): Promise<string> {
    const usedAt = this.clock.now();
    const [row] = await this.catalog.db
      .insert(conversations)
      .values({
        workspaceId: caller.workspace.id,
        accountId: caller.user.id,
        session: sessionKey(meta),
        title: `MCP: ${clip(meta.client.name, 60)} — ${clip(question, 80)}`,
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
