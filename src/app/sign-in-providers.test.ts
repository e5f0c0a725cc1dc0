import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loadConfig } from "./config.ts";
import { signInProviders } from "./sign-in-providers.ts";

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "kenning-providers-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const GOOD = {
  id: "company",
  name: "Acme",
  issuer: "https://login.acme.example",
  client_id: "kenning",
  client_secret: "s",
  domains: ["Acme.example"],
};

function read(content: unknown, env: Record<string, string> = {}) {
  const file = join(folder, "sign-in.yaml");
  writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content));
  const settings = { KENNING_SIGN_IN_FILE: file, ...env };
  return signInProviders(loadConfig({ env: settings, cwd: folder }), settings);
}

const one = (change: object, env?: Record<string, string>) =>
  read({ providers: [{ ...GOOD, ...change }] }, env);

describe("the file of identity providers", () => {
  it("is read with its secrets, from where it says", () => {
    writeFileSync(join(folder, "hidden"), " from a file \n");
    const { client_secret: _, ...bare } = GOOD;
    const entries = [
      { ...bare, id: "a", client_secret_file: "hidden" },
      { ...bare, id: "b", client_secret_env: "HIDDEN" },
    ];
    const found = read({ providers: entries }, { HIDDEN: "from the environment" });
    expect(found.map(({ clientSecret }) => clientSecret)).toEqual(["from a file", "from the environment"]);
    expect(found[0]?.domains).toEqual(["acme.example"]);
  });

  it("has Google beside it by two settings, which belong together", () => {
    const google = { GOOGLE_CLIENT_ID: "id", GOOGLE_CLIENT_SECRET: "s" };
    expect(one({}, google).map(({ id }) => id)).toEqual(["company", "google"]);
    expect(() => one({}, { GOOGLE_CLIENT_ID: "id" })).toThrow("belong together");
    expect(() => one({ id: "google" }, google)).toThrow('Two identity providers have the id "google"');
  });

  it.each<[string, object, string]>([
    ["no secret", { client_secret: undefined }, "it needs its client_secret"],
    [
      "an empty variable",
      { client_secret: undefined, client_secret_env: "NO_SUCH" },
      "it needs its client_secret",
    ],
    ["no domains", { domains: undefined }, "providers.0.domains"],
    ["a mistyped word", { domain: ["x"] }, "Unrecognized key"],
    ["a role that there is not", { join: { workspace: "acme", role: "boss" } }, "providers.0.join.role"],
    ["plain http", { issuer: "http://login.acme.example" }, "must be reached by https"],
    [
      "all of Google",
      { issuer: "https://accounts.google.com", domains: "any" },
      "everybody has an account there",
    ],
    [
      "all of Microsoft, unverified",
      { issuer: "https://login.microsoftonline.com/common/v2.0", trust_email: true },
      "everybody has an account there",
    ],
    ["groups of no workspace", { groups_claim: "groups" }, "say which under join"],
    [
      "roles without groups",
      { join: { workspace: "acme" }, roles: { chiefs: "admin" } },
      "name the groups_claim",
    ],
  ])("with %s is refused, and says where", (_, change, message) => {
    expect(() => one(change)).toThrow(message);
  });

  it("that cannot be read says so", () => {
    expect(() => read("providers: [")).toThrow("cannot be read");
    expect(() => read("")).toThrow("the file");
  });
});
