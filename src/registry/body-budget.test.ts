import { expect, it } from "vitest";
import { LIMITS } from "../kernel/limits.ts";
import { BodyBudget } from "./body-budget.ts";

const { bytesInFlight, bytesInFlightPerToken, bytesInFlightPerWorkspace } = LIMITS.request;
const owner = (tokenHash: string, workspaceId = 1) => ({ tokenHash, workspaceId });

it("bounds what a token, a workspace and all together hold, and takes it back", () => {
  const budget = new BodyBudget();
  const own = budget.open(owner("a"));
  const letGo = own.hold();
  own.grow(bytesInFlightPerToken);
  const more = budget.open(owner("a"));
  expect(() => more.grow(1)).toThrow("Requests of this token hold more than 48 MB at once.");
  budget.open(owner("b")).grow(bytesInFlightPerWorkspace - bytesInFlightPerToken);
  expect(() => budget.open(owner("c")).grow(1)).toThrow("Requests of this workspace hold more than 64 MB");
  expect(bytesInFlightPerWorkspace).toBeLessThanOrEqual(bytesInFlight / 4);
  const leases = Array.from({ length: 20 }, (_, i) => budget.open(owner(`d${i}`, 100 + i)));
  const fill = () => {
    for (const lease of leases) lease.grow(bytesInFlight / 16);
  };
  expect(fill).toThrow("The server has too many large requests");
  letGo();
  budget.open(owner("a")).grow(bytesInFlightPerToken);
});

it("keeps what is held by several until the last has let go, and nothing of what was refused", () => {
  const budget = new BodyBudget();
  const lease = budget.open(owner("a"));
  const [answer, call] = [lease.hold(), lease.hold()];
  lease.grow(bytesInFlightPerToken);
  answer();
  answer();
  expect(() => budget.open(owner("a")).grow(1)).toThrow("48 MB");
  call();
  const all = budget.open(owner("a"));
  const letGoOfAll = all.hold();
  all.grow(bytesInFlightPerToken);
  // The request is in memory all the same.
  expect(() => lease.hold()).toThrow("48 MB");
  letGoOfAll();
  const again = lease.hold();
  expect(() => budget.open(owner("a")).grow(1)).toThrow("48 MB");
  again();
  const refused = budget.open(owner("a"));
  refused.grow(bytesInFlightPerToken - 1);
  expect(() => refused.grow(2)).toThrow("48 MB");
  budget.open(owner("a")).grow(bytesInFlightPerToken);
});
