import { describe, expect, test } from "vitest";
import { circumstancesWith, grantWith, NOW } from "../../../../test/support/grants.ts";
import { APP_URL } from "../../../../test/support/identity.ts";
import { SURFACES, type SurfaceName, TOKEN_KINDS, type TokenKind } from "../../../registry/caller.ts";
import {
  accountEnabled,
  audienceFits,
  isMember,
  kindFitsSurface,
  notExpired,
  notRevoked,
  parseAuthorization,
  workspaceFits,
} from "./checks.ts";

describe("not revoked", () => {
  test("a revoked token is over, whenever that was", () => {
    expect(notRevoked(grantWith(), circumstancesWith())).toBeNull();
    expect(notRevoked(grantWith({ token: { revokedAt: new Date(0) } }), circumstancesWith())).toBe("revoked");
    // The clocks of two servers differ: a revocation "in the future" counts at once.
    const later = new Date(NOW.getTime() + 5_000);
    expect(notRevoked(grantWith({ token: { revokedAt: later } }), circumstancesWith())).toBe("revoked");
  });
});

describe("not expired", () => {
  test.for([
    { leftMs: 1, reason: null },
    { leftMs: 0, reason: "expired" },
    { leftMs: -1, reason: "expired" },
  ])("with $leftMs ms left: $reason", ({ leftMs, reason }) => {
    const grant = grantWith({ token: { expiresAt: new Date(NOW.getTime() + leftMs) } });
    expect(notExpired(grant, circumstancesWith())).toBe(reason);
  });

  test("a token without an end does not expire", () => {
    expect(notExpired(grantWith({ token: { expiresAt: null } }), circumstancesWith())).toBeNull();
  });
});

describe("account enabled", () => {
  test("a disabled account has no power through any token", () => {
    expect(accountEnabled(grantWith(), circumstancesWith())).toBeNull();
    const account = { id: 2, email: "ada@acme.test", name: "Ada", disabledAt: NOW };
    expect(accountEnabled(grantWith({ owner: { account } }), circumstancesWith())).toBe("account_disabled");
  });
});

describe("is member", () => {
  test("who left the workspace cannot use a token made there", () => {
    expect(isMember(grantWith(), circumstancesWith())).toBeNull();
    expect(isMember(grantWith({ owner: { membership: null } }), circumstancesWith())).toBe("not_a_member");
  });
});

describe("kind fits surface", () => {
  const EVERYWHERE: readonly SurfaceName[] = ["bi", "agent", "memory", "models", "knowledge", "all"];

  /** Written out once more, by hand: the rules' own table cannot test itself. */
  const GOOD_ON: Record<TokenKind, readonly SurfaceName[]> = {
    api: EVERYWHERE,
    mcp: EVERYWHERE,
    bearer: EVERYWHERE,
    oauth: EVERYWHERE,
    memory: ["memory", "all"],
    knowledge: ["knowledge", "all"],
    operator: [],
  };

  const table = TOKEN_KINDS.flatMap((kind) =>
    SURFACES.map((surface) => ({
      kind,
      surface,
      reason: GOOD_ON[kind].includes(surface) ? null : "wrong_kind",
    })),
  );

  test.for(table)("$kind on $surface: $reason", ({ kind, surface, reason }) => {
    expect(kindFitsSurface(grantWith({ token: { kind } }), circumstancesWith({ surface }))).toBe(reason);
  });
});

describe("audience fits", () => {
  test.for([
    { audience: null, fits: true },
    { audience: [`${APP_URL}/mcp`], fits: true },
    { audience: [APP_URL], fits: true },
    { audience: ["https://elsewhere.test", `${APP_URL}/mcp`], fits: true },
    { audience: [], fits: false },
    { audience: [`${APP_URL}/mcp/`], fits: false },
    { audience: [`${APP_URL}/mcp/acme/mcp`], fits: false },
    { audience: [`${APP_URL}/mc`], fits: false },
    { audience: [`${APP_URL}/`], fits: false },
    { audience: [`${APP_URL}.evil.test`], fits: false },
    { audience: [`${APP_URL.toUpperCase()}/MCP`], fits: false },
    { audience: [""], fits: false },
  ])("a token for $audience on /mcp: $fits", ({ audience, fits }) => {
    const grant = grantWith({ token: { kind: "oauth", audience } });
    expect(audienceFits(grant, circumstancesWith())).toBe(fits ? null : "wrong_audience");
  });
});

describe("workspace fits", () => {
  test.for(["globex", "nowhere", "ACME", "acme ", "acme\u0000", "", "%61cme"])(
    "a token of acme under %j",
    (workspaceSlug) => {
      expect(workspaceFits(grantWith(), circumstancesWith({ workspaceSlug }))).toBe("wrong_workspace");
    },
  );

  test("a token is good in its own workspace, and where the path names none", () => {
    expect(workspaceFits(grantWith(), circumstancesWith({ workspaceSlug: "acme" }))).toBeNull();
    expect(workspaceFits(grantWith(), circumstancesWith())).toBeNull();
  });
});

describe("the Authorization header", () => {
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
});
