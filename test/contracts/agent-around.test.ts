import { renameSync } from "node:fs";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { beforeEach, describe, expect, it } from "vitest";
import { MS } from "../../src/kernel/time.ts";
import { makeDataset, resultOf } from "../support/datasets.ts";
import { movableIdleTime } from "../support/idle-time.ts";
import { callTool } from "../support/mcp.ts";
import { saveModel } from "../support/models.ts";
import { outage } from "../support/outage.ts";
import { openCafe } from "../support/questions.ts";
import { PATHS } from "../support/rpc.ts";
import { serverOfFile } from "../support/server.ts";

/** What surrounds questions: preferences, questions back and their answers, as the rules of the house read them. */

let now = new Date("2025-03-31T12:00:00Z");

const env = { RATE_LIMIT_ENABLED: "false" };
const server = await serverOfFile({ agent: { clock: { now: () => now } }, env });
const admin = await server.token();
const contributor = await server.token({ role: "contributor" });
const model = (await openCafe(server, admin)).id;

interface Asked {
  id: string;
  charts: { type: string }[];
  outcome: string;
  narrative: string;
  reading: string | null;
  rows: unknown[][];
  assumptions: string[];
  questions: { question: string; suggestions: string[] }[];
}

async function ask(question: string, token = contributor, of?: string): Promise<Asked> {
  const args = { question, ...(of !== undefined && { model: of }) };
  const { result, error } = await callTool(server, token, "ask_question", args);
  if (result?.isError !== false) throw new Error(JSON.stringify(result ?? error));
  return result.structuredContent as Asked;
}

const SETTINGS = "/api/user-settings";

async function settings(json?: unknown, token: string | undefined = contributor) {
  const init = json === undefined ? {} : { method: "PATCH", json };
  const response = await server.request(SETTINGS, { ...init, ...(token !== undefined && { token }) });
  return { status: response.status, body: (await response.json()) as never, headers: response.headers };
}

const NOTHING = {
  defaultTimePeriod: null,
  highValueThreshold: null,
  highValueMetric: null,
  fiscalYearStartMonth: null,
  weekStart: null,
  timeZone: null,
  preferredRegion: null,
};

beforeEach(async () => {
  now = new Date("2025-03-31T12:00:00Z");
  await settings({ defaultProvider: null, dataAgent: NOTHING });
});

