import type { LlmServices, Provider } from "../../llm/index.ts";
import type { Lent, Work } from "../work.ts";
import type { Write } from "./fill-in.ts";
import type { Narrator } from "./narrative.ts";

/** A language model that may be asked about a question. */
export interface LanguageModel extends Narrator {
  /** As it is written down. */
  llm: string;
  sendsRows: boolean;
}

/** The workspace's, or else the client's. */
export async function languageModelFor(
  work: Work,
  { sample, once }: Lent,
  llm: LlmServices["llm"],
): Promise<LanguageModel | undefined> {
  const provider = await llm.providerFor(work.caller, work.preferences.defaultProvider);
  const write = provider === undefined ? sample : writerOf(provider, work, { once, llm });
  const model = provider?.model ?? "of your client";
  const sendsRows = provider?.sendsRows === true;
  return write && { write, name: `language model ${model}`, llm: model, sendsRows };
}

/** Lets a provider's model write; what it wrote before the client was asked something is not written again. */
function writerOf(
  provider: Provider,
  { caller, question, signal }: Work,
  { once, llm }: Pick<Lent, "once"> & { llm: LlmServices["llm"] },
): Write {
  const instruction = [question.text, ...question.answers].join(" ");
  return (task) => {
    const { key, ...prompt } = task;
    const work = async () => {
      const request = { ...prompt, purpose: `question ${key}`, instruction, signal };
      return (await llm.ask(caller, provider, request)).text;
    };
    return once === undefined ? work() : once(task, work);
  };
}
