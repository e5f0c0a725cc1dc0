import { and, asc, count, eq, getTableColumns, isNull, ne, or } from "drizzle-orm";
import { Store } from "../../../platform/catalog/index.ts";
import type { Caller } from "../../../registry/caller.ts";
import { accounts, verifiedQuestions } from "../agent.tables.ts";
import type { AskedQuery } from "../answer.ts";
import { LIMITS } from "../limits.ts";
import { queryShape } from "./query-text.ts";
import { questionKey } from "./question-key.ts";

export type VerifiedQuestion = Omit<typeof verifiedQuestions.$inferSelect, "verifiedBy"> & {
  /** A name; null when its bearer is gone. */
  verifiedBy: string | null;
};

interface Pair {
  modelId: number;
  modelVersion: number;
  question: string;
  query: AskedQuery;
}

/** Questions whose meaning somebody has confirmed, of each model. Rows are not kept, only how it was understood. */
export class VerifiedStore extends Store {
  async find(modelId: number, question: string): Promise<VerifiedQuestion | undefined> {
    const [row] = await this.#select().where(this.#of({ modelId, question }));
    return row;
  }

  async list(modelId: number): Promise<VerifiedQuestion[]> {
    return this.#select()
      .where(eq(verifiedQuestions.modelId, modelId))
      .orderBy(asc(verifiedQuestions.verifiedAt), asc(verifiedQuestions.key));
  }

  /** Undefined when it is kept, or else why it is not. Only admins take the place of what others have verified. */
  async add(caller: Caller, { modelId, modelVersion, question, query }: Pair): Promise<string | undefined> {
    if (await this.#isFull(modelId, question)) {
      return `The model has ${LIMITS.agent.verifiedQuestions} verified questions already, and there is no room for more.`;
    }
    const said = { question, query, modelVersion, verifiedBy: caller.user.id, verifiedAt: this.clock.now() };
    const mayReplace = this.#mayChange(caller);
    const [kept] = await this.catalog.db
      .insert(verifiedQuestions)
      .values({ modelId, key: questionKey(question), ...said })
      .onConflictDoUpdate({
        target: [verifiedQuestions.modelId, verifiedQuestions.key],
        set: said,
        ...(mayReplace !== undefined && { setWhere: mayReplace }),
      })
      .returning({ key: verifiedQuestions.key });
    if (kept !== undefined) return undefined;
    const other = await this.find(modelId, question);
    if (other !== undefined && queryShape(other.query.ask) === queryShape(query.ask)) return undefined;
    return "Somebody else has verified another answer to this question. An admin can mark that wrong, or this right.";
  }

  /** Takes back what the caller has verified, or as an admin anybody; whether there was something to take back. */
  async remove(caller: Caller, pair: Pick<Pair, "modelId" | "question">): Promise<boolean> {
    const gone = await this.catalog.db
      .delete(verifiedQuestions)
      .where(and(this.#of(pair), this.#mayChange(caller)))
      .returning({ key: verifiedQuestions.key });
    return gone.length > 0;
  }

  #mayChange({ role, user }: Caller) {
    if (role === "admin") return undefined;
    return or(eq(verifiedQuestions.verifiedBy, user.id), isNull(verifiedQuestions.verifiedBy));
  }

  async #isFull(modelId: number, question: string): Promise<boolean> {
    const others = and(
      eq(verifiedQuestions.modelId, modelId),
      ne(verifiedQuestions.key, questionKey(question)),
    );
    const [row] = await this.catalog.db.select({ n: count() }).from(verifiedQuestions).where(others);
    return (row?.n ?? 0) >= LIMITS.agent.verifiedQuestions;
  }

  #of({ modelId, question }: Pick<Pair, "modelId" | "question">) {
    return and(eq(verifiedQuestions.modelId, modelId), eq(verifiedQuestions.key, questionKey(question)));
  }

  #select() {
    return this.catalog.db
      .select({ ...getTableColumns(verifiedQuestions), verifiedBy: accounts.name })
      .from(verifiedQuestions)
      .leftJoin(accounts, eq(accounts.id, verifiedQuestions.verifiedBy));
  }
}
