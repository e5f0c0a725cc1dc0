import fc from "fast-check";
import { expect, test } from "vitest";
import { excerpt, isSecretName, maskFields, maskText } from "./excerpt.ts";
import { randomText } from "./ids.ts";
import { LIMITS } from "./limits.ts";

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
