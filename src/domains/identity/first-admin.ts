import { sql } from "drizzle-orm";
import type { Catalog } from "../../platform/catalog/index.ts";
import { accounts } from "./identity.tables.ts";
import type { Identity } from "./identity.ts";

const WORKSPACE = "default";
/** A valid address that nobody else can own. */
const EMAIL = "admin@localhost";
/** Any number that nothing else in the database locks. */
const LOCK_KEY = 7_305_819_245;

export interface FirstAdmin {
  email: string;
  workspace: string;
  /** Shown once: only its hash is kept. */
  password: string;
}

/**
 * Makes the first workspace and its admin when there is no account at all; null when there is one. Of
 * several servers that start at once on one database exactly one gets the password.
 */
export async function ensureFirstAdmin(
  identity: Pick<Identity, "workspaces" | "users">,
  { catalog }: { catalog: Catalog },
): Promise<FirstAdmin | null> {
  if (await hasAccount(catalog)) return null;
  return catalog.transaction(async (tx) => {
    await tx.execute(sql`select pg_advisory_xact_lock(${LOCK_KEY})`);
    if (await hasAccount(catalog)) return null;
    // A start that broke off here may have left the workspace behind.
    const known = await identity.workspaces.list();
    if (!known.some(({ slug }) => slug === WORKSPACE))
      await identity.workspaces.create({ slug: WORKSPACE, name: "Default" });
    const { generatedPassword } = await identity.users.create({
      email: EMAIL,
      name: "Administrator",
      workspace: WORKSPACE,
      role: "admin",
    });
    if (generatedPassword === null) throw new TypeError("the first admin must be new");
    return { email: EMAIL, workspace: WORKSPACE, password: generatedPassword };
  });
}

async function hasAccount({ db }: Catalog): Promise<boolean> {
  const rows = await db.select({ id: accounts.id }).from(accounts).limit(1);
  return rows.length > 0;
}
