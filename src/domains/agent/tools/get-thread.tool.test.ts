import { randomUUID } from "node:crypto";
import { expect, it } from "vitest";
import { callInConsole } from "../../../../test/support/console.ts";
import { resultOf } from "../../../../test/support/datasets.ts";
import { signedInPerson } from "../../../../test/support/oauth-client.ts";
import { openCafe } from "../../../../test/support/questions.ts";
import { serverOfFile } from "../../../../test/support/server.ts";

interface Thread {
  thread_id: string;
  title: string;
  turns: { question: string; answer_id: string | null; outcome: string | null; model: string | null }[];
}

/** Of the same person, for an AI client. */

const clock = { now: () => new Date("2025-03-31T12:00:00Z") };
const server = await serverOfFile({ agent: { clock }, env: { RATE_LIMIT_ENABLED: "false" } });
await openCafe(server, await server.token());
const signedIn = await signedInPerson(server, "contributor");
const person = signedIn.person;
const client = await server.token({ email: signedIn.email });
const stranger = await server.token({ role: "admin" });

const inConsole = <T>(tool: string, args: object, thread: string, who = person) =>
  callInConsole<T>(who, tool, args, { thread });
const threadOf = (thread_id: string, token = client) =>
  resultOf<Thread>(server, token, "get_thread", { thread_id });

it("is begun in the console, and continued from an AI client", async () => {
  const thread = randomUUID();
  const first = await inConsole<{ id: string }>("ask_question", { question: "revenue by shop" }, thread);
  await inConsole("ask_data", { question: "visits by month" }, thread);
  const args = { question: "only in February", follow_up_to: first.id };
  const next = await resultOf<{ id: string }>(server, client, "ask_question", args);
  expect(await threadOf(thread)).toMatchObject({
    title: "revenue by shop",
    turns: [
      { question: "revenue by shop", answer_id: first.id, outcome: "answer" },
      { question: "visits by month", answer_id: null },
      { question: "only in February", answer_id: next.id },
    ],
  });
  await expect(threadOf(thread, stranger)).rejects.toThrow(/no thread/i);
  const foreign = (await signedInPerson(server, "contributor")).person;
  const question = "revenue";
  await expect(inConsole("ask_question", { question }, thread, foreign)).rejects.toThrow(/no thread/i);
});

it("has a question once that a model refused and others answered", async () => {
  const thread = randomUUID();
  const question = "how many unicorns per rainbow";
  await inConsole("ask_question", { question }, thread);
  await inConsole("change_thread", { thread_id: thread, question }, thread);
  const { turns } = await threadOf(thread);
  expect(turns.map((turn) => [turn.question, turn.answer_id])).toEqual([[question, null]]);
});
