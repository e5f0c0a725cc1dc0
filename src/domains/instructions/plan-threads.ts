import { extname, join } from "node:path";
import { MessageChannel, type MessagePort } from "node:worker_threads";
import { isAppError } from "../../kernel/errors.ts";
import { WorkerPool } from "../../platform/workers/index.ts";
import { LIMITS } from "./limits.ts";
import type { Plan } from "./plan.ts";
import type { Look, Seen, ToPlan } from "./plan-worker.ts";
import type { Instruction } from "./planner.ts";
import type { CallTool } from "./references.ts";
import type { Aliases } from "./words.ts";

/** What a plan is made of, as the giver of the instruction sees it. */
interface Sight {
  call: CallTool;
  aliases: () => Promise<ReadonlyMap<string, Aliases>>;
  /** Whose plan it is: a workspace has one thread at a time. */
  scope: string;
  signal: AbortSignal;
}

/** Plans instructions in threads beside the server's own, which a long sentence would otherwise hold for seconds. */
export class PlanThreads {
  readonly #pool: WorkerPool<ToPlan, Plan>;

  constructor(planMs: number = LIMITS.instructions.planMs) {
    const { planners, waitingPlans, planMemoryMb } = LIMITS.instructions;
    this.#pool = new WorkerPool({
      noun: "instruction",
      nouns: "instructions",
      work: { doing: "Planning", done: "planned", did: "planned" },
      hint: "Nothing was done. Say it in fewer words, or one thing at a time.",
      module: join(import.meta.dirname, `plan-worker${extname(import.meta.filename)}`),
      workers: planners,
      waiting: waitingPlans,
      memoryMb: planMemoryMb,
      timeoutMs: planMs,
    });
  }

  /** The thread looks things up through the calling process, by the same path as any caller. */
  async plan(given: Instruction, { scope, signal, ...sight }: Sight): Promise<Plan> {
    const { port1: ours, port2: port } = new MessageChannel();
    let failure: unknown;
    const fail = (error: unknown): void => {
      failure ??= error;
    };
    ours.on("message", (look: Look) => void answer(ours, look, sight, fail));
    ours.unref();
    try {
      return await this.#pool.ask(scope, signal, () => ({ value: { given, port }, transfer: [port] }));
    } catch (error) {
      // What nobody expected is thrown here as it was, for its stack belongs in the log.
      throw failure ?? error;
    } finally {
      ours.close();
      port.close();
    }
  }
}

async function answer(
  ours: MessagePort,
  look: Look,
  { call, aliases }: Pick<Sight, "call" | "aliases">,
  fail: (error: unknown) => void,
): Promise<void> {
  const { number } = look;
  let seen: Seen;
  try {
    seen = { number, answer: await ("tool" in look ? call(look.tool, look.args) : aliases()) };
  } catch (error) {
    if (!isAppError(error)) fail(error);
    const { code, message, hint } = isAppError(error)
      ? error
      : { code: "internal" as const, message: "The lookup failed.", hint: undefined };
    seen = { number, refusal: { code, message, hint } };
  }
  ours.postMessage(seen);
}
