import { isAppError } from "../../../kernel/errors.ts";
import { giveUpAfter } from "../../../kernel/give-up.ts";
import { type Embeddings, maxSim } from "../../../platform/embeddings/index.ts";
import { LIMITS } from "../limits.ts";

/** How near each sentence is to the question by its tokens, 0 to 1; undefined where the model cannot say it in time. */
export async function likenessOf(
  embeddings: Embeddings,
  question: string,
  sentences: readonly { text: string }[],
): Promise<number[] | undefined> {
  const work = async () => {
    const { tokens } = await embeddings.embedQuery(question);
    if (tokens === undefined) return undefined;
    const worth = maxSim(tokens);
    const made = await embeddings.embed(sentences.map(({ text }) => text));
    return made.map((one) => worth(one.tokens ?? new Uint8Array(0)));
  };
  try {
    return await giveUpAfter(LIMITS.knowledge.likenessMs, work(), "The sentences were not embedded in time.");
  } catch (error) {
    // Words tell as well which sentence is meant.
    if (isAppError(error)) return undefined;
    throw error;
  }
}
