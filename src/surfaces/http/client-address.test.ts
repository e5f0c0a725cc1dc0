import { expect, test } from "vitest";
import { ClientAddress } from "./client-address.ts";

const behindProxy = new ClientAddress(["10.0.0.0/8"]);

test.each([
  ["203.0.113.9", "203.0.113.9"],
  ["203.0.113.9:20001", "203.0.113.9"],
  ["[2001:db8::1]:443", "2001:db8::1"],
  ["[2001:db8::1]", "2001:db8::1"],
  ["2001:db8::1", "2001:db8::1"],
  ["198.51.100.1, 203.0.113.9:20001, 10.0.0.2:80", "203.0.113.9"],
])("a trusted proxy's %s is %s", (header, address) => {
  expect(behindProxy.of("10.0.0.1", header)).toBe(address);
});

test("nobody else is believed", () => {
  expect(behindProxy.of("192.0.2.1", "203.0.113.9")).toBe("192.0.2.1");
  expect(behindProxy.of("10.0.0.1", null)).toBe("10.0.0.1");
});
