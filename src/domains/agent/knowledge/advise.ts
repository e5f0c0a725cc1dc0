import { isAppError } from "../../../kernel/errors.ts";
import { clip } from "../../../kernel/text.ts";
import type { Caller } from "../../../registry/caller.ts";
import type { Adviser, ModelsServices, Problem, VisibleModel } from "../../models/index.ts";
import { LIMITS } from "../limits.ts";
import type { VerifiedQuestion, VerifiedStore } from "../verified/verified.store.ts";
import type { KnowledgeThreads } from "./knowledge-threads.ts";

interface Parts extends Pick<ModelsServices, "models" | "modelsStore"> {
  verified: VerifiedStore;
  threads: KnowledgeThreads;
}

/** Tells authors what the rules make nothing of, and which verified questions a model would not answer any more. */
export function adviserOf({ threads, ...parts }: Parts): Adviser {
  return async (caller, model, signal) => {
    const pairs = await verifiedOf(caller, model, parts);
    if (pairs.length === 0 && (model.ai.instructions ?? "").trim() === "") return [];
    const asks = pairs.map(({ query }) => query.ask);
    try {
      const scope = String(caller.workspace.id);
      const { definitions, carries } = await threads.build({ model, values: [], asks }, scope, signal);
      const lost = pairs.filter((_, i) => carries[i] === false);
      return [
        ...listed(definitions.unread, unreadProblem),
        ...listed(
          lost.map(({ question }) => question),
          lostProblem,
        ),
      ];
    } catch (error) {
      if (!isAppError(error) || error.code === "cancelled") throw error;
      return [
        {
          severity: "warning",
          message: error.message,
          path: "",
          ...(error.hint !== undefined && { hint: error.hint }),
        },
      ];
    }
  };
}

/** Questions may name what is hidden from whoever writes a model. */
async function verifiedOf(
  caller: Caller,
  { name }: VisibleModel,
  { models, modelsStore, verified }: Omit<Parts, "threads">,
): Promise<VerifiedQuestion[]> {
  const published = await modelsStore.publishedBy(caller.workspace.id, { name });
  if (published === undefined) return [];
  const isOpen = await models.isUnrestricted(caller, published.document);
  return isOpen ? verified.list(published.record.id) : [];
}

function listed(texts: readonly string[], problemOf: (text: string) => Problem): Problem[] {
  const most = LIMITS.agent.advised;
  const more = texts.length - most;
  const problems = texts.slice(0, most).map((text) => problemOf(clip(text, 200)));
  const [last] = problems.slice(-1);
  if (more > 0 && last !== undefined) last.message += ` (and ${more} more like this)`;
  return problems;
}

function unreadProblem(sentence: string): Problem {
  return {
    severity: "warning",
    message: `No rule was made of this sentence of the instructions: "${sentence}"`,
    hint: "Where it defines something, put it like the examples in docs/models.md; readers and language models see it in any case.",
    path: "ai_context",
  };
}

function lostProblem(question: string): Problem {
  return {
    severity: "warning",
    message: `The verified question "${question}" could not be answered by this model as it was verified.`,
    hint: "Keep what it needs, or take the question back: mark it as wrong.",
    path: "",
  };
}
