import pg from "pg";
import { beforeEach, describe, expect, it } from "vitest";
import { CommandLine } from "../support/command-line.ts";
import { resultOf } from "../support/datasets.ts";
import { saveModel } from "../support/models.ts";
import { CAFE_MODEL, openCafe } from "../support/questions.ts";
import { serverOfFile } from "../support/server.ts";

/** Answers that were marked as right: they are used first, and are the tests of their model. */

interface Asked {
  id: string;
  outcome: string;
  narrative: string;
  rows: unknown[][];
  assumptions: string[];
  confidence: number | null;
}

let now = new Date("2025-03-31T12:00:00Z");

const env = { RATE_LIMIT_ENABLED: "false" };
const server = await serverOfFile({ agent: { clock: { now: () => now } }, env });
const admin = await server.token();
const contributor = await server.token({ role: "contributor" });
const other = await server.token({ role: "contributor" });
await openCafe(server, admin);

beforeEach(async () => {
  now = new Date("2025-03-31T12:00:00Z");
  await inDatabase("DELETE FROM verified_questions");
});

async function inDatabase(statement: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(server.databaseUrl);
  await client.connect();
  try {
    return (await client.query(statement)).rows;
  } finally {
    await client.end();
  }
}

const ask = (question: string, token = contributor) =>
  resultOf<Asked>(server, token, "ask_question", { question });

interface Marked {
  verified: boolean;
  note?: string;
}

async function mark(question: string, verdict: string, token = contributor): Promise<Marked> {
  const { id: answer_id } = await ask(question, token);
  return resultOf<Marked>(server, token, "mark_answer", { answer_id, mark: verdict });
}

async function isVerified(question: string, token = contributor): Promise<boolean> {
  const { narrative, assumptions } = await ask(question, token);
  const isSaid = assumptions.some((each) => each.startsWith("verified by "));
  expect(/\*Verified by .*\*/.test(narrative)).toBe(isSaid);
  return isSaid;
}

async function policies(rows?: object[]): Promise<void> {
  const { datasets } = await resultOf<{ datasets: { id: number; name: string }[] }>(
    server,
    admin,
    "list_datasets",
    {},
  );
  const dataset_id = datasets.find(({ name }) => name === "shops")?.id;
  const policy = { name: "some", roles: ["contributor"], rows };
  const all = rows === undefined ? [] : [policy];
  await resultOf(server, admin, "set_dataset_policies", { dataset_id, policies: all });
}

