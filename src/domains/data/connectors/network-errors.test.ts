import { expect, it } from "vitest";
import { networkError } from "./guarded-socket.ts";

it.each([
  ["ENOTFOUND", false],
  ["EAI_AGAIN", true],
  ["ETIMEDOUT", true],
  ["ECONNREFUSED", true],
  ["ECONNRESET", true],
  ["DEPTH_ZERO_SELF_SIGNED_CERT", false],
  ["CERT_HAS_EXPIRED", false],
])("%s may pass by itself: %s", (code, retryable) => {
  const error = networkError(Object.assign(new Error("x"), { code }), "db.test:5432");
  expect(error?.code).toBe("unavailable");
  expect(error?.data).toEqual(retryable ? {} : { retryable: false });
});

it("leaves what is not about the connection alone", () => {
  expect(networkError(new Error("x"), "db.test:5432")).toBeUndefined();
});