describe("preferences", () => {
  it("[agent.preferences.api] are kept by PATCH, read by GET, and each member has their own", async () => {
    expect(await settings()).toMatchObject({
      status: 200,
      body: { defaultProvider: null, dataAgent: NOTHING },
    });
    const wish = { dataAgent: { defaultTimePeriod: "current_quarter", highValueThreshold: 10000 } };
    const kept = { defaultProvider: null, dataAgent: { ...NOTHING, ...wish.dataAgent } };
    expect(await settings(wish)).toMatchObject({ status: 200, body: kept });
    expect((await settings()).body).toEqual(kept);
    expect((await settings(undefined, admin)).body).toEqual({ defaultProvider: null, dataAgent: NOTHING });
    const house = { kind: "openai", model: "house-1", api_key: "sk-house" };
    await resultOf(server, admin, "set_llm_provider", { name: "house", ...house });
    const back = { defaultProvider: "house", dataAgent: { highValueThreshold: null } };
    expect((await settings(back)).body).toEqual({
      defaultProvider: "house",
      dataAgent: { ...NOTHING, defaultTimePeriod: "current_quarter" },
    });
    expect(await settings({ defaultProvider: "hause" })).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining("Those that there are: house.") },
    });
    await resultOf(server, admin, "remove_llm_provider", { name: "house" });
  });

  it("[agent.preferences.api] changes that are made at the same time are all kept", async () => {
    const wishes = [{ weekStart: "sunday" }, { timeZone: "Europe/Berlin" }, { fiscalYearStartMonth: 4 }];
    await Promise.all(wishes.map((dataAgent) => settings({ dataAgent })));
    expect((await settings()).body).toMatchObject({ dataAgent: Object.assign({}, ...wishes) });
  });

  it.for([
    [{ dataAgent: { defaultTimePeriod: "sometimes" } }, /defaultTimePeriod.*last_7_days/],
    [{ dataAgent: { highValueThreshold: -1 } }, /highValueThreshold/],
    [{ dataAgent: { highValueThreshold: "10000" } }, /highValueThreshold/],
    [{ dataAgent: { timeZone: "Mars/Olympus" } }, /timeZone.*Europe\/Berlin/],
    [{ dataAgent: { timeZone: "+02:00" } }, /timeZone/],
    [{ dataAgent: { fiscalYearStartMonth: 13 } }, /fiscalYearStartMonth/],
    [{ dataAgent: { preferredRegion: "x".repeat(200) } }, /preferredRegion/],
    [{ dataAgent: { hightValueThreshold: 1 } }, /hightValueThreshold/],
    [{ highValueThreshold: 1 }, /highValueThreshold/],
    [[], /object/i],
    [null, /object/i],
  ] as const)("what is no preference is refused: %j", async ([json, message]) => {
    const { status, body } = await settings(json);
    expect({ status, body }).toEqual({
      status: 400,
      body: { error: "bad_request", message: expect.stringMatching(message) },
    });
  });

  it("are for those who are known, and changed by those who may ask", async () => {
    const anonymous = await server.request(SETTINGS);
    expect(anonymous.status).toBe(401);
    expect(anonymous.headers.get("www-authenticate")).toContain("oauth-protected-resource/api/data-agent");
    const viewer = await server.token({ role: "viewer" });
    expect((await settings(undefined, viewer)).status).toBe(200);
    expect((await settings({ dataAgent: { weekStart: "sunday" } }, viewer)).status).toBe(403);
    const readOnly = await server.token({ role: "contributor", limits: { readOnly: true } });
    expect((await settings(undefined, readOnly)).status).toBe(200);
    expect((await settings({ dataAgent: { weekStart: "sunday" } }, readOnly)).status).toBe(403);
    const memory = await server.token({ kind: "memory" });
    expect((await settings(undefined, memory)).status).toBe(403);
    expect(await settings("x".repeat(200_000))).toMatchObject({ status: 413 });
  });

  it("a page of another origin cannot ride on the session of a browser", async () => {
    const headers = { cookie: "kenning_session=x", origin: "https://evil.example" };
    const answer = await server.request(SETTINGS, { headers });
    expect(answer.status).toBe(403);
    const unknown = await server.request(SETTINGS, { headers: { cookie: "kenning_session=x" } });
    expect(unknown.status).toBe(401);
  });

  it("[agent.preferences.calendar] today is that of the member's time zone", async () => {
    now = new Date("2025-03-04T02:00:00Z");
    expect((await ask("revenue today")).rows).toEqual([[null]]);
    await settings({ dataAgent: { timeZone: "America/New_York" } });
    expect((await ask("revenue today")).rows).toEqual([[20]]);
  });

  it("[agent.preferences.calendar] weeks and fiscal years begin when the member says", async () => {
    await settings({ dataAgent: { weekStart: "sunday", fiscalYearStartMonth: 2 } });
    const weeks = (await ask("revenue by week")).rows.map(([week]) => week);
    expect([weeks[0], weeks.at(-1), weeks.length]).toEqual(["2025-01-05", "2025-03-02", 9]);
    expect((await ask("revenue by fiscal year")).rows).toEqual([
      ["2024-02-01", 13],
      ["2025-02-01", 37],
    ]);
  });
});