describe("an answer that was marked as right", () => {
  it("[agent.verified.used] is used first for the same question of anybody, and says so", async () => {
    const before = await ask("revenue by shop");
    expect(await mark("Revenue by shop?", "right")).toMatchObject({ verified: true });
    const after = await ask("  revenue by SHOP ", admin);
    expect(after.rows).toEqual(before.rows);
    expect(after.assumptions).toEqual([expect.stringMatching(/^verified by \S/)]);
    expect(after.confidence).toBeGreaterThan(before.confidence as number);
    expect(await isVerified("revenue by city")).toBe(false);
  });

  it("[agent.verified.used] also where the rules would not read it so any more", async () => {
    const metric = '"name":"revenue",';
    expect(CAFE_MODEL).toContain(metric);
    const named = CAFE_MODEL.replace(metric, `${metric}"ai_context":{"synonyms":["zorkmid"]},`);
    await saveModel(server, admin, named);
    const { rows } = await ask("zorkmid by shop");
    expect(rows).toHaveLength(4);
    expect(await mark("zorkmid by shop", "right")).toMatchObject({ verified: true });
    await saveModel(server, admin, CAFE_MODEL);
    expect((await ask("zorkmid by city")).outcome).toBe("refuse");
    expect((await ask("zorkmid by shop")).rows).toEqual(rows);
  });

  it("[agent.verified.today] periods are those of today", async () => {
    expect(await mark("revenue this month", "right")).toMatchObject({ verified: true });
    now = new Date("2025-02-28T12:00:00Z");
    expect((await ask("revenue this month", other)).rows).toEqual([[17]]);
    expect(await isVerified("revenue this month", other)).toBe(true);
  });

  it("[agent.verified.plain] what comes from somebody's preferences is theirs", async () => {
    const prefer = (args: object) => resultOf(server, contributor, "set_preferences", args as never);
    await prefer({ default_time_period: "current_month" });
    expect(await mark("revenue", "right")).toMatchObject({
      verified: false,
      note: expect.stringMatching(/preferences/),
    });
    expect(await mark("revenue", "right", other)).toMatchObject({ verified: true });
    expect((await ask("revenue")).rows).toEqual([[20]]);
    await prefer({ clear: ["default_time_period"] });
    expect((await ask("revenue")).rows).toEqual([[50]]);
    expect(await isVerified("revenue")).toBe(true);
  });

  it("[agent.verified.rights] is answered with the rights of whoever asks", async () => {
    for (const question of ["revenue by shop", "revenue for shops in Bonn"]) {
      expect(await mark(question, "right", admin)).toMatchObject({ verified: true });
    }
    await policies([{ field: "city", operator: "=", value: "Bern" }]);
    try {
      expect((await ask("revenue by shop")).rows).toEqual([["Aroma", 13]]);
      const hidden = await ask("revenue for shops in Bonn");
      expect(hidden.outcome).toBe("refuse");
      expect(JSON.stringify(hidden)).not.toContain("erified");
    } finally {
      await policies();
    }
    expect(await isVerified("revenue for shops in Bonn")).toBe(true);
  });

  it("[agent.verified.wrong] is no longer used when an admin, or whoever verified it, says otherwise", async () => {
    await mark("visit count", "right");
    await mark("visit count", "wrong", other);
    expect(await isVerified("visit count")).toBe(true);
    await mark("visit count", "wrong", admin);
    expect(await isVerified("visit count")).toBe(false);
    await mark("visit count", "right");
    await mark("visit count", "none");
    expect(await isVerified("visit count")).toBe(false);
  });

  it("[agent.verified.tests] is skipped while the model cannot carry it", async () => {
    await mark("seats by shop", "right");
    await mark("revenue", "right");
    const field = '{"name":"seats","expression":"seats"},';
    expect(CAFE_MODEL).toContain(field);
    await saveModel(server, admin, CAFE_MODEL.replace(field, ""));
    expect((await ask("seats by shop")).outcome).toBe("refuse");
    const { out, code } = await evaluate("--model", "cafes");
    expect(code).toBe(1);
    expect(out).toMatch(/^cafes\nNot answered any more: 1 of 2 \(50\.0 %\)\n {2}seats by shop — .*seats/);
    await saveModel(server, admin, CAFE_MODEL);
    const [kept] = await inDatabase("SELECT count(*)::int AS n FROM verified_questions");
    expect(kept).toEqual({ n: 2 });
  });

  it("has room for a bounded number", async () => {
    await mark("revenue", "right");
    await inDatabase(
      "INSERT INTO verified_questions (model_id, key, question, query, verified_at) SELECT model_id, 'k' || n, question, query, verified_at FROM verified_questions, generate_series(1, 999) n",
    );
    expect(await mark("visit count", "right")).toMatchObject({
      verified: false,
      note: expect.stringMatching(/1000 verified questions/),
    });
    expect(await mark("revenue", "right")).toMatchObject({ verified: true });
  });
});

async function evaluate(...words: string[]) {
  const kenning = await CommandLine.open();
  const env = { KENNING_HOME: server.home, DATABASE_URL: server.databaseUrl };
  try {
    return await kenning.call(["eval", "verified", "--workspace", "acme", ...words], { env });
  } finally {
    kenning.remove();
  }
}

describe("kenning eval verified", () => {
  it("[agent.verified.tests] runs every verified question, and says which are read otherwise", async () => {
    expect(await evaluate()).toMatchObject({
      code: 0,
      out: "",
      err: expect.stringMatching(/no verified questions/),
    });
    await mark("revenue this month", "right");
    await mark("revenue by shop", "right");
    now = new Date("2025-02-28T12:00:00Z");
    const { code, out, err } = await evaluate();
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out).toMatch(/^cafes\nAs verified: 2 of 2 \(100\.0 %\)\nTime: p50 [\d.]+ ms, p95 [\d.]+ ms\n$/);
    expect(await evaluate("--model", "nothing")).toMatchObject({ code: 1 });
  });
});
