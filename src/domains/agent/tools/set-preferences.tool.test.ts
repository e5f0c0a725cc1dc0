import { expect, it } from "vitest";
import { resultOf } from "../../../../test/support/datasets.ts";
import { refusalsOf } from "../../../../test/support/models.ts";
import { serverOfFile } from "../../../../test/support/server.ts";

const server = await serverOfFile();
const token = await server.token({ role: "contributor" });

const set = (args: Record<string, unknown>) => resultOf(server, token, "set_preferences", args);

it("changes what is named, takes back what is to be cleared, and gives all", async () => {
  const wish = { default_time_period: "last_30_days", week_start: "sunday" };
  expect(await set(wish)).toEqual({
    preferences: { defaultTimePeriod: "last_30_days", weekStart: "sunday" },
  });
  expect(await set({ clear: ["week_start"], high_value_threshold: 5 })).toEqual({
    preferences: { defaultTimePeriod: "last_30_days", highValueThreshold: 5 },
  });
  expect(await set({})).toEqual({
    preferences: { defaultTimePeriod: "last_30_days", highValueThreshold: 5 },
  });
});

it("says what is wrong", async () => {
  await expect(set({ clear: ["weekstart"] })).rejects.toThrow(
    /no preference weekstart.*default_time_period/s,
  );
  await expect(set({ time_zone: "Moon" })).rejects.toThrow(/time zone by its name/);
  await expect(set({ theme: "dark" })).rejects.toThrow(/theme/);
});

it("is for those who may ask", async () => {
  const viewer = await server.token({ role: "viewer" });
  const refused = await refusalsOf(server, viewer, "set_preferences", { week_start: "sunday" });
  expect(refused).toMatchObject({ anonymous: 401, wrong: expect.stringMatching(/data_agent:write/) });
});
