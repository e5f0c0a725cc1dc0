import { beforeEach, describe, expect, it } from "vitest";
import { resultOf } from "../../../../test/support/datasets.ts";
import { callTool } from "../../../../test/support/mcp.ts";
import { refusalsOf, saveModel, textOf } from "../../../../test/support/models.ts";
import {
  CAFE_MODEL,
  openCafe,
  REVENUE,
  reading,
  SHOP,
  scripted,
} from "../../../../test/support/questions.ts";
import { serverOfFile } from "../../../../test/support/server.ts";
import type { Understand } from "../index.ts";
import { LIMITS } from "../limits.ts";
import type { Cond } from "../query/semantic-query.ts";

const cityIs = (value: string): Cond => ({
  k: "is",
  key: { ds: "shops", field: "city" },
  values: [value],
  match: "equal",
});

const TO_SHOP = [{ link: "visits_shops", dir: "one" as const }];

function first(name: string) {
  const by = { k: "metric" as const, name };
  const top = { n: 1, by, dir: "max" as const, ties: "keep" as const };
  return reading(`the highest ${name}`, { k: "table", by: [SHOP], cols: [by], top });
}

const known = scripted({
  "revenue by shop": {
    readings: [reading("revenue by shop", { k: "table", by: [SHOP], cols: [REVENUE] })],
  },
  "revenue in Bonn": {
    readings: [
      reading("revenue in Bonn", { k: "table", by: [], cols: [REVENUE], scope: { if: cityIs("Bonn") } }),
    ],
  },
  "revenue from Ada": {
    readings: [
      reading("revenue from Ada", {
        k: "table",
        by: [],
        cols: [REVENUE],
        scope: {
          if: { k: "is", key: { ds: "guests", field: "guest_name" }, values: ["Ada"], match: "equal" },
        },
      }),
    ],
  },
  "the strongest shop": { readings: [first("revenue"), first("average_tip")] },
  "the best shop": { readings: [first("revenue"), first("visit_count")] },
  "visits without a shop": {
    readings: [
      reading("visits without a shop", {
        k: "list",
        rel: {
          k: "where",
          in: { k: "all", ds: "visits" },
          if: { k: "not", of: { k: "link", at: "visits", path: TO_SHOP, to: { k: "all", ds: "shops" } } },
        },
        show: [{ ds: "visits", field: "visit_id" }],
      }),
    ],
  },
  "revenue per table": {
    readings: [
      reading("revenue per table", {
        k: "table",
        by: [{ ds: "items", field: "product" }],
        cols: [{ k: "metric", name: "goal" }],
      }),
    ],
  },
});

/** "Which cities?" shows what the rules are given to know. */
const understand: Understand = async (question, knowledge, reader) => {
  if (question.text !== "Which cities?") return known(question, knowledge, reader);
  const cities = knowledge.values.find(({ ds, field }) => ds === "shops" && field === "city");
  const nearest = cities === undefined ? ["no such field"] : cities.values.toSorted();
  const missing = [{ span: { start: 0, end: 5 }, text: nearest.join(" "), nearest: [] }];
  return { readings: [], missing, unclear: [] };
};

interface Asked extends Record<string, unknown> {
  outcome: string;
  narrative: string;
  rows: unknown[][];
}

const server = await serverOfFile({ agent: { understand }, env: { RATE_LIMIT_ENABLED: "false" } });
const admin = await server.token();
const contributor = await server.token({ role: "contributor" });
await openCafe(server, admin);

const ask = (question: string, token = contributor, more: object = {}) =>
  resultOf<Asked>(server, token, "ask_question", { question, ...more });

