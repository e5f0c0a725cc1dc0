import fc from "fast-check";
import { expect, it, test } from "vitest";
import { LIMITS } from "./limits.ts";
import { excerpt, isSecretName, maskFields, maskText, shapeOf, withoutSqlLiterals } from "./masking.ts";
import { randomText } from "./text.ts";

test("arguments become a JSON text", () => {
  expect(excerpt({ query: "who?", k: 5, tags: ["a", null, true], nested: { x: 1.5 } })).toBe(
    '{"query":"who?","k":5,"tags":["a",null,true],"nested":{"x":1.5}}',
  );
  expect(excerpt(undefined)).toBe('"[undefined]"');
});

test.for([
  ...[
    "password",
    "dbPassword",
    "db_password",
    "PASSWD",
    "secret",
    "clientSecret",
    "client-secret",
    "token",
    "accessToken",
  ],
  ...[
    "refresh_token",
    "apiKey",
    "api_key",
    "x-api-key",
    "Authorization",
    "credentials",
    "private_key",
    "cookie",
  ],
  ...["Set-Cookie", "connectionString", "pwd", "aws.secret", "passphrase", "secretAccessKey"],
  ...["X-Auth-Key", "Ocp-Apim-Subscription-Key", "X-Amz-Signature", "X-Amz-Credential", "AccountKey"],
  ...["X-Amz-Security-Token"],
])("a value under %s is masked", (name) => {
  expect(isSecretName(name)).toBe(true);
  expect(excerpt({ [name]: "hunter2", list: [{ [name]: { deep: "hunter2" } }] })).not.toContain("hunter2");
  expect(JSON.stringify(maskFields({ [name]: "hunter2", inner: { [name]: ["hunter2"] } }))).not.toContain(
    "hunter2",
  );
});

test.for(["key", "sig", "auth", "code", "appid", "appId"])("a text under %s is masked", (name) => {
  expect(isSecretName(name)).toBe(true);
  expect(excerpt({ [name]: "hunter2" })).toBe(`{"${name}":"***"}`);
});

test.for([
  ["https://example.com/a?key=hunter2&page=hunter2#hunter2", "https://example.com/a?key=***&page=***"],
  ["https://example.com/a?hunter2", "https://example.com/a?***"],
  ["see https://example.com/?q=hunter2 there", "see https://example.com/?q=*** there"],
  ["/orders?status=open&api_key=hunter2", "/orders?status=open&api_key=***"],
  ["/orders?sig=hunter2&page=2", "/orders?sig=***&page=2"],
  [
    '{"path":"/a","params":{"appid": "hun\\"ter2","page":"2"}}',
    '{"path":"/a","params":{"appid":"***","page":"2"}}',
  ],
] as const)("in %s only names are left of what may be a secret", ([text, masked]) => {
  expect(maskText(text)).toBe(masked);
});

test("of headers only the names are written down", () => {
  const args = { settings: { headers: { "X-Tenant": "hunter2", Accept: "hunter2" } }, page: 1 };
  expect(excerpt(args)).toBe('{"settings":{"headers":{"X-Tenant":"***","Accept":"***"}},"page":1}');
  expect(maskFields({ headers: [["X-Tenant", "hunter2"]] })).toEqual({ headers: "***" });
});

test.for(["max_tokens", "tokens_used", "author", "keyword", "key", "passed", "tokenize", "hasPassword"])(
  "%s is shown when it says nothing secret",
  (name) => {
    const value = name === "hasPassword" ? true : 7;
    expect(excerpt({ [name]: value })).toBe(`{"${name}":${value}}`);
  },
);

