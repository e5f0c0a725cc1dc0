import { describe, expect, it } from "vitest";
import { resultOf } from "../../../../test/support/datasets.ts";
import { saveModel } from "../../../../test/support/models.ts";
import { CAFE_MODEL, openCafe } from "../../../../test/support/questions.ts";
import { serverOfFile } from "../../../../test/support/server.ts";

interface Listed {
  total: number;
  questions: Record<string, unknown>[];
}

const server = await serverOfFile({ env: { RATE_LIMIT_ENABLED: "false" } });
const admin = await server.token();
const contributor = await server.token({ role: "contributor" });
await openCafe(server, admin);

const ask = (question: string, token = contributor) =>
  resultOf<{ id: string; assumptions: string[] }>(server, token, "ask_question", { question });

async function mark(question: string, verdict: string, token = contributor): Promise<void> {
  const { id: answer_id } = await ask(question, token);
  await resultOf(server, token, "mark_answer", { answer_id, mark: verdict });
}

async function policies(rows?: object[]): Promise<void> {
  const { datasets } = await resultOf<{ datasets: { id: number; name: string }[] }>(
    server,
    admin,
    "list_datasets",
    {},
  );
  const dataset_id = datasets.find(({ name }) => name === "shops")?.id;
  const all = rows === undefined ? [] : [{ name: "some", roles: ["contributor"], rows }];
  await resultOf(server, admin, "set_dataset_policies", { dataset_id, policies: all });
}

describe("verified questions", () => {
  it("[agent.verified.list] can be listed with what has changed since, and be taken back by its words", async () => {
    await mark("seats by shop", "right");
    await mark("Revenue by shop?", "right", admin);
    const list = (args: object = {}, token = contributor) =>
      resultOf<Listed>(server, token, "list_verified_questions", { model: "cafes", ...args });
    const before = await list();
    expect(before).toMatchObject({ total: 2, questions: [{ question: "seats by shop" }, {}] });
    expect(before.questions).toMatchObject([
      {
        model_changed: false,
        data_changed: false,
        reading: "shops, with seats",
        verified_by: expect.any(String),
      },
      { model_changed: false, data_changed: false },
    ]);
    await saveModel(server, admin, CAFE_MODEL.replace('{"name":"seats","expression":"seats"},', ""));
    try {
      const { questions } = await list({ check: true });
      expect(questions).toMatchObject([
        { model_changed: true, failure: expect.stringMatching(/seats/) },
        { model_changed: true, failure: null, read_otherwise: null },
      ]);
      const changed = await ask("revenue by shop");
      expect(changed.assumptions[0]).toMatch(
        /^verified by .*, for version \d+ of the model, which has changed/,
      );
    } finally {
      await saveModel(server, admin, CAFE_MODEL);
    }
    await resultOf(server, admin, "push_data", {
      dataset_name: "regions",
      rows: [{ region_id: 9, region_name: "West" }],
    });
    expect((await list({ limit: 1 })).questions).toMatchObject([{ data_changed: true }]);
    const takeBack = (question: string, token = contributor, model = "cafes") =>
      resultOf(server, token, "mark_answer", { question, model, mark: "none" });
    await expect(takeBack("revenue by shop")).rejects.toThrow(/Somebody else/);
    await expect(takeBack("nobody asked this")).rejects.toThrow(/no such verified question/);
    await expect(takeBack("revenue by shop", admin, "other")).rejects.toThrow(/not found/);
    await expect(resultOf(server, admin, "mark_answer", { mark: "right" })).rejects.toThrow(/answer_id/);
    expect(await takeBack("REVENUE by shop", admin)).toMatchObject({ answer_id: null, verified: false });
    expect(await list()).toMatchObject({ total: 1 });
    const viewer = await server.token({ role: "viewer" });
    await expect(list({}, viewer)).rejects.toThrow(/ontologies:write/);
    await policies([{ field: "city", operator: "=", value: "Bern" }]);
    await expect(list()).rejects.toThrow(/Policies hide a part/);
    await mark("revenue by city", "right", admin);
    await expect(takeBack("revenue by city").finally(() => policies())).rejects.toThrow(/no such verified/);
  });

  it("[agent.verified.list] that a new version of the model could not answer is a warning to its author", async () => {
    await mark("seats by shop", "right");
    const content = CAFE_MODEL.replace('{"name":"seats","expression":"seats"},', "");
    const saved = await resultOf<{ models: { problems: { severity: string; message: string }[] }[] }>(
      server,
      contributor,
      "save_semantic_model",
      { content },
    );
    expect(saved.models[0]?.problems).toEqual([
      expect.objectContaining({
        severity: "warning",
        message: expect.stringContaining('The verified question "seats by shop" could not be answered'),
      }),
    ]);
    const same = await resultOf<typeof saved>(server, contributor, "save_semantic_model", {
      content: CAFE_MODEL,
    });
    expect(same.models[0]?.problems).toEqual([]);
  });
});
