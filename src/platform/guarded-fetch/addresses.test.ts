import { describe, expect, it } from "vitest";
import { client, names, serve } from "../../../test/support/web-servers.ts";
import { createGuardedFetch, type Resolve } from "./index.ts";

describe("addresses", () => {
  it.each([
    "http://127.0.0.1:8080/",
    "http://localhost:8080/",
    "http://2130706433:8080/",
    "http://0x7f000001:8080/",
    "http://0x7f.1:8080/",
    "http://0177.0.0.1:8080/",
    "http://127.1:8080/",
    "http://127。0。0。1:8080/",
    "http://①②⑦.⓪.⓪.①:8080/",
    "http://%31%32%37.0.0.1:8080/",
    "http://0:8080/",
    "http://0.0.0.0:8080/",
    "http://[::]:8080/",
    "http://[::1]:8080/",
    "http://[::ffff:127.0.0.1]:8080/",
    "http://[::ffff:8.8.8.8]:8080/",
    "http://[::127.0.0.1]:8080/",
    "http://[64:ff9b::7f00:1]:8080/",
    "http://[2002:7f00:1::]:8080/",
    "http://[fe80::1]:8080/",
    "http://[fd00:ec2::254]/latest/meta-data",
    "http://10.1.2.3/",
    "http://172.16.0.1/",
    "http://192.168.0.1/",
    "http://100.64.0.1/",
    "http://169.254.169.254/latest/meta-data",
    "http://168.63.129.16/",
    "http://224.0.0.1/",
    "http://255.255.255.255/",
    "https://10.1.2.3/",
  ])("refuses %s", async (url) => {
    const failure = await client()
      .request(url, { totalMs: 5_000 })
      .catch((error: unknown) => error);
    const refusal = { code: "forbidden", message: expect.stringContaining("public address") };
    expect(failure).toMatchObject(refusal);
    await expect(client().check(url)).rejects.toMatchObject(refusal);
  });

  it("checks without a request, and leaves open what is not found now", async () => {
    const port = await serve((_, response) => response.end());
    const asked = client({
      allow: [`127.0.0.1:${port}`],
      resolve: async (host) => {
        if (host === "nowhere.example") throw new Error("ENOTFOUND");
        return [{ address: host === "in.example" ? "10.0.0.1" : "93.184.216.34", family: 4 }];
      },
    });
    await asked.check(`http://127.0.0.1:${port}/`);
    await asked.check("https://out.example/");
    await asked.check("https://nowhere.example/");
    await expect(asked.check("https://in.example/")).rejects.toMatchObject({ code: "forbidden" });
    await expect(asked.check("ftp://out.example/")).rejects.toMatchObject({ code: "bad_request" });
  });

  it.each([
    ["file:///etc/passwd", "bad_request"],
    ["ftp://example.com/", "bad_request"],
    ["data:text/plain,x", "bad_request"],
    ["gopher://example.com/", "bad_request"],
    ["javascript:1", "bad_request"],
    ["/relative", "bad_request"],
    ["http://", "bad_request"],
    ["http://[fe80::1%25eth0]/", "bad_request"],
    ["http://user:password@example.com/", "bad_request"],
    ["http://user@example.com/", "bad_request"],
    [`http://example.com/${"a".repeat(5_000)}`, "bad_request"],
    ["http://example.com:25/", "forbidden"],
    ["http://example.com:22/", "forbidden"],
    ["http://example.com:6667/", "forbidden"],
    ["http://example.com:0/", "forbidden"],
  ])("refuses %s as %s before any look-up", async (url, code) => {
    const resolve: Resolve = () => expect.unreachable("looked up");
    await expect(client({ resolve }).request(url)).rejects.toMatchObject({ code });
  });

  it("checks every address a name resolves to, and uses only those that may be reached", async () => {
    const port = await serve((_, response) => response.end("here"));
    const fetcher = client({
      allow: ["127.0.0.1"],
      resolve: names({
        "mixed.test": ["10.0.0.1", "::1", "169.254.169.254", "127.0.0.1"],
        "private.test": ["10.0.0.1", "fd00::1"],
        "nowhere.test": [],
      }),
    });
    expect((await fetcher.request(`http://mixed.test:${port}/`)).body.toString()).toBe("here");
    await expect(fetcher.request(`http://private.test:${port}/`)).rejects.toMatchObject({
      code: "forbidden",
    });
    await expect(fetcher.request(`http://nowhere.test:${port}/`)).rejects.toMatchObject({
      code: "unavailable",
    });
    await expect(fetcher.request(`http://unknown.test:${port}/`)).rejects.toMatchObject({
      code: "unavailable",
      message: "unknown.test was not found.",
      data: { retryable: false },
    });
  });

  it("is not fooled by a name that answers differently the second time", async () => {
    let hits = 0;
    const port = await serve((_, response) => {
      hits += 1;
      response.setHeader("connection", "close").end("here");
    });
    let lookups = 0;
    const answers = ["127.0.0.1", "127.0.0.2", "169.254.169.254"];
    const resolve: Resolve = async () => [{ address: answers[lookups++] ?? "10.0.0.1", family: 4 }];
    const fetcher = client({ allow: ["127.0.0.1"], resolve });
    await fetcher.request(`http://rebind.test:${port}/`);
    expect(lookups).toBe(1);
    await expect(fetcher.request(`http://rebind.test:${port}/`)).rejects.toMatchObject({ code: "forbidden" });
    await expect(fetcher.request(`http://rebind.test:${port}/`)).rejects.toMatchObject({ code: "forbidden" });
    expect(lookups).toBe(3);
    expect(hits).toBe(1);
  });

  it("does not say where a name leads", async () => {
    const fetcher = client({ resolve: names({ "intranet.test": "10.11.12.13" }) });
    const failure = await fetcher.request("http://intranet.test/").catch((error: Error) => error);
    expect(JSON.stringify([failure, String(failure)])).not.toContain("10.11.12.13");
  });

  it("lets the operator allow a server by name and port, and nothing beside it", async () => {
    const port = await serve((_, response) => response.end("here"));
    const other = await serve((_, response) => response.end("other"));
    const resolve = names({ "files.internal": "127.0.0.1", "evil.test": "127.0.0.1" });
    const fetcher = client({ allow: [`files.internal:${port}`], resolve });
    expect((await fetcher.request(`http://FILES.internal:${port}/`)).body.toString()).toBe("here");
    for (const url of [
      `http://files.internal:${other}/`,
      `http://evil.test:${port}/`,
      `http://127.0.0.1:${port}/`,
    ]) {
      await expect(fetcher.request(url), url).rejects.toMatchObject({ code: "forbidden" });
    }
  });

  it("lets the operator allow a server by name alone: on every port but those of other protocols", async () => {
    const ports = [await serve((_, response) => response.end("a")), await serve((_, r) => r.end("b"))];
    const resolve = names({ "files.internal": "127.0.0.1", "evil.test": "127.0.0.1" });
    const fetcher = client({ allow: ["files.internal"], resolve });
    const bodies = ports.map(async (port) => (await fetcher.request(`http://files.internal:${port}/`)).body);
    expect(String(await Promise.all(bodies))).toBe("a,b");
    for (const url of ["http://files.internal:25/", `http://evil.test:${ports[0]}/`]) {
      await expect(fetcher.request(url), url).rejects.toMatchObject({ code: "forbidden" });
    }
  });

  it("keeps metadata services closed inside an allowed block", async () => {
    const fetcher = client({ allow: ["169.254.0.0/16", "0.0.0.0/0"] });
    await expect(fetcher.request("http://169.254.169.254/")).rejects.toMatchObject({ code: "forbidden" });
  });

  it.each(["1.2.3.4.5", "10.0.0.0/40", "host:99999", "host:0", "", "http://a:1"])(
    "does not take %j as allowed",
    (entry) => {
      expect(() => createGuardedFetch({ allow: [entry] })).toThrow(/neither an address/);
    },
  );
});