describe("questions back", () => {
  const bracketed = async (question: string, ...answers: string[]) =>
    ask(`${question} ${answers.map((answer) => `[Answer: ${answer}]`).join(" ")}`);

  it("[agent.clarify.qualifier] asks for a threshold that tells the largest from the others", async () => {
    const { outcome, questions } = await ask("high-value guests");
    expect(outcome).toBe("clarify");
    expect(questions).toEqual([
      {
        question: "How do you define 'high-value' guests?",
        suggestions: ["Lifetime revenue > €20", "Average ticket > €10"],
      },
    ]);
    expect(await bracketed("high-value guests", "Lifetime revenue > €20")).toMatchObject({
      outcome: "answer",
      rows: [["Bob"]],
    });
    expect((await bracketed("high-value guests", "Lifetime value over 14")).rows).toEqual([["Ada"], ["Bob"]]);
    expect((await bracketed("high-value guests", "Average ticket > €10")).rows).toEqual([["Bob"]]);
  });

  it("the threshold is of all times, whichever period the question is about", async () => {
    const { rows } = await bracketed("revenue from high-value guests in February 2025", "revenue > 10");
    expect(rows).toEqual([[5]]);
  });

  it("[agent.clarify.period] asks since when, and takes the answer", async () => {
    const { questions } = await ask("revenue trend");
    expect(questions).toEqual([
      {
        question: "What time period should I analyze?",
        suggestions: ["Last 30 days", "Current quarter", "Year to date"],
      },
    ]);
    expect(await bracketed("revenue trend", "Current quarter")).toMatchObject({
      outcome: "answer",
      rows: [
        ["2025-01-01", 13],
        ["2025-02-01", 17],
        ["2025-03-01", 20],
      ],
    });
    expect((await bracketed("recent revenue", "Last 30 days")).rows).toEqual([[20]]);
    expect((await ask("revenue trend by month in 2025")).outcome).toBe("answer");
  });

  it("[agent.clarify.example] both are asked together, and both answers are used", async () => {
    const question = "Show high-value guest trends.";
    const { questions } = await ask(question);
    expect(questions.map((each) => each.question)).toEqual([
      "What time period should I analyze?",
      "How do you define 'high-value' guest?",
    ]);
    const answer = await ask(
      `${question} [Time period: Current quarter] [High-value threshold: Lifetime value > $16]`,
    );
    expect(answer).toMatchObject({
      outcome: "answer",
      rows: [
        ["2025-01-01", 3],
        ["2025-02-01", expect.toSatisfy((value) => value === null || value === 0)],
        ["2025-03-01", 20],
      ],
      assumptions: ["high-value means lifetime revenue > €16"],
    });
  });

  it("[agent.preferences.used] what a preference settles is not asked, and is said", async () => {
    await settings({ dataAgent: { highValueThreshold: 16, defaultTimePeriod: "current_quarter" } });
    const trend = await ask("Show high-value guest trends");
    expect(trend).toMatchObject({ outcome: "answer", rows: { length: 3 } });
    expect(trend.assumptions).toEqual([
      "high-value means lifetime revenue > €16 (your preference)",
      "period: Q1 2025 (1 Jan to 31 Mar 2025) (your default time period)",
    ]);
    expect(trend.narrative).toContain("your default time period");
    now = new Date("2025-04-01T12:00:00Z");
    await settings({ dataAgent: { defaultTimePeriod: "last_month" } });
    expect(await ask("revenue")).toMatchObject({ rows: [[20]], reading: "revenue in March 2025" });
    expect((await ask("revenue in January 2025")).rows).toEqual([[13]]);
    expect((await ask("how many guests are there")).rows).toEqual([[3]]);
    expect((await ask("revenue [Time period: February 2025]")).rows).toEqual([[17]]);
    await settings({ dataAgent: { preferredRegion: "north" } });
    const mine = await ask("revenue in my region [Time period: 2025]");
    expect(mine).toMatchObject({
      rows: [[25]],
      assumptions: ["your region is North (your preferred region)"],
    });
  });

  it("what is assumed for whoever wants to proceed is an assumption", async () => {
    const { assumptions } = await ask("best guests proceed anyway");
    expect(assumptions).toEqual([expect.stringContaining('By which number is "best" meant?')]);
  });

  it("[agent.clarify.answers.used] the label of an answer says what it is an answer to", async () => {
    const threshold = "[High-value threshold: Lifetime value > $16]";
    const asked = await ask("Show high-value guest trends [Time period: 2025]");
    expect(asked.questions.map(({ question }) => question)).toEqual([
      "How do you define 'high-value' guest?",
    ]);
    for (const brackets of [`[Time period: 2025] ${threshold}`, `${threshold} [Time period: 2025]`]) {
      const { rows, assumptions } = await ask(`Show high-value guest trends ${brackets}`);
      expect({ count: rows.length, assumptions }).toEqual({
        // Its months, up to where the data end.
        count: 3,
        assumptions: ["high-value means lifetime revenue > €16"],
      });
    }
    expect(await ask("recent revenue [Time period: all time]")).toMatchObject({ rows: [[50]] });
    expect(await ask("revenue trend [Time period: all-time]")).toMatchObject({ rows: { length: 3 } });
  });

  it.for([
    ['[By which number is "best" meant?: revenue] [Time period: February 2025]', "February 2025"],
    ['[Time period: February 2025] [By which number is "best" meant?: revenue]', "February 2025"],
    ["[Time period: January 2025] [Number: revenue] [Shop: Aroma]", "is Aroma in January 2025"],
    ["[Shop: Aroma] [Number: revenue] [Time period: January 2025]", "is Aroma in January 2025"],
    ["[Number: revenue] [Time period: 2024] [Time period: March 2025]", "March 2025"],
  ])(
    "[agent.clarify.answers.used] all answers are used, in any order: best guests %s",
    async ([brackets, said]) => {
      const { outcome, reading } = await ask(`best guests ${brackets}`);
      expect({ outcome, reading }).toEqual({
        outcome: "answer",
        reading: expect.stringContaining(`${said}`),
      });
    },
  );

  it.for([
    ["revenue [Time period: plonk]", '"plonk" was not understood as an answer to "Time period".'],
    [
      "revenue [Time period: plonk] [Shop: Aroma]",
      '"plonk" was not understood as an answer to "Time period".',
    ],
    ["revenue in 2025 [Time period: 2024]", '"2024" was not understood as an answer to "Time period".'],
    ["best guests [Number: plonk]", '"plonk" was not understood. By which number is "best" meant?'],
    ["revenue trend [Time period: plonk]", '"plonk" was not understood. What time period'],
    ["revenue in my region [Region: plonk]", '"plonk" was not understood. Which region is yours?'],
  ])(
    "[agent.clarify.answers.used] an answer of no use is named and asked for again: %s",
    async ([question = "", said]) => {
      const { outcome, questions } = await ask(question);
      expect(outcome).toBe("clarify");
      expect(questions[0]?.question).toContain(said);
    },
  );

  it.for([
    "revenue of all time",
    "all-time revenue",
    "total revenue ever",
    "revenue over all years",
    "revenue in total over all the years",
    "revenue since the beginning",
    "Umsatz seit Beginn",
    "Umsatz aller Zeiten",
    "revenue [Time period: all time]",
  ])(
    "[agent.preferences.used] a default period is not for a question about all times: %s",
    async (question) => {
      expect((await ask(question)).rows).toEqual([[50]]);
      await settings({ dataAgent: { defaultTimePeriod: "current_month" } });
      expect((await ask(question)).rows).toEqual([[50]]);
      expect((await ask("revenue")).rows).toEqual([[20]]);
    },
  );

  describe("a person who can be asked directly", () => {
    /** What the client was asked, and what came of it, when a person answers so, one time after the other. */
    async function answering(question: string, ...contents: object[]) {
      const client = new Client(
        { name: "asking", version: "1" },
        { capabilities: { elicitation: { form: {} } } },
      );
      const asked: { message: string; requestedSchema: { properties: Record<string, object> } }[] = [];
      client.setRequestHandler("elicitation/create", async ({ params }) => {
        asked.push(params as never);
        return { action: "accept", content: (contents.shift() ?? {}) as Record<string, string> };
      });
      const requestInit = { headers: { authorization: `Bearer ${contributor}` } };
      await client.connect(
        new StreamableHTTPClientTransport(new URL(`${server.url}${PATHS.all}`), { requestInit }),
      );
      const { structuredContent } = await client.callTool({ name: "ask_question", arguments: { question } });
      await client.close();
      return { asked, answer: structuredContent as unknown as Asked };
    }

    it("[agent.clarify.elicit] may answer in their own words", async () => {
      const { asked, answer } = await answering("recent revenue", { answer1: "February 2025" });
      expect(asked[0]?.requestedSchema.properties).toEqual({
        answer1: {
          type: "string",
          maxLength: 200,
          description: expect.stringContaining("For example: Last 30 days; Current quarter; Year to date."),
        },
      });
      expect(answer).toMatchObject({ outcome: "answer", rows: [[17]] });
      expect((await answering("best shop in 2025", { answer1: "visit count" })).answer.rows[0]?.[0]).toBe(
        "Aroma",
      );
    });

    it("[agent.clarify.elicit] is asked once more where that was not understood, and then told what is open", async () => {
      const { asked, answer } = await answering(
        "recent revenue",
        { answer1: "banana" },
        { answer1: "last month" },
      );
      expect(asked.map(({ message }) => message)).toEqual([
        "What time period should I analyze?",
        '"banana" was not understood. What time period should I analyze?',
      ]);
      expect(answer.rows).toEqual([[17]]);
      const lost = await answering("recent revenue", { answer1: "banana" }, { answer1: "apple; DROP TABLE" });
      expect(lost.asked).toHaveLength(2);
      expect(lost.answer).toMatchObject({ outcome: "clarify", questions: { length: 1 } });
      for (const content of [{}, { answer1: "" }, { answer1: 42 }]) {
        const { asked: forms, answer: open } = await answering("recent revenue", content, content);
        expect(forms.length).toBeLessThanOrEqual(2);
        expect(open.outcome).toBe("clarify");
      }
    });
  });

  it("[agent.clarify.proceed] whoever proceeds anyway is told what was assumed", async () => {
    const forced = await ask("Show high-value guest trends, proceed anyway");
    expect(forced.outcome).toBe("answer");
    expect(forced.assumptions).toEqual([
      expect.stringMatching(/^high-value means lifetime revenue > €20 \(assumed\)$/),
      expect.stringMatching(/^period: .* \(assumed\)$/),
    ]);
  });

  it.for([
    "who are our best guests?",
    "which shop is doing worst?",
    "best shop in 2025",
    "high-value guests",
    "revenue from high-value guests by shop",
    "recent revenue",
    "revenue trend",
    "revenue in my region",
    "Show high-value guest trends",
    "revenue for Bern",
  ])("[agent.clarify.answers.used] every suggestion leads to an answer: %s", async (question) => {
    const { outcome, questions } = await ask(question);
    expect(outcome).toBe("clarify");
    expect(questions.length).toBeLessThanOrEqual(3);
    const most = Math.max(...questions.map(({ suggestions }) => suggestions.length));
    expect(most).toBeGreaterThan(0);
    for (let i = 0; i < most; i += 1) {
      const answers = questions.map(({ question: label, suggestions }) => {
        const answer = suggestions[i % suggestions.length];
        return `[${label.replaceAll(":", "")}: ${answer}]`;
      });
      const answered = await ask(`${question} ${answers.join(" ")}`);
      expect([answers, answered.outcome, answered.questions]).toEqual([answers, "answer", []]);
    }
  });
});

