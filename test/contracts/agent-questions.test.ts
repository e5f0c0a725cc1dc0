import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { saveModel } from "../support/models.ts";
import {
  type Ask,
  CAFE_MODEL,
  MONTH,
  openCafe,
  REGION,
  REVENUE,
  reading,
  SHOP,
  scripted,
  YEAR,
} from "../support/questions.ts";
import { callOf, PATHS, rawRequest, rpc, type ToolResult } from "../support/rpc.ts";
import { startTestServer, type TestServer } from "../support/server.ts";

/** Questions on the agent endpoint. How each is understood is written down here, so this is about all that follows. */

const PATH = PATHS.agent;
const TOTAL: Ask = { k: "table", by: [], cols: [REVENUE] };
const COUNT = { k: "agg", fn: "count", in: { k: "all", ds: "visits" } } as const;
const wholeShare = {
  k: "calc",
  op: "/",
  a: REVENUE,
  b: { ...REVENUE, scope: { whole: true } },
} as const;

const understand = scripted({
  "What were total sales?": { readings: [reading("revenue", TOTAL)] },
  "What were total sales last month?": { readings: [reading("revenue", TOTAL)] },
  "Sales by region in 2025": {
    readings: [
      reading("revenue by region in 2025", {
        k: "table",
        by: [REGION],
        cols: [REVENUE],
        scope: { win: YEAR },
      }),
    ],
  },
  "Sales by shop": { readings: [reading("revenue by shop", { k: "table", by: [SHOP], cols: [REVENUE] })] },
  "Sales and planned sales by region": {
    readings: [
      reading("revenue and goal by region", {
        k: "table",
        by: [REGION],
        cols: [REVENUE, { k: "metric", name: "goal" }],
      }),
    ],
  },
  "Sales by month": {
    readings: [
      reading("revenue by month in 2025", {
        k: "table",
        by: [MONTH],
        cols: [REVENUE],
        scope: { win: { ...YEAR, to: "2025-04-01" } },
      }),
    ],
  },
  "Share of each shop": {
    readings: [reading("share of each shop in revenue", { k: "table", by: [SHOP], cols: [wholeShare] })],
  },
  "Visits and tips by product": {
    readings: [
      reading("visits and tips of each shop", {
        k: "table",
        by: [{ ds: "items", field: "item_id" }],
        cols: [
          { k: "agg", fn: "sum", of: { ds: "items", field: "quantity" } },
          { k: "agg", fn: "sum", of: { ds: "items", field: "price" } },
        ],
      }),
    ],
  },
  "Sales in Bern": {
    readings: [
      reading("revenue of shops in Bern", {
        k: "table",
        by: [],
        cols: [REVENUE],
        scope: { if: { k: "is", key: { ds: "shops", field: "city" }, values: ["Bern"], match: "equal" } },
      }),
    ],
  },
  "Sales per month in Q1 2030": {
    readings: [
      reading("revenue by month in Q1 2030", {
        k: "table",
        by: [{ ds: "visits", field: "visited_on", bucket: "month" }],
        cols: [REVENUE],
        scope: { win: { from: "2030-01-01", to: "2030-04-01", said: "in Q1 2030" } },
        fill: true,
      }),
    ],
  },
  "Sales in Paris": {
    readings: [
      reading("revenue of shops in Paris", {
        k: "table",
        by: [],
        cols: [REVENUE],
        scope: { if: { k: "is", key: { ds: "shops", field: "city" }, values: ["Bonne"], match: "equal" } },
      }),
    ],
  },
  "Which guests?": {
    readings: [
      reading("guests", {
        k: "list",
        rel: { k: "all", ds: "guests" },
        show: [{ ds: "guests", field: "guest_name" }],
      }),
    ],
  },
  "What is in the warehouse?": {
    missing: [
      { span: { start: 15, end: 24 }, text: "warehouse", nearest: [] },
      { span: { start: 0, end: 4 }, text: "product_inventory", nearest: ["product"] },
    ],
  },
  "How much for Bern?": {
    readings: [
      reading("revenue of shops in Bern", {
        k: "table",
        by: [],
        cols: [REVENUE],
        scope: { if: { k: "is", key: { ds: "shops", field: "city" }, values: ["Bern"], match: "equal" } },
      }),
      reading(
        "revenue from guests of Bern",
        {
          k: "table",
          by: [],
          cols: [REVENUE],
          scope: { if: { k: "is", key: { ds: "guests", field: "home" }, values: ["Bern"], match: "equal" } },
        },
        { cost: 0.1 },
      ),
    ],
  },
  "How many visits?": {
    readings: [
      reading("visits", { k: "table", by: [], cols: [COUNT] }),
      reading(
        "visit count",
        { k: "table", by: [], cols: [{ k: "metric", name: "visit_count" }] },
        { cost: 0.1 },
      ),
    ],
  },
  "Which shop is best?": {
    unclear: ["a", "b", "c", "d"].map((each) => ({
      question: `What makes a shop best (${each})?`,
      suggestions: ["Revenue", "Visits"],
    })),
  },
  "Which shop is best? Revenue": {
    readings: [
      reading("shop with the highest revenue", {
        k: "table",
        by: [SHOP],
        cols: [REVENUE],
        top: { n: 1, by: REVENUE, dir: "max", ties: "keep" },
      }),
    ],
  },
  "Which shop is best? Revenue Revenue Revenue Revenue": {
    readings: [reading("revenue by shop", { k: "table", by: [SHOP], cols: [REVENUE] })],
  },
});