test.for([
  ["our tokens", `kmt_${randomText(32)}`],
  ["client secrets", `kcs_${randomText(32)}`],
  ["Authorization values", "Bearer abcdefghij.klmnop"],
  ["basic credentials", "Basic dXNlcjpwYXNz"],
  ["signed tokens", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl"],
  ["passwords in addresses", "postgres://kenning:hunter2@db.example/x"],
  ["private keys", "-----BEGIN RSA PRIVATE KEY-----\nMIIEow==\n-----END RSA PRIVATE KEY-----"],
] as const)("%s are masked inside any text", ([, secret]) => {
  const told = excerpt({ question: `please use ${secret} for it` });
  expect(told).not.toContain(secret);
  expect(told).toContain("***");
  expect(told).not.toContain("hunter2");
  expect(told).not.toContain("MIIEow");
});

test("a secret that the limit cuts in two is masked all the same", () => {
  const token = `kapi_${randomText(32)}`;
  for (let position = 40; position < 110; position++) {
    const text = `${" ".repeat(position)}${token}`;
    expect(maskText(text, 100)).not.toContain(token.slice(5, 17));
    expect(excerpt({ text }, 100)).not.toContain(token.slice(5, 17));
  }
});

test("the text is bounded and cheap, however large the arguments are", () => {
  const large = {
    rows: Array.from({ length: 100_000 }, (_, i) => ({ i, text: "x".repeat(100) })),
    blob: "y".repeat(10_000_000),
  };
  const started = process.cpuUsage();
  const text = excerpt(large);
  expect(process.cpuUsage(started).user / 1_000).toBeLessThan(250);
  expect(text.length).toBeLessThanOrEqual(LIMITS.call.auditExcerptCharacters);
  expect(text.endsWith("…")).toBe(true);
});

test("what PostgreSQL cannot store is left out", () => {
  expect(maskText("a\u0000b")).toBe("ab");
  expect(maskText("\ud800x").isWellFormed()).toBe(true);
  expect(JSON.stringify(maskFields({ "k\u0000": "v\u0000", half: "\udfff" }))).toBe(
    '{"k":"v","half":"\ufffd"}',
  );
});

test("structured metadata is bounded as a whole", () => {
  const wide = Object.fromEntries(
    Array.from({ length: 60 }, (_, i) => [`f${i}`, Array(60).fill("x".repeat(3_000))]),
  );
  const kept = JSON.stringify(maskFields({ first: "kept", ...wide }));
  expect(kept.length).toBeLessThan(2 * LIMITS.call.auditMetadataCharacters);
  expect(kept).toContain('"first":"kept"');
});

test("whatever comes in, the excerpt is bounded, well-formed and stable", () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 8 }), fc.integer({ min: 1, max: 200 }), (value, limit) => {
      const text = excerpt(value, limit);
      expect(text.length).toBeLessThanOrEqual(limit);
      expect(text.isWellFormed()).toBe(true);
      expect(text).not.toContain("\u0000");
    }),
  );
});

test("nesting that never ends, and a prototype in disguise, do no harm", () => {
  const endless: Record<string, unknown> = {};
  endless.self = endless;
  expect(excerpt(endless).length).toBeLessThanOrEqual(LIMITS.call.auditExcerptCharacters);
  expect(maskFields(JSON.parse('{"__proto__": {"admin": true}, "a": 1}'))).toEqual({ a: 1 });
});

it("keeps what names something, and of everything else only its form", () => {
  const kept = shapeOf({
    dataset_name: "Patients",
    dataset_id: 7,
    limit: 10,
    rows: [{ name: "Ada Lovelace", diagnosis: "flu" }],
    pasword: "hunter2",
    settings: { sslkey: "hunter3", port: 5432, ssl: true, nested: { deep: "hunter4" } },
    note: "Ada has the flu",
    model_ids: [1, 2],
    sql: "SELECT * FROM patients WHERE name = 'Ada Lovelace' AND born > 1815",
  });
  for (const secret of ["Ada", "flu", "hunter", "5432", "1815"]) expect(kept).not.toContain(secret);
  const read = JSON.parse(kept);
  expect(read).toMatchObject({
    dataset_name: "Patients",
    dataset_id: 7,
    limit: 10,
    rows: expect.stringMatching(/^\[1 items, [0-9a-f]{8}\]$/),
    note: expect.stringMatching(/^\[text, 15 characters, [0-9a-f]{8}\]$/),
    model_ids: [1, 2],
    sql: "SELECT * FROM patients WHERE name = ? AND born > ?",
    settings: { ssl: true },
  });
  const asked = { question: "visits of Ada and Ada Lovelace, over 5", sql: "SELECT 1" };
  expect(JSON.parse(shapeOf(asked, ["Ada", "ada lovelace"]))).toEqual({
    question: "visits of ? and ?, over ?",
    sql: "SELECT ?",
  });
  // Nobody has said what of it are values.
  expect(JSON.parse(shapeOf(asked, null))).toMatchObject({ question: expect.stringMatching(/^\[text, 38/) });
  expect(JSON.parse(shapeOf({ order: "count(visits[name = Ada]) desc" }))).toMatchObject({
    order: expect.stringMatching(/^\[text, 30/),
  });
  expect(shapeOf({ text: "the same" })).toBe(shapeOf({ text: "the same" }));
  expect(shapeOf(undefined)).toBe("null");
});

it.each([
  ["SELECT 'it''s', \"region\" FROM t1 LIMIT 5", 'SELECT ?, "region" FROM t1 LIMIT ?'],
  ['count("a"."b") WHERE "a"."b" = \'x "y" z\'', 'count("a"."b") WHERE "a"."b" = ?'],
  ["SELECT $$it's$$, $q$ 1 $q$ FROM t", "SELECT ?, ? FROM t"],
  ["SELECT \"it's\", 'open", 'SELECT "it\'s", ?'],
])("%s without its literals", (text, masked) => {
  expect(withoutSqlLiterals(text)).toBe(masked);
});

it("names that are made of values are without them", () => {
  const sql = 'SELECT n1 AS "revenue_ada_lovelace", "name" FROM "guests"';
  expect(withoutSqlLiterals(sql, ["Ada Lovelace"])).toBe('SELECT n1 AS "revenue_?", "name" FROM "guests"');
});

it("of other languages, what is in double quotes may be a value", () => {
  expect(shapeOf({ c9ql: 'select * where name = "Ada"' })).toBe('{"c9ql":"select * where name = ?"}');
});
