import { Agent } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { post, toolCall } from "./http.ts";

/** Many clients of one token, in a process of their own: each sends a heavy statement, again and again. */
interface Wish {
  url: string;
  token: string;
  clients: number;
  ms: number;
  /** How long a client that was refused waits, as it was told to. */
  pauseMs: number;
}

const HEAVY = "SELECT count(*) FROM orders a, orders b, orders c WHERE (a.id * b.id + c.id) % 7 = 3";

process.once("message", async (wish: Wish) => {
  const agent = new Agent({ keepAlive: true });
  const untilMs = performance.now() + wish.ms;
  const refusedMs: number[] = [];
  const ends = new Map<string, number>();
  const client = async (number: number): Promise<void> => {
    for (let round = 0; performance.now() < untilMs; round += 1) {
      const sql = `${HEAVY} AND a.id <> ${number} -- ${round}`;
      const args = { modelName: "shop", sql, store: false };
      const { status, ms, body } = await post(
        agent,
        wish.url,
        wish.token,
        toolCall("execute_query", args),
      ).catch(() => ({ status: 0, ms: 0, body: "" }));
      const isRefused = status === 429 || /are waiting|not answered yet/.test(body);
      const end = isRefused ? "refused" : status === 200 ? "answered" : String(status);
      ends.set(end, (ends.get(end) ?? 0) + 1);
      if (!isRefused) continue;
      refusedMs.push(ms);
      await delay(wish.pauseMs);
    }
  };
  const clients = Array.from({ length: wish.clients }, (_, number) => client(number));
  await Promise.race([Promise.all(clients), delay(wish.ms + 1_000)]);
  // A long message is still on its way when `send` returns.
  process.send?.({ refusedMs, ends: [...ends] }, () => process.exit(0));
});
