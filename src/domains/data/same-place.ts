import { realpath, stat } from "node:fs/promises";
import { resolve } from "node:path";

type Settings = Record<string, unknown>;

/**
 * Whether two datasources connect to the same place, as far as their settings tell: the same file, a database of the
 * same name on the same server, or web addresses of which one lies below the other.
 */
export async function isSamePlace(one: Settings, other: Settings): Promise<boolean> {
  if (typeof one.path === "string" && typeof other.path === "string") return isSameFile(one.path, other.path);
  if (typeof one.url === "string" && typeof other.url === "string") return isSameSite(one.url, other.url);
  if (typeof one.host !== "string" || typeof other.host !== "string") return false;
  // Without a database the login may reach all that the server has.
  const isSameDatabase =
    one.database === undefined || other.database === undefined || one.database === other.database;
  return hostOf(one.host) === hostOf(other.host) && one.port === other.port && isSameDatabase;
}

/** By what the file system says it is, so that no link is another file. */
async function isSameFile(one: string, other: string): Promise<boolean> {
  const [a, b] = await Promise.all([one, other].map((path) => stat(path).catch(() => undefined)));
  if (a !== undefined && b !== undefined) return a.dev === b.dev && a.ino === b.ino;
  const [from, to] = await Promise.all([one, other].map((path) => realpath(path).catch(() => resolve(path))));
  return from === to;
}

/** Queries go to what lies below an address, so either may hold the other. */
function isSameSite(one: string, other: string): boolean {
  const [a, b] = [URL.parse(one), URL.parse(other)];
  if (a === null || b === null) return false;
  const [from, to] = [pathOf(a), pathOf(b)];
  const isSameServer = hostOf(a.hostname) === hostOf(b.hostname) && a.port === b.port;
  return isSameServer && (from.startsWith(to) || to.startsWith(from));
}

function pathOf({ pathname }: URL): string {
  const plain = pathname.replace(/%[0-9a-f]{2}/gi, (code) =>
    String.fromCharCode(parseInt(code.slice(1), 16)),
  );
  return `${plain}/`.replace(/\/+/g, "/");
}

function hostOf(name: string): string {
  return name.toLowerCase().replace(/\.$/, "");
}
