import { describe, expect, it } from "vitest";
import { resultOf } from "../../../../test/support/datasets.ts";
import { callTool } from "../../../../test/support/mcp.ts";
import { textOf } from "../../../../test/support/models.ts";
import { openCafe, REVENUE, reading, SHOP, scripted } from "../../../../test/support/questions.ts";
import { PATHS } from "../../../../test/support/rpc.ts";
import { serverOfFile } from "../../../../test/support/server.ts";
import { LIMITS } from "../../../platform/drawing/limits.ts";

const understand = scripted({
  "revenue by shop": {
    readings: [reading("revenue by shop", { k: "table", by: [SHOP], cols: [REVENUE] })],
  },
  revenue: { readings: [reading("revenue", { k: "table", by: [], cols: [REVENUE] })] },
});

let ontologyId: string;

const server = await serverOfFile({ agent: { understand }, env: { RATE_LIMIT_ENABLED: "false" } });
const admin = await server.token();
({ id: ontologyId } = await openCafe(server, admin));

const subject = {
  kind: "spec",
  chart: {
    type: "bar",
    title: "Sales by Region",
    categories: ["West", "East"],
    series: [{ label: "Q4 2025", data: [1_800_000, 1_200_000] }],
    formats: { y: "money:USD" },
  },
};

interface Drawn {
  width: number;
  height: number;
  light: string;
  dark: string;
  hover: { titles: string[]; at: number[] };
}

describe("draw_picture", () => {
  const draw = (args: object, token = admin) =>
    resultOf<Drawn>(server, token, "draw_picture", { subject, width: 400, ...args });
  const failure = async (args: object, token = admin) =>
    textOf(await callTool(server, token, "draw_picture", { subject, width: 400, ...args }));

  it("draws in both themes, in the size and language of the page", async () => {
    const drawn = await draw({ height: 300, locale: "de-DE" });
    expect(drawn).toMatchObject({ width: 400, height: 300, hover: { titles: ["West", "East"] } });
    expect(drawn.hover.at).toHaveLength(2);
    expect(drawn.light).toContain("Sales by Region");
    expect(drawn.light).toContain("Mio");
    expect(drawn.dark).not.toBe(drawn.light);
    const number = { kind: "number", title: "Revenue", label: "Revenue", value: 5, format: "money:EUR" };
    expect((await draw({ subject: number })).light).toContain("€5.00");
  });

  it("is for everybody who may read answers, and reads nothing itself", async () => {
    const viewer = await server.token({ role: "viewer", limits: { readOnly: true, models: ["another"] } });
    expect(await draw({}, viewer)).toMatchObject({ width: 400 });
    const other = await server.token({ scopes: ["memory:read"] });
    expect(await failure({}, other)).toMatch(/Scope data_agent:read missing/);
    const anonymous = await server.request("/mcp", { json: { jsonrpc: "2.0", id: 1, method: "tools/list" } });
    expect(anonymous.status).toBe(401);
  });

  it("draws nothing but what an answer can have, within bounds", async () => {
    expect(await failure({ width: 50 })).toMatch(/width/);
    expect(await failure({ width: 1e9 })).toMatch(/width/);
    expect(await failure({ subject: { kind: "chart", option: {} } })).toMatch(
      /nothing that can be drawn: see kind/,
    );
    const chart = { ...subject.chart, formats: { y: "function(){}" } };
    expect(await failure({ subject: { kind: "spec", chart } })).toMatch(/see chart\.formats\.y/);
    const data = Array.from({ length: LIMITS.drawing.values }, (_, i) => i);
    const series = [
      { label: "a", data },
      { label: "b", data },
    ];
    expect(await failure({ subject: { kind: "spec", chart: { ...subject.chart, series } } })).toMatch(
      /can have 6000 values/,
    );
    const title = "x".repeat(LIMITS.drawing.subjectCharacters);
    expect(await failure({ subject: { kind: "spec", chart: { ...subject.chart, title } } })).toMatch(
      /500000 characters/,
    );
  });
});

describe("ask_question with image", () => {
  interface Block {
    type: string;
    data: string;
    mimeType: string;
  }
  const blocks = async (args: Record<string, unknown>) => {
    const { result } = await callTool(server, admin, "ask_question", args);
    return result?.content as unknown as Block[];
  };

  it("[all.ask.image] adds the chart as PNG behind the other blocks", async () => {
    const question = "revenue by shop";
    const plain = await blocks({ question });
    expect(plain.every(({ type }) => type === "text")).toBe(true);
    const [image, ...more] = (await blocks({ question, image: true })).slice(plain.length);
    expect(image).toMatchObject({ type: "image", mimeType: "image/png" });
    expect(Buffer.from(image?.data ?? "", "base64").toString("latin1", 1, 4)).toBe("PNG");
    expect(more).toEqual([]);
  });

  it("or the number, or nothing where there is no answer", async () => {
    expect((await blocks({ question: "revenue", image: true })).at(-1)).toMatchObject({ type: "image" });
    expect((await blocks({ question: "nonsense", image: true })).map(({ type }) => type)).not.toContain(
      "image",
    );
  });

  it("is no argument of the contract's", async () => {
    const args = { ontologyId, question: "revenue", image: true };
    const { error } = await callTool(server, admin, "ask_question", args, PATHS.agent);
    expect(error).toMatchObject({ code: -32602 });
  });
});