describe("follow-ups", () => {
  /** The answers of one session on the agent endpoint, in order. */
  async function converse(...questions: string[]): Promise<Asked[]> {
    return converseIn(`session-${Math.random()}`, questions);
  }

  async function converseIn(session: string, questions: readonly string[]): Promise<Asked[]> {
    const answers: Asked[] = [];
    for (const question of questions) {
      const params = { name: "ask_question", arguments: { ontologyId: model, question } };
      const json = { jsonrpc: "2.0", id: 1, method: "tools/call", params };
      const headers = { "mcp-session-id": session };
      const response = await server.request(PATHS.agent, { json, headers, token: contributor });
      const { result, error } = (await response.json()) as {
        result?: { structuredContent: Asked };
        error?: unknown;
      };
      if (result === undefined) throw new Error(JSON.stringify(error));
      answers.push(result.structuredContent);
    }
    return answers;
  }

  it("[agent.conversation.session] end with their session, by DELETE and by time", async () => {
    using time = movableIdleTime();
    const session = "chosen-by-a-client";
    const [first, next] = await converseIn(session, ["revenue by shop in Q1 2025", "and by month?"]);
    expect([first?.outcome, next?.outcome]).toEqual(["answer", "answer"]);
    const headers = { "mcp-session-id": session };
    await server.request(PATHS.agent, { method: "DELETE", headers, token: contributor });
    const [deleted] = await converseIn(session, ["and by month?"]);
    expect(deleted).toMatchObject({ outcome: "clarify", rows: [], assumptions: [] });
    await converseIn(session, ["revenue by shop in Q1 2025"]);
    time.advance(61 * MS.minute);
    const [expired] = await converseIn(session, ["and by month?"]);
    expect(expired).toMatchObject({ outcome: "clarify", rows: [], assumptions: [] });
    // Without a session of one's own choice the id that the server gave goes on.
    const ask = (question: string, id?: string) =>
      server.request(PATHS.agent, {
        token: contributor,
        json: callOf("ask_question", { ontologyId: model, question }),
        ...(id !== undefined && { headers: { "mcp-session-id": id } }),
      });
    const begun = await ask("revenue by shop in Q1 2025");
    const id = begun.headers.get("mcp-session-id") as string;
    const { result } = (await (await ask("and by month?", id)).json()) as {
      result: { structuredContent: Asked };
    };
    expect(result.structuredContent).toMatchObject({ outcome: "answer", rows: MONTHS });
  });

  const callOf = (name: string, args: object) => ({
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: { name, arguments: args },
  });

  const MONTHS = [
    ["2025-01-01", 13],
    ["2025-02-01", 17],
    ["2025-03-01", 20],
  ];

  it("[agent.conversation.follow-up] change what was asked before, and say what they took over", async () => {
    const answers = await converse(
      "revenue by shop in Q1 2025",
      "and by month?",
      "only for North",
      "what about South",
      "what about February 2025",
      "the same for visit count",
    );
    const [, byMonth, north, south, february, visits] = answers;
    expect(byMonth).toMatchObject({ outcome: "answer", rows: MONTHS });
    expect(byMonth?.assumptions).toEqual([
      expect.stringMatching(/^kept from the question before: revenue, Q1 2025$/),
    ]);
    expect(north?.reading).toBe("revenue by month where region is North in Q1 2025");
    expect(north?.rows.slice(0, 2)).toEqual([
      ["2025-01-01", 13],
      ["2025-02-01", 12],
    ]);
    expect(south?.reading).toBe("revenue by month where region is South in Q1 2025");
    expect(february).toMatchObject({
      reading: "revenue by month where region is South in February 2025",
      rows: [["2025-02-01", 5]],
    });
    expect(visits).toMatchObject({
      reading: "visit count by month where region is South in February 2025",
      rows: [["2025-02-01", 1]],
    });
  });

  it("[agent.conversation.follow-up] whole questions stand for themselves", async () => {
    const [, whole, goesOn] = await converse(
      "What was the revenue by shop in February 2025?",
      "How did the revenue of North develop by month?",
      "and in February 2025?",
    );
    expect(whole).toMatchObject({ outcome: "answer", assumptions: [] });
    expect(whole?.rows.map(([month]) => month)).toContain("2025-01-01");
    expect(goesOn?.assumptions).toEqual([expect.stringMatching(/^kept from the question before: /)]);
  });

  it("[agent.conversation.follow-up] in German", async () => {
    const [, byMonth, north, february] = await converse(
      "revenue by shop in Q1 2025",
      "und nach Monat?",
      "nur für North",
      "und im Februar 2025?",
    );
    expect(byMonth?.rows).toEqual(MONTHS);
    expect(north?.reading).toBe("revenue nach Monat mit region North in Q1 2025");
    expect(february?.rows).toEqual([["2025-02-01", 12]]);
  });

  it("[agent.conversation.follow-up] another chart of the same", async () => {
    const [first, pie, line] = await converse("revenue by shop", "as a pie", "als Liniendiagramm");
    expect([first, pie, line].map((answer) => answer?.charts[0]?.type)).toEqual(["bar", "pie", "line"]);
    expect(pie?.rows).toEqual(first?.rows);
    expect((await ask("revenue by shop as a pie")).charts[0]?.type).toBe("pie");
  });

  it("a whole question with its period starts afresh; what goes on after a refusal is asked about", async () => {
    const [, afresh, refused, after, confirmed] = await converse(
      "revenue by shop in February 2025",
      "visit count in 2025",
      "and by xylophone?",
      "without Aroma",
      "yes",
    );
    expect(afresh).toMatchObject({ rows: [[5]], assumptions: [] });
    expect(refused?.outcome).toBe("refuse");
    expect(after).toMatchObject({
      outcome: "clarify",
      questions: [{ question: expect.stringContaining("was not answered. Do you mean this?") }],
    });
    expect(confirmed).toMatchObject({ outcome: "answer", rows: [[3]] });
  });

  it("[agent.conversation.follow-up] without a session, by the id of an answer", async () => {
    const { id } = await ask("revenue by shop in Q1 2025");
    const { result } = await callTool(server, contributor, "ask_question", {
      question: "and by month?",
      follow_up_to: id,
    });
    expect(result?.structuredContent).toMatchObject({ rows: MONTHS });
    const other = await callTool(server, admin, "ask_question", { question: "by month", follow_up_to: id });
    expect(other.result?.content[0]?.text).toMatch(/no answer .* of yours/);
  });

  it("[agent.conversation.answers] what was asked back is answered by what is said next", async () => {
    const [asked, answered, narrowed] = await converse(
      "who are our best guests?",
      "revenue",
      "in February 2025",
    );
    expect(asked?.outcome).toBe("clarify");
    expect(answered).toMatchObject({
      reading: "revenue by guest, the 10 highest",
      rows: [
        ["Bob", 23],
        ["Ada", 15],
      ],
    });
    expect(narrowed).toMatchObject({ rows: [["Ada", 5]] });
    const [, trend] = await converse("revenue trend", "current quarter");
    expect(trend?.rows).toEqual(MONTHS);
    const { id } = await ask("who are our best guests?");
    const { result } = await callTool(server, contributor, "ask_question", {
      question: "revenue",
      follow_up_to: id,
    });
    expect(result?.structuredContent).toMatchObject({ reading: "revenue by guest, the 10 highest" });
    // A question of its own is no answer.
    const [, other] = await converse("who are our best guests?", "how many shops are there?");
    expect(other?.rows).toEqual([[4]]);
    const since = await converse("revenue trend", "revenue in 2025", "average xylophone");
    expect(since.map(({ outcome }) => outcome)).toEqual(["clarify", "answer", "refuse"]);
    const [, unknown, later] = await converse("revenue trend", "average xylophone", "current quarter");
    expect([unknown?.outcome, later?.rows]).toEqual(["refuse", MONTHS]);
  });

  it("[agent.conversation.answers] one of several readings is chosen by words that only it has", async () => {
    const readings = async (...replies: string[]) => {
      const answers = await converse("revenue for Bern", ...replies);
      return answers.slice(1).map(({ outcome, reading }) => reading ?? outcome);
    };
    const [asked] = await converse("revenue for Bern");
    const [first, second] = asked?.questions[0]?.suggestions ?? [];
    expect(await readings("the first one")).toEqual([first]);
    expect([first, second].toSorted()).toEqual(
      [...(await readings("the home")), ...(await readings("Bern, the city please"))].toSorted(),
    );
    // What is no answer leaves it open; a question of its own is one.
    expect(await readings("Oslo", "not the home", "die Stadt")).toEqual([
      "clarify",
      "clarify",
      expect.stringMatching(/city Bern/),
    ]);
    expect(await readings("revenue by region in January 2025")).toEqual([
      "revenue by region in January 2025",
    ]);
    const [, still, visits] = await converse("who are our best guests?", "Aroma", "by visit count");
    expect([still?.outcome, visits?.reading]).toEqual(["clarify", "visit count by guest, the 10 highest"]);
  });

  it("[agent.conversation.answers] also where a follow-up was asked about, or went on meanwhile", async () => {
    const [, which, chosen] = await converse("revenue in Q1 2025", "and Bern?", "the home");
    expect([which?.outcome, chosen?.outcome]).toEqual(["clarify", "answer"]);
    const [, , meanwhile, yes] = await converse(
      "revenue by shop",
      "who are our best guests?",
      "only Aroma",
      "yes",
    );
    expect(meanwhile?.questions[0]?.question).toContain("Do you mean this?");
    expect(yes).toMatchObject({ outcome: "answer", rows: [["Aroma", 13]] });
  });

  it("[agent.clarify.answers.used] what is said next takes the place of an answer of no use", async () => {
    const [, answer] = await converse("revenue [Time period: plonk]", "February 2025");
    expect(answer).toMatchObject({ outcome: "answer", rows: [[17]] });
  });

  it("[agent.conversation.answers] and a question with answers in brackets replies to nothing else", async () => {
    const best = 'best shops [By which number is "best" meant?: revenue] [Time period: Q1 2025]';
    const [, , , nonsense] = await converse(
      "average daily revenue by shop in 2025",
      "plonkage of Rome",
      best,
      "revenue [Time period: nonsense]",
    );
    expect(nonsense?.outcome).toBe("clarify");
  });

  it("[agent.conversation.points-back] what points back is of what was answered, or is refused", async () => {
    const [, theirs, gone] = await converse(
      "which shops are in North",
      "what is their revenue?",
      "who are they married to?",
    );
    expect(theirs?.rows).toEqual([[25]]);
    expect(gone?.outcome).toBe("refuse");
    expect((await ask("what is their revenue?")).outcome).toBe("refuse");
    const [, before, unit] = await converse(
      "revenue by shop in March 2025",
      "and the month before?",
      "in days",
    );
    expect(before?.reading).toBe("revenue by shop from 1 to 28 Feb 2025");
    expect(unit?.outcome).toBe("refuse");
  });

  it("lists are narrowed and counted", async () => {
    const [, narrowed, counted] = await converse("which shops are there", "only in North", "how many?");
    expect(narrowed?.rows.toSorted()).toEqual([["Aroma"], ["Crema"]]);
    expect(counted?.rows).toEqual([[2]]);
  });
});

