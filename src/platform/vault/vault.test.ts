import { inspect } from "node:util";
import fc from "fast-check";
import { pino } from "pino";
import { describe, expect, it } from "vitest";
import { createVault, deriveKey, Secret } from "./index.ts";

const ROOT = "a-root-secret-of-at-least-32-characters";
const NEW_ROOT = "another-root-secret-of-32-characters-or-more";
const CONTEXT = "datasource:12:password";

function failureOf(work: () => unknown): { message: string; text: string; code: unknown } {
  try {
    work();
  } catch (error) {
    return {
      message: String(error),
      text: inspect(error, { depth: 9 }),
      code: (error as { code?: unknown }).code,
    };
  }
  throw new Error("it did not fail");
}

describe("vault", () => {
  const vault = createVault({ root: ROOT });

  it("opens what it sealed, any text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 200 }), fc.string(), (text, context) => {
        expect(vault.open(vault.seal(text, context), context).reveal()).toBe(text);
      }),
    );
  });

  it("shows nothing of the secret, and never the same text twice", () => {
    const sealed = vault.seal("hunter2-hunter2", CONTEXT);
    expect(sealed).toMatch(/^v1\.[\w-]{8}\.[\w-]+$/);
    expect(Buffer.from(sealed.split(".")[2]!, "base64url").includes("hunter2")).toBe(false);
    expect(vault.seal("hunter2-hunter2", CONTEXT)).not.toBe(sealed);
  });

  it("does not open in another context", () => {
    const sealed = vault.seal("hunter2", CONTEXT);
    expect(failureOf(() => vault.open(sealed, "datasource:13:password"))).toMatchObject({
      code: "unavailable",
    });
  });

  it("does not open when any bit was changed, and leaks nothing in the error", () => {
    const sealed = vault.seal("hunter2", CONTEXT);
    const [version, keyId, body] = sealed.split(".") as [string, string, string];
    const bytes = Buffer.from(body, "base64url");
    for (let bit = 0; bit < bytes.length * 8; bit += 1) {
      const changed = Buffer.from(bytes);
      changed[bit >> 3]! ^= 1 << (bit & 7);
      const failure = failureOf(() =>
        vault.open(`${version}.${keyId}.${changed.toString("base64url")}`, CONTEXT),
      );
      expect(failure.code).toBe("unavailable");
      expect(failure.text).not.toContain("hunter2");
    }
  });

  it.each([
    "",
    "hunter2",
    "v1.aaaaaaaa.",
    "v1.aaaaaaaa.AAAA",
    "v2.aaaaaaaa.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
  ])("refuses %j without repeating it", (text) => {
    const failure = failureOf(() => vault.open(text, CONTEXT));
    expect(failure.code).toBe("unavailable");
    expect(failure.text).not.toContain("hunter2");
  });

  it("does not open what was sealed with another root", () => {
    const other = createVault({ root: NEW_ROOT }).seal("hunter2", CONTEXT);
    expect(failureOf(() => vault.open(other, CONTEXT)).message).toMatch(/another root secret/);
  });

  it("bounds a secret", () => {
    expect(failureOf(() => vault.seal("x".repeat(70_000), CONTEXT)).code).toBe("too_large");
  });
});

describe("deriveKey", () => {
  it("gives each purpose its own key, and always the same one", () => {
    expect(deriveKey(ROOT, "cookies")).toEqual(deriveKey(ROOT, "cookies"));
    expect(deriveKey(ROOT, "cookies")).toHaveLength(32);
    expect(deriveKey(ROOT, "cookies", 64)).toHaveLength(64);
    expect(deriveKey(ROOT, "cookies")).not.toEqual(deriveKey(ROOT, "downloads"));
    expect(deriveKey(ROOT, "cookies")).not.toEqual(deriveKey(NEW_ROOT, "cookies"));
  });

  it("refuses a short root without repeating it", () => {
    const failure = failureOf(() => deriveKey("too-short-root", "cookies"));
    expect(failure.message).toMatch(/at least 32 characters/);
    expect(failure.text).not.toContain("too-short-root");
  });

  it("stays what it was, or every stored secret is lost", () => {
    expect(deriveKey("0123456789abcdef0123456789abcdef", "pinned").toString("hex")).toBe(
      "5514fc87aed52acf2b758c6e3912a3d64fb235c8de969c934413ef46808ce5e3",
    );
  });
});

describe("Secret", () => {
  it("shows itself only when asked", () => {
    const secret = new Secret("hunter2");
    const logged: string[] = [];
    pino({}, { write: (line: string) => logged.push(line) }).info({
      secret,
      nested: { password: secret },
    });
    const shown = [
      String(secret),
      `${secret}`,
      JSON.stringify({ secret }),
      inspect({ secret }, { showHidden: true, depth: 9 }),
      JSON.stringify(structuredClone({ secret })),
      logged.join(),
      Object.entries(secret).join(),
    ];
    for (const text of shown) expect(text).not.toContain("hunter2");
    expect(shown[2]).toBe('{"secret":"[secret]"}');
    expect(secret.reveal()).toBe("hunter2");
  });
});
