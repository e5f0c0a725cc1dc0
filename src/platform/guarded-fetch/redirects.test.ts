import type { RequestListener } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { buffer } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { client, listen, names, serve, TEST_CERT, TEST_KEY } from "../../../test/support/web-servers.ts";

describe("redirects", () => {
  it("refuses to be led inside", async () => {
    let secretHits = 0;
    const secret = await serve((_, response) => {
      secretHits += 1;
      response.end("secret");
    });
    const targets = [
      `http://127.0.0.1:${secret}/`,
      `http://localhost:${secret}/`,
      `http://[::ffff:7f00:1]:${secret}/`,
      `http://2130706433:${secret}/`,
      `http://inside.test:${secret}/`,
      `//127.0.0.1:${secret}/`,
      "http://169.254.169.254/latest/meta-data",
      "file:///etc/passwd",
      `http://a:b@public.test:${secret}/`,
      "http://public.test:25/",
      "http://[",
    ];
    const port = await serve((request, response) => {
      response.writeHead(302, { location: targets[Number(request.url!.slice(1))] }).end("body");
    });
    const resolve = names({ "public.test": "127.0.0.1", "inside.test": "127.0.0.1", localhost: "127.0.0.1" });
    const fetcher = client({ allow: [`public.test:${port}`], resolve });
    for (const [index, target] of targets.entries()) {
      const failure = await fetcher
        .request(`http://public.test:${port}/${index}`)
        .catch((error: unknown) => error);
      expect(failure, target).toMatchObject({
        name: "AppError",
        code: expect.stringMatching(/^(forbidden|bad_request)$/),
      });
    }
    expect(secretHits).toBe(0);
  });

  it("follows five and not six, resolving relative targets", async () => {
    const port = await serve((request, response) => {
      const [, left] = request.url!.split("/");
      if (left === "0") response.end("arrived");
      else response.writeHead(307, { location: `../${Number(left) - 1}/x` }).end();
    });
    const fetcher = client({ allow: ["127.0.0.1"] });
    const answer = await fetcher.request(`http://127.0.0.1:${port}/5/x`);
    expect(answer).toMatchObject({ status: 200, url: `http://127.0.0.1:${port}/0/x` });
    await expect(fetcher.request(`http://127.0.0.1:${port}/6/x`)).rejects.toMatchObject({
      code: "unavailable",
    });
    await expect(fetcher.request(`http://127.0.0.1:${port}/1/x`, { maxRedirects: 0 })).rejects.toMatchObject({
      code: "unavailable",
    });
  });

  it("keeps credentials on one origin and takes them off on the way to another", async () => {
    const seen: Record<string, unknown>[] = [];
    const second = await serve((request, response) => {
      seen.push(request.headers);
      response.end("second");
    });
    const first = await serve((request, response) => {
      seen.push(request.headers);
      const location = request.url === "/a" ? "/b" : `http://127.0.0.1:${second}/c`;
      response.writeHead(302, { location }).end();
    });
    const headers = { Authorization: "Bearer t", Cookie: "c=1", "X-Api-Key": "k", Accept: "text/csv" };
    await client({ allow: ["127.0.0.1"] }).request(`http://127.0.0.1:${first}/a`, { headers });
    expect(seen).toHaveLength(3);
    expect(seen[1]).toMatchObject({ authorization: "Bearer t", cookie: "c=1", "x-api-key": "k" });
    expect(seen[2]).toMatchObject({ accept: "text/csv", "user-agent": "kenning" });
    for (const name of ["authorization", "cookie", "x-api-key"]) expect(seen[2]).not.toHaveProperty(name);
  });

  it("turns POST into GET where browsers do, and keeps it where they do", async () => {
    const seen: string[] = [];
    const port = await serve(async (request, response) => {
      seen.push(`${request.method} ${(await buffer(request)).toString()}`);
      const status = Number(request.url!.slice(1));
      if (status > 0) response.writeHead(status, { location: "/0" }).end();
      else response.end();
    });
    const fetcher = client({ allow: ["127.0.0.1"] });
    for (const status of [301, 302, 303, 307, 308]) {
      await fetcher.request(`http://127.0.0.1:${port}/${status}`, { method: "POST", body: "x" });
    }
    expect(seen.filter((_, index) => index % 2 === 1)).toEqual(["GET ", "GET ", "GET ", "POST x", "POST x"]);
  });
});

describe("TLS", () => {
  async function serveTls(listener: RequestListener): Promise<number> {
    return listen(createTlsServer({ key: TEST_KEY, cert: TEST_CERT }, listener));
  }

  it("checks the certificate against the name, although it connects to the checked address", async () => {
    const port = await serveTls((request, response) => response.end(request.headers.host));
    const resolve = names({ "secure.test": "127.0.0.1", "other.test": "127.0.0.1" });
    const fetcher = client({ allow: ["127.0.0.1"], resolve, ca: TEST_CERT });
    expect((await fetcher.request(`https://secure.test:${port}/`)).body.toString()).toBe(
      `secure.test:${port}`,
    );
    await expect(fetcher.request(`https://other.test:${port}/`)).rejects.toMatchObject({
      code: "unavailable",
      message: expect.stringContaining("secure connection"),
    });
    const distrustful = client({ allow: ["127.0.0.1"], resolve });
    await expect(distrustful.request(`https://secure.test:${port}/`)).rejects.toMatchObject({
      code: "unavailable",
    });
  });

  it("does not follow from https to http", async () => {
    const plain = await serve((_, response) => response.end("plain"));
    const port = await serveTls((_, response) => {
      response.writeHead(301, { location: `http://127.0.0.1:${plain}/` }).end();
    });
    const fetcher = client({
      allow: ["127.0.0.1"],
      resolve: names({ "secure.test": "127.0.0.1" }),
      ca: TEST_CERT,
    });
    await expect(fetcher.request(`https://secure.test:${port}/`)).rejects.toMatchObject({
      code: "forbidden",
      message: expect.stringContaining("plain http"),
    });
  });
});