describe("what is not there", () => {
  const failure = async (ontologyId: string, question = "rent") => {
    const args = { ontologyId, question };
    return (await callTool(server, contributor, "ask_question", args, PATHS.agent)).error;
  };

  /** A model of one dataset that nobody has asked about: what was read before may be in the engine's memory. */
  async function fresh(name: string): Promise<{ id: string; dataset: number }> {
    const dataset = await makeDataset(server, admin, name, [{ flat_id: 1, rent: 5 }]);
    const fields = [
      { name: "flat_id", expression: "flat_id" },
      { name: "rent", expression: "rent" },
    ];
    const datasets = [{ name, source: name, primary_key: ["flat_id"], fields }];
    const document = { version: "0.1.1", semantic_model: [{ name: `model of ${name}`, datasets }] };
    return { dataset, ...(await saveModel(server, admin, JSON.stringify(document))) };
  }

  it("[agent.error.not-ready] a model whose data are gone", async () => {
    const { id, dataset } = await fresh("flats");
    expect(await failure(id)).toBeUndefined();
    const gone = { asset_type: "dataset", asset_id: dataset, confirm: true };
    await callTool(server, admin, "delete_asset", gone);
    expect(await failure(id)).toMatchObject({
      code: -32003,
      message: expect.stringMatching(/^Ontology not ready/),
      data: { ontologyId: id, knecta_code: "ONTOLOGY_NOT_READY" },
    });
  });

  it("[agent.error.database] data that cannot be reached, until they can", async () => {
    const { id } = await fresh("rooms");
    const blobs = join(server.home, "blobs");
    renameSync(blobs, `${blobs}-away`);
    const away = await failure(id).finally(() => renameSync(`${blobs}-away`, blobs));
    expect(away).toMatchObject({
      code: -32005,
      message: expect.not.stringContaining(server.home),
      data: { knecta_code: "DATABASE_CONNECTION_ERROR" },
    });
    expect(await failure(id)).toBeUndefined();
  });

  it("[agent.error.database] without the server's own database nobody is known, and nothing is asked", async () => {
    const { end } = await outage(server.databaseUrl);
    const json = { jsonrpc: "2.0", id: 1, method: "tools/list" };
    const response = await server.request(PATHS.agent, { json, token: contributor }).finally(end);
    expect([response.status, await response.json()]).toEqual([
      503,
      expect.objectContaining({ error: "unavailable" }),
    ]);
  });
});

