import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { resultOf } from "../support/datasets.ts";
import { addDocument, callKnowledge, makeBase } from "../support/knowledge.ts";
import { callOf, PATHS, rpc } from "../support/rpc.ts";
import { startTestServer, type TestServer } from "../support/server.ts";

/** Who reads what: every role on every level of base, by every tool and the file endpoint. */

const TOOLS = [
  "wegent_kb_list_knowledge_bases",
  "wegent_kb_list_nodes",
  "wegent_kb_get_document_content",
  "wegent_kb_get_document_download",
  "wegent_kb_search_content",
] as const;
const LEVELS = ["organization", "group", "personal"] as const;
type Level = (typeof LEVELS)[number];

let server: TestServer;
const tokens = new Map<string, string>();
const places = new Map<Level, { base: number; document: number }>();
const emailOf = (who: string) => `${who}@example.com`;

async function token(who: string, role: "viewer" | "contributor" | "admin"): Promise<void> {
  await server.app.identity.users.create({ email: emailOf(who), workspace: "acme", role });
  tokens.set(who, await server.token({ email: emailOf(who), kind: "knowledge" }));
}

const share = (access: "reader" | "editor" | "none", who: string) =>
  resultOf(server, tokens.get("owner")!, "share_knowledge_base", {
    knowledge_base_id: places.get("personal")!.base,
    email: emailOf(who),
    access,
  });

beforeAll(async () => {
  // A test of roles asks more than an endpoint for one system allows.
  const env = Object.fromEntries(
    ["", "SEARCH_", "DOWNLOAD_"].map((area) => [`EXTERNAL_KNOWLEDGE_MCP_${area}RATE_LIMIT_ENABLED`, "false"]),
  );
  server = await startTestServer({ env });
  const { groups, workspaces } = server.app.identity;
  for (const who of ["owner", "member", "contributor", "editor"]) await token(who, "contributor");
  for (const who of ["viewer", "reader"]) await token(who, "viewer");
  await token("admin", "admin");
  await groups.create({ workspace: "acme", name: "team" });
  for (const who of ["owner", "member"])
    await groups.addMember({ workspace: "acme", group: "team", email: emailOf(who) });
  await workspaces.create({ slug: "other" });
  tokens.set("stranger", await server.token({ workspace: "other", kind: "knowledge" }));
  const owner = tokens.get("owner")!;
  for (const level of LEVELS) {
    const whose = { group: { group: "team" }, personal: { personal: true }, organization: {} }[level];
    const base = await makeBase(server, owner, { name: level, ...whose });
    const { document_id } = await addDocument(server, owner, base, `${level}.txt`, `The lamp of ${level}.`);
    places.set(level, { base, document: document_id });
  }
  for (const who of ["reader", "editor"] as const) await share(who, who);
  const { base } = places.get("group")!;
  tokens.set("narrow", await server.token({ email: emailOf("owner"), limits: { knowledgeBases: [base] } }));
}, 60_000);
afterAll(() => server.stop());

/** What one caller gets of a base: `read`, or the code of the refusal, by each tool and then by the file endpoint. */
async function seen(who: string, level: Level): Promise<string[]> {
  const { base, document } = places.get(level)!;
  const ask = (name: string, args: Record<string, unknown>) =>
    callKnowledge(server, tokens.get(who)!, name, args);
  const listed = await ask(TOOLS[0], {});
  const credential = await ask(TOOLS[3], { document_id: document });
  const answers = [
    await ask(TOOLS[1], { knowledge_base_id: base }),
    await ask(TOOLS[2], { document_id: document }),
    credential,
    await ask(TOOLS[4], { query: "lamp", knowledge_base_ids: [base] }),
  ];
  const isListed = listed.items.some(
    (each: { knowledge_base_id: number }) => each.knowledge_base_id === base,
  );
  return [
    isListed ? "read" : "not listed",
    ...answers.map(({ code }) => code ?? "read"),
    await fileOf(credential),
  ];
}

async function fileOf({
  resource_url,
  headers,
}: {
  resource_url?: string;
  headers?: Record<string, string>;
}) {
  if (resource_url === undefined) return "no token";
  const answer = await server.request(resource_url, { headers: headers ?? {} });
  return answer.status === 200 ? "read" : ((await answer.json()) as { code: string }).code;
}

const READ = Array(6).fill("read");
const CLOSED = ["not listed", "not_found", "forbidden", "forbidden", "not_found", "no token"];
const UNKNOWN = ["not listed", "not_found", "not_found", "not_found", "not_found", "no token"];

describe("who reads what", () => {
  it.each([
    ["owner", READ, READ, READ],
    ["member", READ, READ, CLOSED],
    ["contributor", READ, CLOSED, CLOSED],
    ["viewer", READ, CLOSED, CLOSED],
    ["admin", READ, CLOSED, CLOSED],
    ["reader", READ, CLOSED, READ],
    ["editor", READ, CLOSED, READ],
    ["narrow", CLOSED, READ, CLOSED],
    ["stranger", UNKNOWN, UNKNOWN, UNKNOWN],
  ])("[knowledge.roles] %s", async (who, ...expected) => {
    for (const [i, level] of LEVELS.entries())
      expect([level, await seen(who, level)]).toEqual([level, expected[i]]);
  });

  it("[knowledge.roles] nobody without a token, and not with one for something else", async () => {
    const wrong = await server.token({ email: emailOf("owner"), scopes: ["memory:read"] });
    for (const name of TOOLS) {
      const anonymous = await callOf(server, PATHS.knowledge, name);
      expect(anonymous).toMatchObject({ status: 401, body: { code: "unauthorized" } });
      expect(await callOf(server, PATHS.knowledge, name, {}, { token: wrong })).toMatchObject({
        status: 403,
        body: { code: "forbidden" },
      });
    }
    const made = await server.token({ email: emailOf("owner"), kind: "memory" });
    expect((await rpc(server, PATHS.knowledge, "ping", { token: made })).status).toBe(401);
  });
});

describe("a download token", () => {
  const credentialOf = (who: string, level: Level) =>
    callKnowledge(server, tokens.get(who)!, TOOLS[3], { document_id: places.get(level)!.document });

  it("[knowledge.file.recheck] is of no use to whoever has left the group, or is no reader any more", async () => {
    const [ofGroup, shared] = [
      await credentialOf("member", "group"),
      await credentialOf("reader", "personal"),
    ];
    expect([await fileOf(ofGroup), await fileOf(shared)]).toEqual(["read", "read"]);
    const { groups, users } = server.app.identity;
    await groups.removeMember({ workspace: "acme", group: "team", email: emailOf("member") });
    await share("none", "reader");
    expect([await fileOf(ofGroup), await fileOf(shared)]).toEqual(["forbidden", "forbidden"]);
    expect(await seen("member", "group")).toEqual(CLOSED);
    expect(await seen("reader", "personal")).toEqual(CLOSED);
    const own = await credentialOf("editor", "personal");
    await users.disable(emailOf("editor"));
    expect(await fileOf(own)).toBe("forbidden");
  });

  it("[knowledge.file.recheck] is of no use for a document that is gone", async () => {
    const credential = await credentialOf("owner", "organization");
    const { document } = places.get("organization")!;
    await resultOf(server, tokens.get("owner")!, "delete_document", { document_id: document, confirm: true });
    expect(await fileOf(credential)).toBe("not_found");
  });
});
