import { expect, it } from "vitest";
import { resultOf } from "../../../../test/support/datasets.ts";
import { refusalsOf } from "../../../../test/support/models.ts";
import { openCafe } from "../../../../test/support/questions.ts";
import { serverOfFile } from "../../../../test/support/server.ts";

const server = await serverOfFile({ env: { RATE_LIMIT_ENABLED: "false" } });
const contributor = await server.token({ role: "contributor" });
await openCafe(server, await server.token());

const call = (name: string, args: Record<string, unknown>, token = contributor) =>
  resultOf<Record<string, unknown>>(server, token, name, args);

it("keeps a verdict with its comment, and takes it back", async () => {
  const { id: answer_id } = await call("ask_question", { question: "revenue" });
  expect(await call("mark_answer", { answer_id, mark: "wrong", comment: "No refunds" })).toMatchObject({
    mark: "wrong",
  });
  expect(await call("get_answer", { answer_id })).toMatchObject({ mark: "wrong", comment: "No refunds" });
  await call("mark_answer", { answer_id, mark: "none" });
  expect(await call("get_answer", { answer_id })).toMatchObject({ mark: null, comment: null });
});

it("is for whoever asked", async () => {
  const { id: answer_id } = await call("ask_question", { question: "revenue" });
  const admin = await server.token();
  await expect(call("mark_answer", { answer_id, mark: "right" }, admin)).rejects.toThrow(/no answer/);
  const viewer = await server.token({ role: "viewer" });
  const refused = await refusalsOf(server, viewer, "mark_answer", { answer_id, mark: "right" });
  expect(refused).toMatchObject({ anonymous: 401, wrong: expect.stringMatching(/data_agent:write/) });
  await expect(call("mark_answer", { answer_id, mark: "maybe" })).rejects.toThrow(/mark/);
});
