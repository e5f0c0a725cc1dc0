import { expect, test } from "vitest";
import { parseAuthorization } from "./parse-authorization.ts";

test.for(["Bearer kmt_abc", "bearer kmt_abc", "BEARER kmt_abc", "bEaReR   kmt_abc", "Bearer kmt_abc  "])(
  "%j",
  (header) => {
    expect(parseAuthorization(header)).toEqual({ token: "kmt_abc" });
  },
);

test.for([null, ""])("%j is no attempt at all", (header) => {
  expect(parseAuthorization(header)).toEqual({ reason: "missing" });
});

test.for([
  ...[
    "kmt_abc",
    "Bearer",
    "Bearer ",
    "Bearer  ",
    "Basic kmt_abc",
    "Bearerkmt_abc",
    "Bearer\tkmt_abc",
    " Bearer kmt_abc",
  ],
  ...[
    "Bearer a b",
    "Bearer a,b",
    "Bearer kmt_abc\u0000",
    "Bearer kmt_\u0000abc",
    "Bearer kmt_äöü",
    "Bearer \u202ekmt_abc",
  ],
  ...[
    "Bearer a\nb",
    "Bearer a\r\nX-Admin: 1",
    "Bearer ' OR 1=1 --",
    "Bearer a';drop",
    "Bearer =",
    "Bearer a=b",
  ],
  `Bearer ${"a".repeat(8_192)}`,
])("%j is malformed", (header) => {
  expect(parseAuthorization(header)).toEqual({ reason: "malformed" });
});

test("a hostile header is turned away in no time", () => {
  const started = process.cpuUsage();
  parseAuthorization(`Bearer ${"a".repeat(50_000_000)}`);
  parseAuthorization(`Bearer ${" ".repeat(8_000)}`);
  parseAuthorization(`Bearer ${"=".repeat(8_000)}!`);
  expect(process.cpuUsage(started).user / 1_000).toBeLessThan(500);
});
