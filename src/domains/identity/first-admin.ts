import { sql } from "drizzle-orm";
import type { Catalog } from "../../platform/catalog/index.ts";
import { accounts } from "./identity.tables.ts";
import type { FirstAdmin, Users, Workspaces } from "./identity.ts";
import { generatePassword } from "./passwords/generate-password.ts";

const WORKSPACE = "default";
/** A valid address that nobody else can own. */
const EMAIL = "admin@localhost";
/** Any number that nothing else in the database locks. */
const LOCK_KEY = 7_305_819_245;

export interface FirstAdminOptions {
  catalog: Catalog;
  workspaces: Workspaces;
  users: Users;
  keep: ((admin: FirstAdmin) => void | Promise<void>) | undefined;
}

export async function ensureFirstAdmin(options: FirstAdminOptions): Promise<FirstAdmin | null> {
  const { catalog, workspaces, users, keep } = options;
  if (await hasAccount(catalog)) return null;
  return catalog.transaction(async (tx) => {
    await tx.execute(sql`select pg_advisory_xact_lock(${LOCK_KEY})`);
    if (await hasAccount(catalog)) return null;
    // A start that broke off here may have left the workspace behind.
    const known = await workspaces.list();
    if (!known.some(({ slug }) => slug === WORKSPACE)) {
      await workspaces.create({ slug: WORKSPACE, name: "Default" });
    }
    const admin = { email: EMAIL, workspace: WORKSPACE, password: generatePassword() };
    await keep?.(admin);
    await users.create({ ...admin, name: "Administrator", role: "admin" });
    return admin;
  });
}

async function hasAccount({ db }: Catalog): Promise<boolean> {
  const rows = await db.select({ id: accounts.id }).from(accounts).limit(1);
  return rows.length > 0;
}