it("[agent.ask.roles] [agent.clarify.request] whose name is asked names nobody that a policy hides", async () => {
  const { datasets } = await resultOf<{ datasets: { id: number; name: string }[] }>(
    server,
    admin,
    "list_datasets",
    {},
  );
  const dataset_id = datasets.find(({ name }) => name === "guests")?.id;
  const guests = [
    { guest_id: 8, guest_name: "Nora Blom", home: "Kyiv" },
    { guest_id: 9, guest_name: "Ivar Blom", home: "Oslo" },
  ];
  await resultOf(server, admin, "push_data", { dataset_name: "guests", rows: guests });
  const set = (policies: object[]) =>
    resultOf(server, admin, "set_dataset_policies", { dataset_id, policies });
  const about = (answer = "", token = contributor) => ask(`revenue from guest blom${answer}`, token, "cafes");
  const both = [{ question: 'Which "blom" do you mean?', suggestions: ["Ivar Blom", "Nora Blom"] }];
  expect(await about()).toMatchObject({ outcome: "clarify", questions: both });
  const chosen = await about(" [Which blom: Nora Blom]");
  expect(chosen).toMatchObject({ outcome: "answer", reading: "revenue where guest is Nora Blom" });
  const rows = [{ field: "home", operator: "!=", value: "Kyiv" }];
  await set([{ name: "not Kyiv", roles: ["contributor"], rows }]);
  try {
    const { outcome, assumptions } = await about();
    expect({ outcome, assumptions }).toEqual({ outcome: "answer", assumptions: ['"blom" is Ivar Blom'] });
    expect(await about("", admin)).toMatchObject({
      outcome: "clarify",
      questions: both,
    });
  } finally {
    await set([]);
  }
});
