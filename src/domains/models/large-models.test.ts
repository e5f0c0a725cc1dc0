import { beforeAll, expect, it } from "vitest";
import { makeDataset } from "../../../test/support/datasets.ts";
import { query, saveModel } from "../../../test/support/models.ts";
import { rpc } from "../../../test/support/rpc.ts";
import { serverOfFile } from "../../../test/support/server.ts";

/** Models that would take minutes if everything in them were put to the engine, or computed. */

const NAMES = Array.from({ length: 1_900 }, (_, n) => `a_rather_long_name_of_a_column_${n}`);

const server = await serverOfFile();
const admin = await server.token({ role: "admin" });
beforeAll(async () => {
  await makeDataset(server, admin, "Wide", [Object.fromEntries(NAMES.map((name, n) => [name, n]))]);
});

function model(name: string, dataset: object): string {
  return JSON.stringify({
    version: "0.2.0.dev0",
    semantic_model: [{ name, datasets: [{ source: "Wide", ...dataset }] }],
  });
}

it("a dataset may have many columns with long names, and computed fields besides", async () => {
  const fields = NAMES.map((name) => ({ name, expression: name }));
  const computed = { name: "sum", expression: `${NAMES[1]} + ${NAMES.at(-1)}` };
  const broken = { name: "broken", expression: "nothing + 1" };
  const text = model("wide", { name: "w", fields: [...fields, broken, computed] });
  const { problems } = await saveModel(server, admin, text, { publish: false });
  expect(problems).toMatchObject([{ severity: "error", path: "datasets.w.fields.broken" }]);
  await saveModel(server, admin, model("wide", { name: "w", fields: [...fields, computed] }));
  const { rows } = await query(server, admin, "SELECT sum FROM w", { modelName: "wide" });
  expect(rows).toEqual([{ sum: 1_900 }]);
});

it("a view query is described, not run, when a model is saved", async () => {
  const view_query = "SELECT sum(i % 7) AS id FROM range(300000000000) r(i)";
  const custom_extensions = [{ vendor_name: "COMMON", data: JSON.stringify({ view_query }) }];
  const slow = { name: "s", fields: [{ name: "id", expression: "id" }], custom_extensions };
  const { problems } = await saveModel(server, admin, model("slow", slow), { publish: false });
  expect(problems).toEqual([]);
});

it("a model may have hundreds of metrics", async () => {
  const [column] = NAMES;
  const metrics = Array.from({ length: 400 }, (_, n) => ({
    name: `metric_${n}`,
    expression: `SUM(w.${column}) + ${n}`,
  }));
  const semantic_model = [
    {
      name: "metrics",
      datasets: [{ source: "Wide", name: "w", fields: [{ name: column, expression: column }] }],
      metrics,
    },
  ];
  const text = JSON.stringify({ version: "0.2.0.dev0", semantic_model });
  const { problems } = await saveModel(server, admin, text);
  expect(problems).toEqual([]);
  const { rows } = await query(server, admin, `SELECT SUM(${column}) + 399 AS m FROM w`, {
    modelName: "metrics",
  });
  expect(rows).toEqual([{ m: 399 }]);
});

it("a workspace may have hundreds of models, which are listed with what is in them", async () => {
  await makeDataset(server, admin, "Small", [{ a: 1 }]);
  const fields = [{ name: "twice", expression: "a * 2" }];
  for (let file = 0; file < 3; file += 1) {
    const semantic_model = Array.from({ length: 50 }, (_, n) => ({
      name: `many_${file * 50 + n}`,
      datasets: [{ source: "Small", name: "s", fields }],
    }));
    await saveModel(server, admin, JSON.stringify({ version: "0.2.0.dev0", semantic_model }));
  }
  const { body } = await rpc<{ contents: { text: string }[] }>(server, "/mcp", "resources/read", {
    token: admin,
    params: { uri: "kenning://models" },
  });
  const list = JSON.parse(body.result?.contents[0]?.text ?? "[]") as { name: string; fieldCount: number }[];
  const many = list.filter(({ name }) => name.startsWith("many_"));
  expect(many).toHaveLength(150);
  expect(many.every(({ fieldCount }) => fieldCount === 1)).toBe(true);
});
