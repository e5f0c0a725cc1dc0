import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hasRedis, startRedis, type TestRedis } from "../../../test/support/redis.ts";
import { describeSharedState } from "../../../test/support/shared-state.ts";
import { createRateLimits } from "./rate-limits.ts";
import { createRedisState } from "./redis-state.ts";

const log = { warn() {} } as never;

describe.skipIf(!hasRedis())("with a Redis server (Debian's package redis-server)", () => {
  let redis: TestRedis;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis.stop());

  describeSharedState("Redis", async () => createRedisState({ url: redis.url, log }));

  it("is shared by those who name the same server", async () => {
    const [one, other] = [
      createRedisState({ url: redis.url, log }),
      createRedisState({ url: redis.url, log }),
    ];
    await one.kv.set("shared:a", { n: 1 }, 60_000);
    expect(await other.kv.get("shared:a")).toEqual({ n: 1 });
    const rule = { points: 1, windowMs: 60_000 };
    expect((await one.limiter("both", rule).consume("anna")).allowed).toBe(true);
    expect((await other.limiter("both", rule).consume("anna")).allowed).toBe(false);
    await one.close();
    await other.close();
  });

  it("is told to be unavailable while the server is away, and works again when it is back", async () => {
    const own = await startRedis();
    const port = Number(new URL(own.url).port);
    const state = createRedisState({ url: own.url, log });
    const limits = createRateLimits(state, { calls: { points: 9, windowMs: 60_000, per: ["user"] } });
    await limits.take(["calls"], { user: "1" });
    await own.stop();
    const refused = { code: "unavailable", data: { reason: "rate_limit" } };
    await expect(limits.take(["calls"], { user: "1" })).rejects.toMatchObject(refused);
    await expect(state.kv.get("a:b")).rejects.toMatchObject({ code: "unavailable" });
    await expect(state.ping()).rejects.toMatchObject({ code: "unavailable" });
    const again = await startRedis(port);
    await expect
      .poll(
        () =>
          state.ping().then(
            () => "there",
            () => "away",
          ),
        { timeout: 20_000 },
      )
      .toBe("there");
    await limits.take(["calls"], { user: "1" });
    await state.close();
    await again.stop();
  });
});
