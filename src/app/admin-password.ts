import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { FirstAdmin } from "../domains/identity/index.ts";

/** Where the owner of the data folder finds the first password, as long as it is good; null afterwards. */
export function firstPasswordFile(home: string): string | null {
  return read(home) === null ? null : fileIn(home);
}

export function keepFirstPassword(home: string, { email, password }: FirstAdmin): void {
  const file = fileIn(home);
  const advice = `Change it with: kenning user set-password ${email}`;
  mkdirSync(home, { recursive: true, mode: 0o700 });
  writeFileSync(file, `E-mail    ${email}\nPassword  ${password}\n\n${advice}\n`, {
    mode: 0o600,
    flush: true,
  });
  // The mode above holds for a new file only.
  chmodSync(file, 0o600);
}

/** A first password that has been changed is of no use, and only misleads. */
export function forgetFirstPassword(home: string, email: string): void {
  if (read(home)?.startsWith(`E-mail    ${email.trim().toLowerCase()}\n`)) rmSync(fileIn(home));
}

function fileIn(home: string): string {
  return join(home, "admin-password.txt");
}

function read(home: string): string | null {
  try {
    return readFileSync(fileIn(home), "utf8");
  } catch {
    return null;
  }
}