let server: TestServer;
let token: string;
let ontologyId: string;

beforeAll(async () => {
  const clock = { now: () => new Date("2025-03-10T09:00:00Z") };
  server = await startTestServer({ agent: { understand, clock }, env: { RATE_LIMIT_ENABLED: "false" } });
  const admin = await server.token();
  ({ id: ontologyId } = await openCafe(server, admin));
  token = await server.token({ role: "contributor" });
});
afterAll(() => server.stop());

const ask = (question: string, as = token, id = ontologyId) =>
  callOf(server, PATH, "ask_question", { ontologyId: id, question }, { token: as, id: 4 });

interface Chart extends Record<string, unknown> {
  points: unknown[];
}

interface Block {
  _type?: string;
  charts?: Chart[];
  filters?: unknown;
  text?: string;
}

async function blocksOf(question: string): Promise<{ narrative: string; parsed: Block[] }> {
  const { status, body } = await ask(question);
  expect(status).toBe(200);
  const { content, isError } = body.result as ToolResult;
  expect(isError).toBe(false);
  expect(content.every(({ type }) => type === "text")).toBe(true);
  const [narrative = "", ...others] = content.map(({ text }) => text);
  return { narrative, parsed: others.map((text) => (text.startsWith("{") ? JSON.parse(text) : { text })) };
}

const chartOf = async (question: string) => {
  const { parsed } = await blocksOf(question);
  return parsed.find(({ _type }) => _type === "chart_specs")?.charts ?? [];
};

describe("who may ask", () => {
  it.each([
    ["[agent.role.admin]", "admin"],
    ["[agent.role.contributor]", "contributor"],
  ] as const)("%s %s reads and asks", async (_promise, role) => {
    const as = await server.token({ role });
    const read = await rpc(server, PATH, "resources/read", {
      token: as,
      params: { uri: "knecta://ontologies" },
    });
    expect(read.body.result).toBeDefined();
    expect((await ask("What were total sales?", as)).body.result).toMatchObject({ isError: false });
  });

  it("[agent.role.viewer] [agent.error.permissions] a viewer reads, but does not ask", async () => {
    const as = await server.token({ role: "viewer" });
    const read = await rpc(server, PATH, "resources/read", {
      token: as,
      params: { uri: "knecta://ontologies" },
    });
    expect(read.body.result).toBeDefined();
    const { status, headers, body } = await ask("What were total sales?", as);
    expect({ status, challenge: headers.get("www-authenticate") }).toEqual({ status: 200, challenge: null });
    expect(body).toEqual({
      jsonrpc: "2.0",
      id: 4,
      error: {
        code: -32001,
        message: "Insufficient permissions to execute this tool",
        data: {
          required: ["data_agent:write"],
          missing: ["data_agent:write"],
          detail: expect.any(String),
          knecta_code: "FORBIDDEN",
        },
      },
    });
  });

  it("[agent.error.scope] a token without the scope is told so by HTTP, in the contract's form", async () => {
    const as = await server.token({ scopes: ["data_agent:read", "ontologies:read"] });
    const { status, headers, body } = await ask("What were total sales?", as);
    expect(status).toBe(403);
    expect(headers.get("www-authenticate")).toContain(
      'error="insufficient_scope", scope="data_agent:read ontologies:read data_agent:write"',
    );
    expect(body).toEqual({
      jsonrpc: "2.0",
      id: 4,
      error: {
        code: -32001,
        message: "Insufficient permissions",
        data: {
          required: ["data_agent:write"],
          missing: ["data_agent:write"],
          detail: expect.any(String),
          knecta_code: "FORBIDDEN",
        },
      },
    });
  });

  it("[agent.ask.permissions] on /mcp too, only who may also read models", async () => {
    const args = { question: "What were total sales?" };
    const few = await server.token({ scopes: ["data_agent:write"] });
    const refused = await callOf(server, PATHS.all, "ask_question", args, { token: few });
    expect(refused.body.result?.content[0]?.text).toMatch(/ontologies:read/);
    const enough = await server.token({ scopes: ["data_agent:write", "ontologies:read"] });
    const { body } = await callOf(server, PATHS.all, "ask_question", args, { token: enough });
    expect(body.result?.isError).toBe(false);
  });
});

