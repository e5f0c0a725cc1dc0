import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "vitest";
import { callInConsole } from "../../../../test/support/console.ts";
import { resultOf } from "../../../../test/support/datasets.ts";
import { type Browser, signedInPerson } from "../../../../test/support/oauth-client.ts";
import { startTestServer, type TestServer } from "../../../../test/support/server.ts";

let server: TestServer;
let person: Browser;
let client: string;
let stranger: string;

beforeAll(async () => {
  server = await startTestServer({ env: { RATE_LIMIT_ENABLED: "false" } });
  const signedIn = await signedInPerson(server, "contributor");
  person = signedIn.person;
  client = await server.token({ email: signedIn.email });
  stranger = await server.token({ role: "admin" });
});
afterAll(() => server.stop());

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