describe("ask_question", () => {
  it("gives rows, SQL and the reading on /mcp, of the only model or of the one that is named", async () => {
    const answer = await ask("revenue by shop");
    expect(answer).toMatchObject({
      outcome: "answer",
      model: "cafes",
      columns: ["shop_name", "revenue"],
      rows: [
        ["Drip", 20],
        ["Aroma", 13],
        ["Crema", 12],
        ["Bean", 5],
      ],
      rowCount: 4,
      sql: expect.stringContaining("SUM("),
      reading: "revenue by shop",
      confidence: 0.95,
    });
    const again = await ask("revenue by shop", contributor, { model: "Cafes" });
    expect(again).toEqual({ ...answer, id: again.id });
  });

  it("is for those who may ask", async () => {
    const viewer = await server.token({ role: "viewer" });
    const refused = await refusalsOf(server, viewer, "ask_question", { question: "revenue by shop" });
    expect(refused.anonymous).toBe(401);
    expect(refused.wrong).toMatch(/data_agent:write is missing/);
    const readOnly = await server.token({ limits: { readOnly: true } });
    const answer = await callTool(server, readOnly, "ask_question", { question: "revenue by shop" });
    expect(textOf(answer)).toMatch(/data_agent:write is missing/);
  });

  it("knows only the models that there are for the token", async () => {
    const failure = async (args: object, token = contributor) =>
      textOf(await callTool(server, token, "ask_question", { question: "revenue by shop", ...args }));
    expect(await failure({ model: "caffes" })).toMatch(/Did you mean cafes\?/);
    const other = await server.token({ limits: { models: ["other"] } });
    expect(await failure({ model: "cafes" }, other)).toMatch(/not found/);
    expect(await failure({}, other)).toMatch(/no published semantic model/);
    await saveModel(server, admin, CAFE_MODEL.replace('"cafes"', '"bars"'));
    expect(await failure({})).toMatch(/several semantic models.*One of: bars, cafes/);
    const bars = await server.token({ limits: { models: ["bars"] } });
    expect(await ask("revenue by shop", bars)).toMatchObject({ model: "bars" });
    await server.token();
  });

  it("refuses what the model cannot carry, and says why", async () => {
    const { outcome, narrative } = await ask("revenue per table", contributor, { model: "cafes" });
    expect(outcome).toBe("refuse");
    expect(narrative).toContain("- goals cannot be told apart by product of items.");
  });
});

describe("row and column policies", () => {
  const policy = async (name: string, policies: object[]) => {
    const { datasets } = await resultOf<{ datasets: { id: number; name: string }[] }>(
      server,
      admin,
      "list_datasets",
      {},
    );
    const dataset_id = datasets.find((each) => each.name === name)?.id;
    await resultOf(server, admin, "set_dataset_policies", { dataset_id, policies });
  };
  const cities = async (token: string) => {
    const { narrative } = await ask("Which cities?", token, { model: "cafes" });
    return /(?:Missing datasets|Not understood):\*\*\n- (.*)/.exec(narrative)?.[1];
  };
  beforeEach(() => policy("shops", []));

  it("[agent.ask.roles] hold in answers and in what a question can name, whoever asked before", async () => {
    expect(await cities(admin)).toBe("Bern Bonn Oslo Rome");
    expect(await cities(contributor)).toBe("Bern Bonn Oslo Rome");
    const rows = [{ field: "city", operator: "!=", value: "Bonn" }];
    await policy("shops", [{ name: "not Bonn", roles: ["contributor"], rows }]);
    expect(await cities(contributor)).toBe("Bern Oslo Rome");
    expect(await cities(admin)).toBe("Bern Bonn Oslo Rome");
    expect(await cities(contributor)).toBe("Bern Oslo Rome");
    const inBonn = async (token: string) =>
      (await ask("revenue in Bonn", token, { model: "cafes" })).narrative;
    expect(await inBonn(admin)).toContain("**€20.00**");
    const hidden = await inBonn(contributor);
    expect(hidden).toContain("there is no value");
    expect(hidden).toMatch(/nearest values that there are: (Rome|Bern|Oslo)(, (Rome|Bern|Oslo)){2}\./);
  });

  it("[agent.ask.roles] are told from what is not there", async () => {
    const caveats = async (question: string) =>
      (await ask(question, contributor, { model: "cafes" })).caveats;
    expect(await caveats("visits without a shop")).toEqual([]);
    const rows = [{ field: "city", operator: "!=", value: "Bonn" }];
    await policy("shops", [{ name: "not Bonn", roles: ["contributor"], rows }]);
    const part = "You see only a part of the rows of shops.";
    expect(await caveats("visits without a shop")).toEqual([part]);
    expect(await caveats("revenue by shop")).toEqual([
      expect.stringMatching(/^€20\.00 of .* belong to no Shop that you see/),
      part,
    ]);
  });

  it("[agent.ask.roles] by attribute: each member has values of their own", async () => {
    const { identity } = server.app;
    const member = async (city: string) => {
      const email = `${city}@example.com`;
      await identity.users.create({ email, workspace: "acme", role: "contributor" });
      await identity.users.setAttribute({ email, workspace: "acme", name: "city", value: city });
      return server.token({ email });
    };
    const [rome, oslo] = [await member("Rome"), await member("Oslo")];
    const rows = [{ field: "city", operator: "=", value: { attribute: "city" } }];
    await policy("shops", [{ name: "own city", roles: ["contributor"], rows }]);
    expect(await cities(rome)).toBe("Rome");
    expect(await cities(oslo)).toBe("Oslo");
    expect(await cities(rome)).toBe("Rome");
  });

  it("[agent.ask.roles] a hidden column is not there", async () => {
    await policy("shops", [{ name: "no city", roles: ["contributor"], hide: ["city"] }]);
    expect(await cities(contributor)).toBe("no such field");
    expect(await cities(admin)).toBe("Bern Bonn Oslo Rome");
    const { outcome, narrative } = await ask("revenue in Bonn", contributor, { model: "cafes" });
    expect(outcome).toBe("refuse");
    expect(narrative).toContain("There is no field city in shops.");
  });

  it("and values are those of the data now", async () => {
    expect(await cities(contributor)).toBe("Bern Bonn Oslo Rome");
    const shop = { shop_id: 5, shop_name: "Espresso", city: "Kyiv", seats: 5, region_id: 2 };
    await resultOf(server, admin, "push_data", { dataset_name: "shops", rows: [shop] });
    expect(await cities(contributor)).toBe("Bern Bonn Kyiv Oslo Rome");
  });
});

