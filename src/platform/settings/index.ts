import { isIP } from "node:net";
import { homedir } from "node:os";
import { resolve } from "node:path";
import { z } from "zod";
import { isTimeZone } from "../../kernel/time.ts";

/** Settings as slices, engines and surfaces declare their own; `app/config.ts` gathers and reads them. */

/** What a default may depend on. */
export interface Facts {
  port: number;
  /** Whether the process runs as root (never on Windows). */
  root: boolean;
  /** XDG_DATA_HOME when it is set, else ~/.local/share. */
  dataFolder: string;
}

/** One environment variable: how its text becomes a value, and everything the docs say about it. */
export interface Setting<T> {
  readonly name: string;
  readonly description: string;
  /** Completes the sentence "… but must be". */
  readonly allowed: string;
  readonly schema: z.ZodType<T, string>;
  readonly fallback: T | ((facts: Facts) => T);
  /** How the docs print the default. */
  readonly fallbackText: string;
  /** Never shown, in no error and no log. */
  readonly secret: boolean;
  /** Read and checked, but nothing uses it yet. */
  readonly reserved: boolean;
}

/** A setting whatever its type. */
// biome-ignore lint/suspicious/noExplicitAny: trees hold settings of every type, and each is read by its own schema.
export type AnySetting = Setting<any>;

export interface SettingTree {
  readonly [key: string]: AnySetting | SettingTree;
}

/** The values of such a tree, as whoever declared it is given them. */
export type ValuesOf<Tree> =
  Tree extends Setting<infer T> ? T : { readonly [Key in keyof Tree]: ValuesOf<Tree[Key]> };

interface About {
  secret?: true;
  reserved?: true;
}

/** A setting that is off unless it is set. */
function optional<T>(
  name: string,
  schema: z.ZodType<T, string>,
  allowed: string,
  description: string,
  about: About,
): Setting<T | null> {
  return setting<T | null>(name, schema, allowed, { value: null, text: "not set" }, description, about);
}

function setting<T>(
  name: string,
  schema: z.ZodType<T, string>,
  allowed: string,
  fallback: { value: T | ((facts: Facts) => T); text: string },
  description: string,
  about: About,
): Setting<T> {
  return {
    name,
    description,
    allowed,
    schema,
    fallback: fallback.value,
    fallbackText: fallback.text,
    secret: about.secret ?? false,
    reserved: about.reserved ?? false,
  };
}

export function integer(
  name: string,
  range: { default: number; min: number; max: number },
  description: string,
  about: About = {},
): Setting<number> {
  const schema = z.string().regex(/^\d+$/).transform(Number).pipe(z.int().min(range.min).max(range.max));
  const allowed = `a whole number from ${range.min} to ${range.max}`;
  return setting(
    name,
    schema,
    allowed,
    { value: range.default, text: `\`${range.default}\`` },
    description,
    about,
  );
}

const YES = ["true", "1", "yes", "on"];
const NO = ["false", "0", "no", "off"];

export function flag(
  name: string,
  fallback: boolean,
  description: string,
  about: About = {},
): Setting<boolean> {
  const schema = z
    .string()
    .toLowerCase()
    .pipe(z.enum([...YES, ...NO]))
    .transform((word) => YES.includes(word));
  return setting(
    name,
    schema,
    "`true` or `false`",
    { value: fallback, text: `\`${fallback}\`` },
    description,
    about,
  );
}

export function choice<const W extends string>(
  name: string,
  words: readonly W[],
  fallback: NoInfer<W>,
  description: string,
): Setting<W> {
  const allowed = `one of ${words.map((word) => `\`${word}\``).join(", ")}`;
  return setting(
    name,
    z.string().pipe(z.enum(words)),
    allowed,
    { value: fallback, text: `\`${fallback}\`` },
    description,
    {},
  );
}

export function text(name: string, description: string, about: About = {}): Setting<string | null> {
  return optional(name, z.string(), "a text", description, about);
}

export function secret(
  name: string,
  minimum: number,
  description: string,
  about: About = {},
): Setting<string | null> {
  const allowed = minimum > 1 ? `a secret of at least ${minimum} characters` : "a secret";
  return optional(name, z.string().min(minimum), allowed, description, { ...about, secret: true });
}

/** The address of a service; it may carry a password, so it is treated as a secret. */
export function serviceUrl(
  name: string,
  schemes: readonly string[],
  description: string,
  about: About = {},
): Setting<string | null> {
  const schema = z
    .string()
    .refine((value) => schemes.includes(parsedUrl(value)?.protocol.slice(0, -1) ?? ""));
  const allowed = `a URL that begins with ${schemes.map((scheme) => `\`${scheme}://\``).join(" or ")}`;
  return optional(name, schema, allowed, description, { ...about, secret: true });
}

/** A base to which paths are appended, so it comes out without a slash at the end. */
export function baseUrl(
  name: string,
  fallback: (facts: Facts) => string,
  fallbackText: string,
  description: string,
): Setting<string> {
  const schema = z
    .string()
    .refine(isBaseUrl)
    .transform((value) => new URL(value).href.replace(/\/+$/, ""));
  const allowed =
    "an absolute URL with http or https and without user, query or fragment, such as `https://kenning.example.com`";
  return setting(name, schema, allowed, { value: fallback, text: fallbackText }, description, {});
}

