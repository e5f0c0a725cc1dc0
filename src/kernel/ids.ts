import { randomBytes, randomUUID } from "node:crypto";

/** A random, URL-safe text of `bytes` bytes of entropy (32 bytes make 43 characters). */
export function randomText(bytes: number): string {
  return randomBytes(bytes).toString("base64url");
}

export function newUuid(): string {
  return randomUUID();
}