describe("limits", () => {
  it("[agent.ask.limits] are those of the contract", () => {
    expect(LIMITS.agent).toMatchObject({ queryMs: 30_000, rows: 10_000, totalMs: 300_000 });
  });
});

describe("readings that rank by other numbers", () => {
  it("are one answer where the same ones are first, which is said, and asked about where others are", async () => {
    const same = await ask("the strongest shop", contributor, { model: "cafes" });
    expect(same).toMatchObject({ outcome: "answer", rows: [["Drip", 20]] });
    expect(same.caveats).toContain('Understood as "the highest average_tip", it is the same.');
    expect(await ask("the best shop", contributor, { model: "cafes" })).toMatchObject({
      outcome: "clarify",
      questions: [{ suggestions: ["the highest revenue", "the highest visit_count"] }],
    });
  });
});

describe("namesakes", () => {
  it("are asked about where their numbers differ, and told apart by an answer", async () => {
    const push = (dataset_name: string, row: object) =>
      resultOf(server, admin, "push_data", { dataset_name, rows: [row] });
    const about = async (answer = "") => ask(`revenue from Ada${answer}`, contributor, { model: "cafes" });
    expect(await about()).toMatchObject({ outcome: "answer", rows: [[15]] });
    await push("guests", { guest_id: 4, guest_name: "Ada", home: "Kyiv" });
    // Of the other one there is nothing to tell, so there is nothing to ask.
    expect(await about()).toMatchObject({ outcome: "answer", rows: [[15]] });
    await push("visits", { visit_id: 6, shop_id: 1, guest_id: 4, visited_on: "2025-03-04", tip: null });
    await push("items", { item_id: 7, visit_id: 6, product: "Tea", quantity: 1, price: 2.5 });
    const { outcome, questions } = await about();
    expect(outcome).toBe("clarify");
    expect(questions).toEqual([
      {
        question: "Which of these do you mean?",
        suggestions: [
          "revenue from Ada: Ada with guest id 1, home Bern",
          "revenue from Ada: Ada with guest id 4, home Kyiv",
        ],
      },
    ]);
    expect(await about(" [Ada: revenue from Ada: Ada with guest id 4, home Kyiv]")).toMatchObject({
      rows: [[2.5]],
      caveats: [],
    });
    expect(await about(" proceed anyway")).toMatchObject({ rows: [[17.5]] });
  });

  it("that cannot be looked up are told without the engine's own words", async () => {
    const plain = '{"name":"home","expression":"home"';
    expect(CAFE_MODEL).toContain(plain);
    const numbered = plain.replace(
      '"expression":"home"',
      '"expression":"CAST(CAST(home AS INTEGER) AS VARCHAR)"',
    );
    const brittle = CAFE_MODEL.replace(plain, numbered).replace('"cafes"', '"brittle"');
    await saveModel(server, admin, brittle);
    const args = { question: "revenue from Ada", model: "brittle" };
    const said = textOf(await callTool(server, contributor, "ask_question", args));
    expect(said).toMatch(/could not be run/);
    expect(said).not.toMatch(/convert|cast|select|Bern/i);
  });
});