/** A path below which routes are mounted a second time; it comes out without a slash at the end. */
export function pathPrefix(name: string, description: string): Setting<string | null> {
  const schema = z
    .string()
    .regex(/^(\/[A-Za-z0-9._~-]+)+\/?$/)
    .transform((value) => value.replace(/\/$/, ""));
  return optional(name, schema, "a path such as `/api`", description, {});
}

// Nobody expands ~ in a .env file but us.
const folderPath = z.string().transform((value) => resolve(value.replace(/^~(?=\/|$)/, homedir())));

export function folder(
  name: string,
  fallback: (facts: Facts) => string,
  fallbackText: string,
  description: string,
): Setting<string> {
  return setting(name, folderPath, "a folder", { value: fallback, text: fallbackText }, description, {});
}

export function host(name: string, fallback: string, description: string): Setting<string> {
  const schema = z.string().refine((value) => isIP(value) !== 0 || isHostName(value));
  return setting(
    name,
    schema,
    "an IP address or a host name",
    { value: fallback, text: `\`${fallback}\`` },
    description,
    {},
  );
}

export function timeZone(name: string, fallback: string, description: string): Setting<string> {
  return setting(
    name,
    z.string().refine(isTimeZone),
    "a time zone such as `Europe/Berlin`",
    { value: fallback, text: `\`${fallback}\`` },
    description,
    {},
  );
}

export function list<T>(
  name: string,
  item: z.ZodType<T, string>,
  allowed: string,
  description: string,
): Setting<T[]> {
  const schema = z
    .string()
    .transform((value) =>
      value
        .split(",")
        .map((part) => part.trim())
        .filter((part) => part !== ""),
    )
    .pipe(z.array(item));
  return setting<T[]>(
    name,
    schema,
    `a list, separated by commas, of ${allowed}`,
    { value: [], text: "empty" },
    description,
    {},
  );
}

export function folders(name: string, description: string): Setting<string[]> {
  return list(name, folderPath, "folders such as `/srv/data`", description);
}

const LOOPBACK = ["127.0.0.0/8", "::1/128"];

/** Networks in CIDR form; `loopback` stands for both loopback networks. */
export function networks(name: string, description: string): Setting<string[]> {
  const item = z
    .string()
    .refine((value) => value === "loopback" || isNetwork(value))
    .transform((value) => (value === "loopback" ? LOOPBACK : [value]));
  const { schema, ...rest } = list(
    name,
    item,
    "IP addresses, networks such as `10.0.0.0/8`, or the word `loopback`",
    description,
  );
  return { ...rest, fallback: [], schema: schema.transform((parts) => parts.flat()) };
}

export function hosts(name: string, description: string): Setting<string[]> {
  const item = z.string().toLowerCase().refine(isHostWithPort);
  return list(name, item, "host names with or without a port, such as `kenning.example.com`", description);
}

export function origins(name: string, description: string): Setting<string[]> {
  const item = z
    .string()
    .refine((value) => isBaseUrl(value) && new URL(value).pathname === "/")
    .transform((value) => new URL(value).origin);
  return list(name, item, "origins such as `https://app.example.com`", description);
}

function parsedUrl(value: string): URL | null {
  return URL.canParse(value) ? new URL(value) : null;
}

function isBaseUrl(value: string): boolean {
  const url = parsedUrl(value);
  if (url === null || !["http:", "https:"].includes(url.protocol)) return false;
  return `${url.username}${url.password}${url.search}${url.hash}` === "";
}

function isNetwork(value: string): boolean {
  const [address = "", prefix, ...more] = value.split("/");
  const family = isIP(address);
  if (family === 0 || more.length > 0) return false;
  if (prefix === undefined) return true;
  return /^\d{1,3}$/.test(prefix) && Number(prefix) <= (family === 4 ? 32 : 128);
}

function isHostName(value: string): boolean {
  // A name made of digits and dots only is a mistyped address, not a name.
  return (
    /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/i.test(value) &&
    !/^[\d.]+$/.test(value)
  );
}

function isHostWithPort(value: string): boolean {
  const match = /^(?<name>\[[0-9a-f:.]+\]|[^:]+)(?::(?<port>\d{1,5}))?$/.exec(value);
  if (match?.groups === undefined) return false;
  const name = match.groups.name ?? "";
  const bare = name.startsWith("[") ? name.slice(1, -1) : name;
  return isIP(bare) !== 0 || isHostName(bare);
}
