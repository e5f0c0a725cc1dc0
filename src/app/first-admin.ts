import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { generatePassword, type Identity } from "../domains/identity/index.ts";
import { isAppError } from "../kernel/errors.ts";

/** The account with which a new installation is first entered. */
export interface FirstAdmin {
  email: string;
  password: string;
  workspace: string;
  /** Where the password can be read again by the owner of the data folder. */
  file: string;
}

const EMAIL = "admin@localhost";
const WORKSPACE = "default";

/** Makes an admin when there is no account at all, else null. */
export async function ensureFirstAdmin(identity: Identity, home: string): Promise<FirstAdmin | null> {
  const { users } = identity;
  if ((await users.list()).length > 0) return null;
  const workspace = await ensureWorkspace(identity);
  const password = generatePassword();
  const file = passwordFile(home);
  // The file comes first: a crash between the two leaves a useless file, not an account that nobody can enter.
  writePassword(file, password);
  try {
    await users.create({ email: EMAIL, name: "Administrator", workspace, role: "admin", password });
  } catch (error) {
    if (!isAppError(error) || error.code !== "conflict") throw error;
  }
  // Another server may have made it at the same time, and then its password counts.
  if ((await users.verifyPassword(EMAIL, password)) !== null)
    return { email: EMAIL, password, workspace, file };
  if (readFileSync(file, "utf8").includes(password)) rmSync(file);
  return null;
}

async function ensureWorkspace({ workspaces }: Identity): Promise<string> {
  const [first] = await workspaces.list();
  if (first !== undefined) return first.slug;
  try {
    return (await workspaces.create({ slug: WORKSPACE, name: "Default" })).slug;
  } catch (error) {
    if (isAppError(error) && error.code === "conflict") return WORKSPACE;
    throw error;
  }
}

/** The first password is of no use once it is changed, and then only misleads. */
export function forgetFirstPassword(home: string, email: string): void {
  if (email.trim().toLowerCase() === EMAIL) rmSync(passwordFile(home), { force: true });
}

/** Where the first password is, as long as it is good. */
export function passwordFile(home: string): string {
  return join(home, "admin-password.txt");
}

function writePassword(file: string, password: string): void {
  mkdirSync(join(file, ".."), { recursive: true, mode: 0o700 });
  writeFileSync(
    file,
    `E-mail    ${EMAIL}\nPassword  ${password}\n\nChange it with: kenning user set-password ${EMAIL}\n`,
    {
      mode: 0o600,
      flush: true,
    },
  );
  // The mode above holds for a new file only.
  chmodSync(file, 0o600);
}
