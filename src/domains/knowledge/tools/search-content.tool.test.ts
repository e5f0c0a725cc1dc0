import { describe, expect, it } from "vitest";
import { addDocument, callKnowledge, makeBase } from "../../../../test/support/knowledge.ts";
import { serverOfFile } from "../../../../test/support/server.ts";

const SEARCH = "wegent_kb_search_content";

const server = await serverOfFile();
const ada = await server.token({ role: "contributor" });
const bob = await server.token({ role: "viewer" });
const handbook = await makeBase(server, ada, { name: "Handbook" });
const secret = await makeBase(server, ada, { name: "Secret", personal: true });
await addDocument(
  server,
  ada,
  handbook,
  "leave.md",
  "# Leave\n\nEveryone has 30 days of paid leave a year.\n",
);
await addDocument(server, ada, handbook, "travel.txt", "Trains are booked in second class.");
await addDocument(server, ada, secret, "plan.txt", "The paid leave will be 40 days from 2027.");

const search = (token: string, args: Record<string, unknown>) => callKnowledge(server, token, SEARCH, args);

describe("wegent_kb_search_content", () => {
  it("[knowledge.search.records] finds passages and says where they are from", async () => {
    const answer = await search(ada, { query: " paid leave ", knowledge_base_ids: [handbook] });
    expect(answer).toMatchObject({
      query: "paid leave",
      total: 1,
      searched_knowledge_base_ids: [handbook],
      ignored_knowledge_base_ids: [],
      warnings: [],
      records: [
        {
          content: "# Leave\n\nEveryone has 30 days of paid leave a year.",
          title: "leave.md",
          knowledge_base_id: handbook,
          knowledge_base_name: "Handbook",
          document_id: expect.any(Number),
          score: expect.any(Number),
        },
      ],
    });
    expect(answer.total_estimated_tokens).toBeGreaterThan(5);
    const { score } = answer.records[0];
    expect(score > 0 && score <= 1).toBe(true);
  });

  it("[knowledge.search.ignored] leaves out what the caller may not read, and says so", async () => {
    const answer = await search(bob, {
      query: "paid leave",
      knowledge_base_ids: [handbook, secret, 999, -1],
    });
    expect(answer).toMatchObject({
      total: 1,
      searched_knowledge_base_ids: [handbook],
      ignored_knowledge_base_ids: [secret, 999, -1],
      warnings: [expect.any(String)],
    });
    expect(JSON.stringify(answer)).not.toContain("40 days");
    expect(await search(ada, { query: "paid leave", knowledge_base_ids: [secret, handbook] })).toMatchObject({
      total: 2,
      searched_knowledge_base_ids: [secret, handbook],
    });
  });

  it("[knowledge.search.none] not_found where none is left", async () => {
    expect(await search(bob, { query: "leave", knowledge_base_ids: [secret] })).toMatchObject({
      code: "not_found",
    });
  });

  it.each([
    ["max_results must be between 1 and 50", { max_results: 51 }],
    ["max_results must be between 1 and 50", { max_results: 0 }],
    ["max_results must be an integer", { max_results: "10" }],
    ["knowledge_base_ids is required", { knowledge_base_ids: undefined }],
    ["knowledge_base_ids must not be empty", { knowledge_base_ids: [] }],
    [
      "knowledge_base_ids must contain at most 100 items",
      { knowledge_base_ids: Array.from({ length: 101 }, (_, i) => i) },
    ],
    ["knowledge_base_ids must contain only integers", { knowledge_base_ids: ["1"] }],
    ["query must be at most 2000 characters", { query: "x".repeat(2001) }],
    ["query is required", { query: undefined }],
    [
      "query is required. knowledge_base_ids is required",
      { query: undefined, knowledge_base_ids: undefined },
    ],
    ["query must be a string", { query: 7 }],
    ["query must not be empty", { query: "  " }],
  ])("[knowledge.search.bounds] [knowledge.error.shape] %s", async (error, change) => {
    const usual = { query: "leave", knowledge_base_ids: [handbook] };
    expect(await search(bob, { ...usual, ...change })).toEqual({ error, code: "bad_request" });
  });

  it("[knowledge.search.unique] counts each id once", async () => {
    const knowledge_base_ids = Array(150).fill(handbook);
    expect(await search(bob, { query: "trains", knowledge_base_ids, max_results: 50 })).toMatchObject({
      total: 1,
      searched_knowledge_base_ids: [handbook],
    });
  });

  it("searches all that one may read on /mcp, and nothing of another workspace", async () => {
    const all = await callKnowledge(server, ada, "search_documents", { query: "paid leave" }, "/mcp");
    expect(all.total).toBe(2);
    await server.app.identity.workspaces.create({ slug: "other" });
    const stranger = await server.token({ workspace: "other" });
    expect(await search(stranger, { query: "leave", knowledge_base_ids: [handbook] })).toMatchObject({
      code: "not_found",
    });
    expect(
      (await callKnowledge(server, stranger, "search_documents", { query: "leave" }, "/mcp")).total,
    ).toBe(0);
  });

  it("finds what is said in other words once it has been embedded, and explains its hits on request", async () => {
    const base = await makeBase(server, ada, { name: "Letters" });
    await addDocument(server, ada, base, "bill.md", "# Payment\n\nThe bill was settled by the client.");
    await addDocument(server, ada, base, "rain.txt", "It will rain in the mountains tomorrow.");
    const args = { query: "Who paid the invoice?", knowledge_base_ids: [base], explain: true };
    const find = () => callKnowledge(server, ada, "search_documents", args, "/mcp");
    await expect.poll(async () => (await find()).total, { timeout: 30_000 }).toBe(1);
    expect((await find()).records).toMatchObject([
      {
        title: "bill.md",
        page: null,
        section: "Payment",
        legs: { words: 0, meaning: expect.any(Number), tokens: expect.any(Number) },
      },
    ]);
    const { records } = await search(ada, { query: "bill", knowledge_base_ids: [base] });
    expect(Object.keys(records[0])).toHaveLength(6);
  });

  it("shows a passage that stands in several bases once, and says where else it is", async () => {
    const bases = [];
    for (const name of ["North", "South", "East"]) {
      const base = await makeBase(server, ada, { name });
      const { document_id } = await addDocument(server, ada, base, "same.txt", "Denmark has 58 bicycles.");
      bases.push({ knowledge_base_id: base, document_id });
    }
    const ids = bases.map(({ knowledge_base_id }) => knowledge_base_id);
    const answer = await search(ada, { query: "Denmark", knowledge_base_ids: ids });
    expect(answer).toMatchObject({ total: 1, warnings: [expect.stringContaining("also_in")] });
    const [{ knowledge_base_id, document_id, also_in }] = answer.records;
    expect([{ knowledge_base_id, document_id }, ...also_in]).toEqual(expect.arrayContaining(bases));
  });

  it("gives what has all words of the question a score above one half, and what has few of them one below", async () => {
    const base = await makeBase(server, ada, { name: "Allowances" });
    await addDocument(server, ada, base, "denmark.txt", "The daily allowance in Denmark is 58 EUR.");
    await addDocument(server, ada, base, "trains.txt", "Whoever travels in Denmark books second class.");
    const args = { query: "daily allowance Denmark", knowledge_base_ids: [base], explain: true };
    const find = async (): Promise<{ title: string; score: number; legs: { tokens?: number } }[]> =>
      (await callKnowledge(server, ada, "search_documents", args, "/mcp")).records;
    await expect
      .poll(async () => (await find()).every(({ legs }) => legs.tokens !== undefined), { timeout: 30_000 })
      .toBe(true);
    const [all, few] = await find();
    expect([all?.title, few?.title]).toEqual(["denmark.txt", "trains.txt"]);
    expect(all?.score).toBeGreaterThan(0.5);
    expect(few?.score).toBeLessThan(0.5);
  });

  it("finds texts of scripts that put no spaces between words, by words, single characters and what is beside them", async () => {
    const base = await makeBase(server, ada, { name: "East Asia" });
    const texts = {
      "zh1.txt": "北京是中华人民共和国的首都。全市人口约两千一百万。",
      "zh2.txt": "本公司的年假为三十天，申请须提前两周提交给部门主管。",
      "zh3.txt": "发票应在收到后十四天内付款，逾期将收取利息。喝水有益健康。",
      "ja1.txt": "日本の首都は東京です。2024年の人口は約1400万人でした。",
      "ja2.txt": "有給休暇は年に三十日あります。申請は二週間前に上司へ提出してください。",
      "ja3.txt": "新しいGPUサーバーは京都のデータセンターに設置されました。",
      "ko1.txt": "대한민국의 수도는 서울이다. 인구는 약 천만 명이다.",
      "ko2.txt": "연차 휴가는 일 년에 삼십 일이며, 신청은 이 주 전에 팀장에게 한다.",
      "ko3.txt": "새로운 GPU를 부산 데이터 센터에 설치했다.",
    };
    for (const [name, text] of Object.entries(texts)) await addDocument(server, ada, base, name, text);
    const first = async (query: string) =>
      (await search(ada, { query, knowledge_base_ids: [base] })).records[0]?.title;
    for (const [query, title] of [
      ["中国的首都是哪里？", "zh1.txt"],
      ["年假有多少天？", "zh2.txt"],
      ["发票什么时候付款", "zh3.txt"],
      ["水", "zh3.txt"],
      ["日本の首都はどこですか？", "ja1.txt"],
      ["2024", "ja1.txt"],
      ["有給休暇は何日ありますか", "ja2.txt"],
      ["京都 サーバー", "ja3.txt"],
      ["한국의 수도는 어디입니까?", "ko1.txt"],
      ["휴가 신청", "ko2.txt"],
      ["부산 센터", "ko3.txt"],
    ] as const)
      expect([query, await first(query)]).toEqual([query, title]);
    const machines = (await search(ada, { query: "GPU", knowledge_base_ids: [base] })).records;
    expect(machines.map(({ title }: { title: string }) => title).sort()).toEqual(["ja3.txt", "ko3.txt"]);
    const asked = { question: "年假有多少天？", knowledge_base_ids: [base] };
    const { answer } = await callKnowledge(server, ada, "ask_documents", asked, "/mcp");
    expect(answer).toContain("年假为三十天");
  });

  it("merges the passages around a hit on request", async () => {
    const base = await makeBase(server, ada, { name: "Long" });
    const sections = Array.from({ length: 6 }, (_, n) => `# Part ${n}\n\nThis is about number${n}.`);
    await addDocument(server, ada, base, "long.md", sections.join("\n\n"));
    const find = (args: object) =>
      callKnowledge(server, ada, "search_documents", { knowledge_base_ids: [base], ...args }, "/mcp");
    const [hit] = (await find({ query: "number3", context: 1 })).records;
    expect(hit.content).toBe(sections.slice(2, 5).join("\n\n"));
    const [both] = (await find({ query: "number2 number3", context: 1 })).records;
    expect(both.content).toMatch(/number2.*number3/s);
    await expect(find({ query: "x", context: 4 })).rejects.toThrow(/context mu/);
  });
});
