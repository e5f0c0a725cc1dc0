import type { Proof } from "../../src/domains/identity/identity.ts";
import { createIdentity, type Identity, type IdentityOptions } from "../../src/domains/identity/index.ts";
import { type Clock, systemClock } from "../../src/kernel/time.ts";
import type { Catalog } from "../../src/platform/catalog/index.ts";
import { createMemoryState } from "../../src/platform/state/index.ts";
import { openTestCatalog, silentLog } from "./database.ts";

export const APP_URL = "https://kenning.test";

/** A clock that stands still until it is moved. */
export class TestClock implements Clock {
  #nowMs: number;

  constructor(start = new Date()) {
    this.#nowMs = start.getTime();
  }

  now(): Date {
    return new Date(this.#nowMs);
  }

  advance(ms: number): void {
    this.#nowMs += ms;
  }
}

export interface TestIdentity extends AsyncDisposable {
  identity: Identity;
  catalog: Catalog;
  clock: TestClock;
}

/** Identity on a database of its own, with workspaces `acme` and `globex` and a member of each role in `acme`. */
export async function openTestIdentity(options: Partial<IdentityOptions> = {}): Promise<TestIdentity> {
  const catalog = await openTestCatalog();
  const clock = new TestClock();
  const identity = identityOn(catalog, { clock, ...options });
  await identity.workspaces.create({ slug: "acme" });
  await identity.workspaces.create({ slug: "globex" });
  for (const role of ["admin", "contributor", "viewer"] as const) {
    await identity.users.create({
      email: `${role}@acme.test`,
      workspace: "acme",
      role,
      password: TEST_PASSWORD,
    });
  }
  await identity.users.create({
    email: "boss@globex.test",
    workspace: "globex",
    role: "admin",
    password: TEST_PASSWORD,
  });
  const close = async () => {
    await identity.close();
    await catalog.close();
  };
  return { identity, catalog, clock, [Symbol.asyncDispose]: close };
}

export const TEST_PASSWORD = "correct horse battery staple";

/** Another server on the same database. */
export function identityOn(catalog: Catalog, options: Partial<IdentityOptions> = {}): Identity {
  return createIdentity({
    catalog,
    state: createMemoryState(),
    clock: systemClock,
    log: silentLog,
    appUrl: APP_URL,
    auditRetentionDays: 365,
    ...options,
  });
}

/** A request with this token to the endpoint that takes most tokens. */
export function proofOf(token: string | null, more: Partial<Proof> = {}): Proof {
  const authorization = token === null ? null : `Bearer ${token}`;
  return { authorization, surface: "all", resource: `${APP_URL}/mcp`, address: "203.0.113.7", ...more };
}
