import { expect, test } from "vitest";
import { grantWith } from "../../../../test/support/grants.ts";
import {
  AREAS,
  PERMISSIONS,
  type Permission,
  ROLE_PERMISSIONS,
  type Role,
} from "../../../kernel/permissions.ts";
import { NO_LIMITS } from "../tokens/tokens.ts";
import { callerFrom } from "./authentication.ts";
import { authorizer, type Grant } from "./grant.ts";

function caller(role: Role, token: Partial<Grant["token"]> = {}) {
  return callerFrom(
    grantWith({ token, owner: { membership: { role, attributes: { region: "EU" }, groups: [4, 7] } } }),
  );
}

const reads = AREAS.map((area): Permission => `${area}:read`);

test("without scopes and limits, a token has the power of its owner's role", () => {
  expect(caller("viewer").permissions).toEqual(ROLE_PERMISSIONS.viewer);
  expect(caller("contributor").permissions).toEqual(ROLE_PERMISSIONS.contributor);
  expect(caller("admin").permissions).toEqual(PERMISSIONS);
  expect(caller("admin")).toMatchObject({
    groups: [4, 7],
    attributes: { region: "EU" },
    scopes: PERMISSIONS,
  });
});

test("scopes take away and never add", () => {
  const scopes: Permission[] = ["memory:read", "memory:write", "admin"];
  expect(caller("viewer", { scopes }).permissions).toEqual(["memory:read"]);
  expect(caller("contributor", { scopes }).permissions).toEqual(["memory:read", "memory:write"]);
  expect(caller("admin", { scopes }).permissions).toEqual(scopes);
  expect(caller("viewer", { scopes }).scopes).toEqual(scopes);
});

test("a read-only token can neither write nor administer, whoever owns it", () => {
  expect(caller("admin", { limits: { ...NO_LIMITS, readOnly: true } }).permissions).toEqual(reads);
});

test("memory and knowledge tokens stay in their area, even if the table said otherwise", () => {
  expect(caller("admin", { kind: "memory", scopes: null }).permissions).toEqual([
    "memory:read",
    "memory:write",
  ]);
  expect(caller("admin", { kind: "memory", scopes: ["admin", "bi:write"] }).permissions).toEqual([]);
  expect(caller("admin", { kind: "memory" }).token.limits.toolsets).toEqual(["memory", "curation"]);
  expect(caller("admin", { kind: "knowledge" }).token.limits.toolsets).toEqual(["knowledge", "library"]);
  const limits = { ...NO_LIMITS, toolsets: ["system"] };
  expect(caller("admin", { kind: "memory", limits }).token.limits.toolsets).toEqual([]);
});

test("a caller is shared by all requests of a token, so nobody can change it", () => {
  const shared = caller("viewer");
  expect(Object.isFrozen(shared) && Object.isFrozen(shared.workspace) && Object.isFrozen(shared.user)).toBe(
    true,
  );
});

test("who is no member cannot become a caller", () => {
  expect(() => callerFrom(grantWith({ owner: { membership: null } }))).toThrow(TypeError);
});

test("a missing permission is put down to the role first, then to the scopes, then to the limits", () => {
  const scopes: Permission[] = ["memory:read", "memory:write", "bi:read"];
  const limited = caller("contributor", { scopes, limits: { ...NO_LIMITS, readOnly: true } });
  expect(authorizer.missing(limited, ["admin", "bi:write", "memory:write", "bi:read"])).toEqual({
    role: ["admin"],
    scope: ["bi:write"],
    limit: ["memory:write"],
  });
  expect(authorizer.missing(limited, [])).toEqual({ role: [], scope: [], limit: [] });
});
