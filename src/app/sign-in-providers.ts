import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { parse } from "yaml";
import { z } from "zod";
import { AppError, messageOf } from "../kernel/errors.ts";
import { ROLES } from "../kernel/permissions.ts";
import {
  GOOGLE_ISSUER,
  type IdentityProviderSettings,
  isLoopback,
} from "../surfaces/oauth/identity-provider.ts";
import type { Config } from "./config.ts";

const role = z.enum(ROLES);
const domain = z
  .string()
  .toLowerCase()
  .regex(/^[a-z0-9-]+(\.[a-z0-9-]+)*$/, "must be a domain such as example.org");

const providerShape = z.strictObject({
  id: z.string().regex(/^[a-z][a-z0-9-]{0,31}$/, "must be a short word in lower case"),
  name: z.string().min(1).max(60),
  issuer: z.url({ protocol: /^https?$/ }),
  client_id: z.string().min(1),
  client_secret: z.string().min(1).optional(),
  client_secret_env: z.string().min(1).optional(),
  client_secret_file: z.string().min(1).optional(),
  scope: z.string().min(1).default("openid email profile"),
  domains: z.union([z.literal("any"), z.array(domain).min(1)]),
  trust_email: z.boolean().default(false),
  join: z.strictObject({ workspace: z.string().min(1), role: role.default("viewer") }).optional(),
  groups_claim: z.string().min(1).optional(),
  roles: z.record(z.string(), role).optional(),
  attributes: z.record(z.string(), z.string()).default({}),
});

const fileShape = z.strictObject({ providers: z.array(providerShape).min(1).max(20) });

type Entry = z.output<typeof providerShape>;
type Env = NodeJS.ProcessEnv;

/** The identity providers that people sign in with: those of the operator's file, and Google by its two settings. */
export function signInProviders({ security }: Config, env: Env = process.env): IdentityProviderSettings[] {
  const { signInFile: file, googleClientId, googleClientSecret } = security;
  const providers = file === null ? [] : readProviders(file, env);
  if (googleClientId !== null || googleClientSecret !== null) {
    if (googleClientId === null || googleClientSecret === null)
      throw new AppError(
        "bad_request",
        "GOOGLE_CLIENT_ID and GOOGLE_CLIENT_SECRET belong together; one is missing.",
      );
    providers.push({
      id: "google",
      name: "Google",
      issuer: GOOGLE_ISSUER,
      clientId: googleClientId,
      clientSecret: googleClientSecret,
      scope: "openid email profile",
      domains: "any",
      trustsEmail: false,
      attributes: {},
    });
  }
  const twice = providers.find(({ id }, at) => providers.some((other, i) => i < at && other.id === id));
  if (twice !== undefined)
    throw new AppError("bad_request", `Two identity providers have the id "${twice.id}".`, {
      hint: "Give each an id of its own; `google` is the one of GOOGLE_CLIENT_ID.",
    });
  return providers;
}

function readProviders(file: string, env: Env): IdentityProviderSettings[] {
  const where = `KENNING_SIGN_IN_FILE (${file})`;
  let content: unknown;
  try {
    content = parse(readFileSync(file, "utf8"));
  } catch (cause) {
    throw new AppError("bad_request", `${where} cannot be read: ${messageOf(cause)}`, { cause });
  }
  const parsed = fileShape.safeParse(content);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new AppError("bad_request", `${where}: ${issue?.path.join(".") || "the file"}: ${issue?.message}.`);
  }
  return parsed.data.providers.map((entry) => {
    const refuse = (problem: string): never => {
      throw new AppError("bad_request", `${where}: provider "${entry.id}": ${problem}`);
    };
    checkEntry(entry, refuse);
    return settingsOf(
      entry,
      secretOf(entry, dirname(resolve(file)), env) ??
        refuse("it needs its client_secret, or the client_secret_env or client_secret_file to read it from."),
    );
  });
}

/** These let in people of every company, so that an address alone says whom to trust. */
const OPEN_TO_ALL =
  /^https:\/\/(accounts\.google\.com|login\.microsoftonline\.com\/(common|organizations|consumers))(\/|$)/;

function checkEntry(entry: Entry, refuse: (problem: string) => never): void {
  const issuer = new URL(entry.issuer);
  if (issuer.protocol !== "https:" && !isLoopback(issuer)) refuse("its issuer must be reached by https.");
  if (OPEN_TO_ALL.test(entry.issuer) && (entry.domains === "any" || entry.trust_email))
    refuse("everybody has an account there: name the domains, and leave trust_email out.");
  const ofMembers = entry.groups_claim ?? entry.roles ?? Object.keys(entry.attributes)[0];
  if (ofMembers !== undefined && entry.join === undefined)
    refuse("groups, roles and attributes are those of a workspace: say which under join.");
  if (entry.roles !== undefined && entry.groups_claim === undefined)
    refuse("roles are given by group: name the groups_claim.");
}

function secretOf(entry: Entry, folder: string, env: Env): string | undefined {
  const { client_secret: plain, client_secret_env: name, client_secret_file: file } = entry;
  if (plain !== undefined) return plain;
  if (name !== undefined) return env[name]?.trim() || undefined;
  return file === undefined ? undefined : readFileSync(resolve(folder, file), "utf8").trim() || undefined;
}

function settingsOf(entry: Entry, clientSecret: string): IdentityProviderSettings {
  const { id, name, client_id, scope, domains, trust_email, join, groups_claim, roles, attributes } = entry;
  return {
    ...{ id, name, clientId: client_id, clientSecret, scope, domains, trustsEmail: trust_email, attributes },
    issuer: entry.issuer,
    ...(join !== undefined && { join }),
    ...(groups_claim !== undefined && { groupsClaim: groups_claim }),
    ...(roles !== undefined && { roles }),
  };
}
