import { expect, test } from "vitest";
import { LIMITS } from "../limits.ts";
import {
  DECOY_HASH,
  generatePassword,
  hashPassword,
  isOutdated,
  passwordFits,
  requireGoodPassword,
} from "./passwords.ts";

test("a password fits its own hash and no other", async () => {
  const hash = await hashPassword("correct horse battery staple");
  expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
  expect(await passwordFits("correct horse battery staple", hash)).toBe(true);
  expect(await passwordFits("correct horse battery stapl", hash)).toBe(false);
  expect(await passwordFits("", hash)).toBe(false);
  expect(await hashPassword("correct horse battery staple")).not.toBe(hash);
});

test("hashes of other argon2 programs, and of other costs, are read and known as outdated", async () => {
  // Made by argon2-cffi: PasswordHasher(time_cost=3, memory_cost=1024, parallelism=2).
  const cost = "$argon2id$v=19$m=1024,t=3,p=2";
  const { argon2Sync } = await import("node:crypto");
  const nonce = Buffer.from("somesaltsomesalt");
  const tag = argon2Sync("argon2id", {
    message: "opensesame",
    nonce,
    memory: 1024,
    passes: 3,
    parallelism: 2,
    tagLength: 32,
  });
  const text = (bytes: Buffer) => bytes.toString("base64").replace(/=+$/, "");
  const older = `${cost}$${text(nonce)}$${text(tag)}`;
  expect(await passwordFits("opensesame", older)).toBe(true);
  expect(isOutdated(older)).toBe(true);
  expect(isOutdated(await hashPassword("opensesame"))).toBe(false);
});

test("the same letters typed on another keyboard are the same password", async () => {
  const hash = await hashPassword("Zürich is lovely");
  expect(await passwordFits("Zu\u0308rich is lovely", hash)).toBe(true);
});

test("the decoy is hashed like a real one and fits nothing", async () => {
  expect(isOutdated(DECOY_HASH)).toBe(false);
  expect(await passwordFits("", DECOY_HASH)).toBe(false);
});

test("a damaged hash is a bug, not a wrong password", async () => {
  await expect(passwordFits("x", "$argon2id$v=19$m=99999999999,t=2,p=1$a$b")).rejects.toThrow(
    "cannot be read",
  );
});

test("more sign-ins than can wait are turned away, and the others are served", async () => {
  const { passwordHashesAtOnce, passwordHashesWaiting } = LIMITS.identity;
  const room = passwordHashesAtOnce + passwordHashesWaiting;
  const results = await Promise.allSettled(
    Array.from({ length: room + 5 }, () => hashPassword("correct horse")),
  );
  const failed = results.filter((result) => result.status === "rejected");
  expect(failed.map(({ reason }) => reason.code)).toEqual(Array(5).fill("rate_limited"));
  expect(await passwordFits("x", DECOY_HASH)).toBe(false);
});

test("generated passwords are readable, long and different", () => {
  const made = Array.from({ length: 200 }, generatePassword);
  expect(new Set(made).size).toBe(200);
  for (const password of made) {
    expect(password).toMatch(/^([a-hj-km-np-z2-9]{5}-){4}[a-hj-km-np-z2-9]{5}$/);
    requireGoodPassword(password, "ada@acme.test");
  }
});

test.for([
  ["", /at least 12/],
  ["eleven char", /at least 12/],
  ["🐘🐘🐘🐘🐘🐘", /at least 12/],
  ["x".repeat(257), /at most 256/],
  ["aaaaaaaaaaaa", /repeats/],
  ["ada.lovelace@acme.test", /e-mail/],
] as const)("%j is refused as a password", ([password, message]) => {
  expect(() => requireGoodPassword(password, "ada.lovelace@acme.test")).toThrow(message);
});