describe("the examples, as printed", () => {
  it("[agent.example.call] tools/call", async () => {
    const params = {
      name: "ask_question",
      arguments: { ontologyId, question: "What were total sales last month?" },
    };
    const { body } = await rawRequest(server, PATH, {
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json", accept: "*/*" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 3, method: "tools/call", params }),
    });
    expect(body.result).toMatchObject({ content: [{ type: "text" }, { type: "text" }], isError: false });
  });

  it("[agent.example.sdk] [agent.ask.phases] the TypeScript client", async () => {
    // The example declares a server's capabilities as its own, and must get away with it.
    const capabilities = { resources: {}, tools: {} } as object;
    const client = new Client({ name: "my-client", version: "1.0.0" }, { capabilities });
    const requestInit = { headers: { authorization: `Bearer ${token}` } };
    const url = new URL(`${server.url}${PATH}`);
    await client.connect(new StreamableHTTPClientTransport(url, { requestInit }));
    expect((await client.listResources()).resources[0]).toMatchObject({ uri: "knecta://ontologies" });
    const { contents } = await client.readResource({ uri: "knecta://ontologies" });
    const [ontology] = JSON.parse((contents[0] as { text: string }).text);
    const phases: string[] = [];
    const result = await client.callTool(
      {
        name: "ask_question",
        arguments: { ontologyId: ontology.id, question: "What were total sales last month?" },
      },
      { onprogress: ({ message }) => phases.push(message ?? "") },
    );
    expect(result).toMatchObject({ isError: false });
    expect(phases).toEqual(["Planner", "Navigator", "SQL Builder", "Executor", "Verifier", "Explainer"]);
    await client.close();
  });

  it("[agent.ask.schema] the schema", async () => {
    const { body } = await rpc<{ tools: object[] }>(server, PATH, "tools/list", { token });
    expect(body.result?.tools).toMatchObject([
      {
        name: "ask_question",
        inputSchema: {
          type: "object",
          properties: {
            ontologyId: {
              type: "string",
              description: "UUID of the ontology to query",
              pattern: "^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$",
            },
            question: {
              type: "string",
              description: "Natural language question about the data",
              minLength: 1,
              maxLength: 2000,
            },
          },
          required: ["ontologyId", "question"],
        },
      },
    ]);
  });
});

describe("an answer", () => {
  it("[agent.ask.narrative] [agent.chart.none] is a text first, and a single number has no chart", async () => {
    const { narrative, parsed } = await blocksOf("What were total sales?");
    expect(narrative).toBe("Revenue: **€50.00**");
    expect(parsed.map(({ _type }) => _type)).toEqual(["data_lineage"]);
    expect(await chartOf("Which guests?")).toEqual([]);
  });

  it("[agent.ask.order] [agent.ask.charts] [agent.ask.caveats] has its blocks in order", async () => {
    const { narrative, parsed } = await blocksOf("Sales by region in 2025");
    expect(narrative).toContain(
      "Revenue by region in 2025: those shown come to **€30.00** of €50.00 in all (60.0%).",
    );
    expect(narrative).toContain(
      "**North** is highest with €25.00 (50.0%), ahead of South with €5.00 (10.0%).",
    );
    expect(parsed.map(({ _type }) => _type)).toEqual(["chart_specs", "data_lineage", undefined]);
    expect(parsed[2]?.text).toBe(
      "⚠️ Note: The period (2025) is not over yet: the numbers are those until 2025-03-10.\n⚠️ Note: €20.00 of €50.00 Revenue (40.0%) belong to no Region, and are in none of the rows.",
    );
  });

  it("[agent.ask.lineage] says where it comes from", async () => {
    const { parsed } = await blocksOf("Sales by region in 2025");
    expect(parsed[1]).toEqual({
      _type: "data_lineage",
      datasets: ["regions", "shops", "visits", "items"].map((name) => ({ name, source: `acme.${name}` })),
      joins: expect.arrayContaining([
        { left: "items", right: "visits", on: ["visit_id"] },
        { left: "visits", right: "shops", on: ["shop_id"] },
        { left: "shops", right: "regions", on: ["region_id"] },
      ]),
      filters: [
        { field: "visited_on", operator: ">=", value: "2025-01-01" },
        { field: "visited_on", operator: "<", value: "2026-01-01" },
      ],
      timeWindow: { start: "2025-01-01", end: "2025-12-31" },
      grain: "region_name",
      sql: expect.stringContaining("SELECT"),
      metrics: [{ name: "revenue", definition: expect.stringMatching(/SUM/i) }],
      freshness: expect.arrayContaining([
        { dataset: "visits", refreshedAt: expect.stringMatching(/^20\d\d-\d\d-\d\dT[\d:.]+Z$/) },
      ]),
      reading: "revenue by region in 2025",
      assumptions: [],
    });
    const { parsed: filtered } = await blocksOf("Sales in Bern");
    expect(filtered[0]?.filters).toEqual([{ field: "city", operator: "=", value: "Bern" }]);
  });

  it("[agent.ask.empty] says why there is nothing, and what there is instead", async () => {
    const { narrative } = await blocksOf("Sales in Paris");
    expect(narrative).toContain("there is no value");
    expect(narrative).toContain("Without city = Bonne there would be something.");
    expect(narrative).toContain("The nearest values that there are: Bonn, Bern, Rome");
  });

  it("[agent.ask.empty] and of times that no data are of, when there are some", async () => {
    const { narrative, parsed } = await blocksOf("Sales per month in Q1 2030");
    expect(narrative).toContain("there are no data of that time. The data end on 2025-03-03 (visited on).");
    expect(parsed).toEqual([]);
  });

  it("[agent.ask.cannot] or says what is missing", async () => {
    const { narrative, parsed } = await blocksOf("What is in the warehouse?");
    expect(parsed).toEqual([]);
    expect(narrative).toMatch(
      /^I cannot answer this question because the required data is not available in the ontology\.\n\n\*\*Missing datasets:\*\*\n- warehouse\n- product_inventory \(nearest: product\)\n\n\*\*Available datasets:\*\*\n- regions\n- shops\n/,
    );
  });
});

describe("charts", () => {
  it("[agent.chart.bar] bars for groups", async () => {
    expect(await chartOf("Sales by shop")).toEqual([
      {
        type: "bar",
        title: "Revenue by shop",
        xAxisLabel: "Shop",
        yAxisLabel: "Revenue (€)",
        categories: ["Drip", "Aroma", "Crema", "Bean"],
        series: [{ label: "Revenue", data: [20, 13, 12, 5] }],
        layout: "vertical",
      },
    ]);
  });

  it("[agent.chart.bar.grouped] side by side for two numbers of a kind", async () => {
    const [chart] = await chartOf("Sales and planned sales by region");
    expect(chart).toMatchObject({
      type: "bar",
      categories: ["North", "South"],
      series: [
        { label: "Revenue", data: [25, 5] },
        { label: "Goal", data: [30, 30] },
      ],
    });
  });

  it("[agent.chart.line] lines for time", async () => {
    expect(await chartOf("Sales by month")).toEqual([
      {
        type: "line",
        title: "Revenue by month in 2025",
        xAxisLabel: "Month",
        yAxisLabel: "Revenue (€)",
        categories: ["Jan 2025", "Feb 2025", "Mar 2025"],
        series: [{ label: "Revenue", data: [13, 17, 20] }],
      },
    ]);
  });

  it("[agent.chart.pie] pies for parts of a whole", async () => {
    expect(await chartOf("Share of each shop")).toEqual([
      {
        type: "pie",
        title: "Share of each shop in revenue",
        slices: [
          { label: "Drip", value: 0.4 },
          { label: "Aroma", value: 0.26 },
          { label: "Crema", value: 0.24 },
          { label: "Bean", value: 0.1 },
        ],
      },
    ]);
  });

  it("[agent.chart.scatter] points for two numbers of different kinds", async () => {
    const [chart] = await chartOf("Visits and tips by product");
    expect(chart).toMatchObject({ type: "scatter", xAxisLabel: "Sum quantity" });
    expect(chart?.points).toHaveLength(6);
    expect(chart?.points[0]).toEqual({
      x: expect.any(Number),
      y: expect.any(Number),
      label: expect.any(String),
    });
  });
});

describe("asking back", () => {
  const requestOf = async (question: string) => {
    const { body } = await ask(question);
    expect(body.result).toMatchObject({ isError: false });
    expect(body.result?.content).toHaveLength(1);
    return JSON.parse(body.result?.content[0]?.text ?? "");
  };

  it("[agent.clarify.request] [agent.clarify.readings] happens where readings give different rows", async () => {
    expect(await requestOf("How much for Bern?")).toEqual({
      _type: "clarification_request",
      questions: [
        {
          question: "Which of these do you mean?",
          suggestions: ["revenue of shops in Bern", "revenue from guests of Bern"],
        },
      ],
    });
    const { narrative } = await blocksOf("How many visits?");
    expect(narrative).toContain("Visits: **5**");
  });

  it("[agent.clarify.most] with at most three questions", async () => {
    const { questions } = await requestOf("Which shop is best?");
    expect(questions).toHaveLength(3);
    expect(questions[0]).toEqual({
      question: "What makes a shop best (a)?",
      suggestions: ["Revenue", "Visits"],
    });
  });

  it("[agent.clarify.answers] takes answers in brackets", async () => {
    const guests = await blocksOf("How much for Bern? [Meant: Revenue from guests of Bern]");
    expect(guests.narrative).toContain("**€15.00**");
    const best = await blocksOf("Which shop is best? [What makes a shop best: Revenue]");
    expect(best.narrative).toContain("**Drip**");
  });

  it("[agent.clarify.proceed] notes what it assumed when it is to proceed anyway", async () => {
    const bern = await blocksOf("How much for Bern? Proceed anyway.");
    expect(bern.narrative).toContain("**€13.00**");
    expect(bern.parsed.at(-1)?.text).toBe(
      "⚠️ Note: Assumed: revenue of shops in Bern (and not revenue from guests of Bern)",
    );
    const best = await blocksOf("Which shop is best? [proceed anyway]");
    expect(best.parsed.at(-1)?.text).toContain("⚠️ Note: Assumed: Revenue (What makes a shop best (a)?)");
  });

  it("[agent.clarify.elicit] asks the person directly where the client can", async () => {
    const client = new Client(
      { name: "asking", version: "1" },
      { capabilities: { elicitation: { form: {} } } },
    );
    const asked: unknown[] = [];
    client.setRequestHandler("elicitation/create", async ({ params }) => {
      asked.push(params);
      return { action: "accept", content: { answer1: "revenue from guests of Bern" } };
    });
    const requestInit = { headers: { authorization: `Bearer ${token}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(`${server.url}${PATH}`), { requestInit }));
    const args = { ontologyId, question: "How much for Bern?" };
    const { content } = await client.callTool({ name: "ask_question", arguments: args });
    expect(asked).toMatchObject([{ message: "Which of these do you mean?" }]);
    expect((content as { text: string }[])[0]?.text).toContain("**€15.00**");
    await client.close();
  });
});

describe("errors", () => {
  it("[agent.ask.not-found] of an unknown ontology, an odd id and a draft", async () => {
    const admin = await server.token();
    const draft = CAFE_MODEL.replace('"cafes"', '"drafted"');
    const { id: drafted } = await saveModel(server, admin, draft, { publish: false });
    for (const id of ["00000000-0000-4000-8000-000000000000", "uuid-invalid", drafted]) {
      const { status, body } = await ask("What were total sales?", token, id);
      expect(status).toBe(200);
      expect(body.error).toEqual({
        code: -32002,
        message: "Ontology not found or not ready",
        data: { ontologyId: id, detail: expect.any(String), knecta_code: "ONTOLOGY_NOT_FOUND" },
      });
    }
  });

  it.each([["", "   ", "x".repeat(2001)]].flat())(
    "[agent.ask.invalid-question] of a question without or with too many words",
    async (question) => {
      expect((await ask(question)).body.error).toEqual({
        code: -32602,
        message: "Invalid params",
        data: {
          detail: "Question must be between 1 and 2000 characters",
          knecta_code: "VALIDATION_ERROR",
        },
      });
    },
  );
});
