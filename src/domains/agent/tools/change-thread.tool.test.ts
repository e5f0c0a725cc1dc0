import { randomUUID } from "node:crypto";
import { expect, it } from "vitest";
import { callInConsole } from "../../../../test/support/console.ts";
import { resultOf } from "../../../../test/support/datasets.ts";
import { refusalsOf } from "../../../../test/support/models.ts";
import { signedInPerson } from "../../../../test/support/oauth-client.ts";
import { serverOfFile } from "../../../../test/support/server.ts";

const server = await serverOfFile({ env: { RATE_LIMIT_ENABLED: "false" } });
const signedIn = await signedInPerson(server, "contributor");
const person = signedIn.person;
const client = await server.token({ email: signedIn.email });
const stranger = await server.token({ role: "admin" });

it("is renamed, removed and brought back by whoever asked", async () => {
  const thread = randomUUID();
  const read = () => resultOf<{ title: string }>(server, client, "get_thread", { thread_id: thread });
  const change = (args: object, token = client) =>
    resultOf(server, token, "change_thread", { thread_id: thread, ...args });
  await callInConsole(person, "change_thread", { thread_id: thread, question: "what is in the handbook" });
  await change({ title: "Handbook" });
  expect((await read()).title).toBe("Handbook");
  await change({ removed: true });
  await expect(read()).rejects.toThrow(/no thread/i);
  await change({ removed: false });
  expect((await read()).title).toBe("Handbook");
  await expect(change({}, client)).rejects.toThrow(/nothing to change/);
  await expect(change({ title: "Mine" }, stranger)).rejects.toThrow(/no thread/i);
  const viewer = await server.token({ role: "viewer" });
  const refused = await refusalsOf(server, viewer, "change_thread", { thread_id: thread, removed: true });
  expect(JSON.stringify(refused)).toMatch(/data_agent:write/);
});
