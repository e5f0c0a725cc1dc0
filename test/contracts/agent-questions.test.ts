import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeDataset, resultOf } from "../support/datasets.ts";
import { saveModel } from "../support/models.ts";
import { CAFE_MODEL, CAFE_ROWS, openCafe } from "../support/questions.ts";
import { callOf, PATHS, rawRequest, rpc, type ToolResult } from "../support/rpc.ts";
import { startTestServer, type TestServer } from "../support/server.ts";

/** Questions on the agent endpoint, as the rules of the house read them. */

const PATH = PATHS.agent;

/** The cafés, whose author also says what people call revenue. */
const MODEL = CAFE_MODEL.replace(
  '"name":"revenue",',
  '"name":"revenue","ai_context":{"synonyms":["sales"]},',
);

let server: TestServer;
let admin: string;
let token: string;
let ontologyId: string;

beforeAll(async () => {
  const clock = { now: () => new Date("2025-03-10T09:00:00Z") };
  server = await startTestServer({ agent: { clock }, env: { RATE_LIMIT_ENABLED: "false" } });
  admin = await server.token();
  ({ id: ontologyId } = await openCafe(server, admin, MODEL));
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
    const { body } = await ask("What were total sales?", as);
    expect(body.result).toMatchObject({ isError: false, structuredContent: { rows: [[50]] } });
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
    expect(body.result).toMatchObject({
      content: [{ type: "text", text: expect.stringContaining("**€17.00**") }, { type: "text" }],
      isError: false,
    });
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
    expect(result).toMatchObject({ isError: false, structuredContent: { rows: [[17]] } });
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
    const { narrative, parsed } = await blocksOf("What are our total sales?");
    expect(narrative).toMatch(/^Revenue: \*\*€50\.00\*\*/);
    expect(parsed.map(({ _type }) => _type)).toEqual(["data_lineage"]);
    expect(await chartOf("Which guests are there?")).toEqual([]);
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
    expect(parsed[2]?.text?.split("\n")).toEqual([
      expect.stringMatching(/^⚠️ Note: The period \(2025.*\) is not over yet: .* until 2025-03-10\.$/),
      "⚠️ Note: €20.00 of €50.00 Revenue (40.0%) belong to no Region, and are in none of the rows.",
    ]);
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
      assumptions: expect.any(Array),
    });
    const { parsed: filtered } = await blocksOf("Sales of shops in Bern");
    expect(filtered[0]?.filters).toEqual([{ field: "city", operator: "=", value: "Bern" }]);
  });

  it("[agent.ask.empty] says why there is nothing of a value that there is", async () => {
    const { narrative, parsed } = await blocksOf("Sales of shops in Bonn in January 2025");
    expect(narrative).toContain("there is no value");
    expect(narrative).toMatch(/Without .* there would be something\./);
    expect(parsed[0]).toMatchObject({ _type: "data_lineage", reading: expect.stringContaining("Bonn") });
  });

  it("[agent.ask.empty] and of times that no data are of, when there are some", async () => {
    const { narrative, parsed } = await blocksOf("Sales per month in Q1 2030");
    expect(narrative).toContain("there are no data of that time. The data end on 2025-03-03 (visited on).");
    expect(parsed).toEqual([]);
  });

  it.each([
    ["What is in the warehouse?", "warehouse"],
    ["Sales of the suppliers in 2025", "suppliers"],
  ])("[agent.ask.cannot] or says what is missing: %s", async (question, missing) => {
    const { narrative, parsed } = await blocksOf(question);
    expect(parsed).toEqual([]);
    const [first, second, third] = narrative.split("\n\n");
    expect(first).toBe(
      "I cannot answer this question because the required data is not available in the ontology.",
    );
    expect(second).toMatch(new RegExp(`^\\*\\*Missing datasets:\\*\\*\n- ${missing}`));
    expect(third).toBe(`**Available datasets:**\n- ${Object.keys(CAFE_ROWS).join("\n- ")}`);
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
    const [chart] = await chartOf("Sales and goal by region");
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
    expect(await chartOf("Sales by month in Q1 2025")).toEqual([
      {
        type: "line",
        title: "Revenue by month in Q1 2025",
        xAxisLabel: "Month",
        yAxisLabel: "Revenue (€)",
        categories: ["Jan 2025", "Feb 2025", "Mar 2025"],
        series: [{ label: "Revenue", data: [13, 17, 20] }],
      },
    ]);
  });

  it("[agent.chart.pie] pies for parts of a whole", async () => {
    expect(await chartOf("What share of sales does each shop have?")).toEqual([
      {
        type: "pie",
        title: "Share of total revenue by shop",
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
    const [chart] = await chartOf("Total quantity and total price by item");
    expect(chart).toMatchObject({ type: "scatter", xAxisLabel: expect.stringMatching(/quantity/i) });
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
  const SHOPS = "revenue where shop city is Bern";
  const GUESTS = "revenue where guest home is Bern";

  it("[agent.clarify.request] [agent.clarify.readings] happens where readings give different rows", async () => {
    const request = await requestOf("Sales for Bern");
    expect(request).toEqual({
      _type: "clarification_request",
      questions: [{ question: "Which of these do you mean?", suggestions: [SHOPS, GUESTS] }],
    });
    // The one shop of Lund has no other guest than the one who lives there.
    await makeDataset(server, admin, "shops", [{ shop_id: 5, shop_name: "Elan", city: "Lund", seats: 8 }]);
    await makeDataset(server, admin, "guests", [{ guest_id: 4, guest_name: "Dora", home: "Lund" }]);
    const visit = async (id: number, shop_id: number) => {
      const visits = [{ visit_id: id, shop_id, guest_id: 4, visited_on: "2025-03-04" }];
      await makeDataset(server, admin, "visits", visits);
      const items = [{ item_id: id + 1, visit_id: id, product: "Tea", quantity: 1, price: 2.5 }];
      await makeDataset(server, admin, "items", items);
    };
    await visit(6, 5);
    expect((await blocksOf("Sales for Lund")).narrative).toContain("**€2.50**");
    await visit(7, 4);
    expect((await requestOf("Sales for Lund")).questions).toMatchObject([
      { question: "Which of these do you mean?" },
    ]);
  });

  it("[agent.clarify.most] with at most three questions", async () => {
    const whole = "Best recent high-value guests in my region";
    const open = ["Best guests", "Recent sales", "High-value guests", "Sales in my region"];
    const alone = await Promise.all(open.map(async (part) => (await requestOf(part)).questions));
    expect(alone.map(({ length }) => length)).toEqual([1, 1, 1, 1]);
    expect((await requestOf(whole)).questions).toHaveLength(3);
  });

  it.each([
    [`Sales for Bern [Which of these do you mean?: ${GUESTS}]`, "**€15.00**"],
    [`Sales for Bern [Meant: ${SHOPS}]`, "**€13.00**"],
    ["Which are the best shops? [By which number is best meant?: revenue]", "**Drip**"],
    ["Recent sales [Time period: February 2025]", "**€17.00**"],
  ])("[agent.clarify.answers] takes answers in brackets: %s", async (question, told) => {
    expect((await blocksOf(question)).narrative).toContain(told);
  });

  it("[agent.clarify.proceed] notes what it assumed when it is to proceed anyway", async () => {
    const bern = await blocksOf("Sales for Bern. Proceed anyway.");
    expect(bern.narrative).toContain("**€13.00**");
    expect(JSON.stringify(bern)).toContain(`Assumed: ${SHOPS} (and not ${GUESTS})`);
    const best = await blocksOf("Which are the best shops? [proceed anyway]");
    expect(JSON.stringify(best)).toMatch(/Assumed:[^}]*revenue/i);
  });

  it("[agent.clarify.elicit] asks the person directly where the client can", async () => {
    const client = new Client(
      { name: "asking", version: "1" },
      { capabilities: { elicitation: { form: {} } } },
    );
    const asked: unknown[] = [];
    client.setRequestHandler("elicitation/create", async ({ params }) => {
      asked.push(params);
      return { action: "accept", content: { answer1: GUESTS } };
    });
    const requestInit = { headers: { authorization: `Bearer ${token}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(`${server.url}${PATH}`), { requestInit }));
    const args = { ontologyId, question: "Sales for Bern" };
    const { content } = await client.callTool({ name: "ask_question", arguments: args });
    expect(asked).toMatchObject([{ message: "Which of these do you mean?" }]);
    expect((content as { text: string }[])[0]?.text).toContain("**€15.00**");
    await client.close();
  });
});

describe("[agent.ask.roles] row policies hold", () => {
  beforeAll(async () => {
    const list = await resultOf<{ datasets: { id: number; name: string }[] }>(
      server,
      admin,
      "list_datasets",
      {},
    );
    const dataset_id = list.datasets.find(({ name }) => name === "shops")?.id;
    const rows = [{ field: "city", operator: "!=", value: "Bonn" }];
    const policies = [{ name: "not Bonn", roles: ["contributor"], rows }];
    await resultOf(server, admin, "set_dataset_policies", { dataset_id, policies });
  });

  it.each([
    ["in answers", "Sales by shop", /Drip/],
    ["in lists", "Which cities do shops have?", /Bonn/],
    ["in refusals", "Sales of shops in Bonn", /\*\*€/],
    ["in nearest values", "Sales of shops in Bonne", /Bonn(?!e)/],
    ["in suggestions", "Which are the best shops?", /Drip|Bonn/],
  ])("%s: %s", async (_, question, hidden) => {
    const said = async (as: string) => JSON.stringify((await ask(question, as)).body.result?.content);
    expect(await said(token)).not.toMatch(hidden);
    if (question !== "Which are the best shops?") expect(await said(admin)).toMatch(hidden);
  });
});

describe("errors", () => {
  it("[agent.ask.not-found] of an unknown ontology, an odd id and a draft", async () => {
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
