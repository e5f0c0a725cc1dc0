import { randomUUID } from "node:crypto";
import { expect, it } from "vitest";
import { callInConsole } from "../../../../test/support/console.ts";
import { resultOf } from "../../../../test/support/datasets.ts";
import { signedInPerson } from "../../../../test/support/oauth-client.ts";
import { serverOfFile } from "../../../../test/support/server.ts";

const server = await serverOfFile({ env: { RATE_LIMIT_ENABLED: "false" } });
const signedIn = await signedInPerson(server, "contributor");
const person = signedIn.person;
const client = await server.token({ email: signedIn.email });
const stranger = await server.token({ role: "admin" });

const list = (args = {}, token = client) =>
  resultOf<{ threads: { thread_id: string; title: string; questions: number }[] }>(
    server,
    token,
    "list_threads",
    args,
  );

it("lists one's own, the last used first", async () => {
  const [older, newer] = [randomUUID(), randomUUID()];
  const ask = (question: string, thread: string) =>
    callInConsole(person, "change_thread", { thread_id: thread, question });
  await ask("how many whales", older);
  await ask("how many ships", newer);
  await ask("and how many ports", newer);
  expect((await list()).threads).toMatchObject([
    { thread_id: newer, title: "how many ships", questions: 2 },
    { thread_id: older, title: "how many whales", questions: 1 },
  ]);
  expect((await list({ query: "WHALE" })).threads).toMatchObject([{ thread_id: older }]);
  expect((await list({ limit: 1 })).threads).toHaveLength(1);
  expect((await list({}, stranger)).threads).toEqual([]);
});
