import {
  Client,
  type OAuthClientMetadata,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type StoredOAuthClientInformation,
  type StoredOAuthTokens,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from "@modelcontextprotocol/client";
import { afterEach, describe, expect, it, vi } from "vitest";
import { MS } from "../../../src/kernel/time.ts";
import { SURFACES, type SurfaceName } from "../../../src/registry/caller.ts";
import { mountFixtures } from "../../contracts/fixtures.ts";
import { CommandLine } from "../../support/command-line.ts";
import { appUrlOf, type Browser, signedInPerson } from "../../support/oauth-client.ts";
import { PATHS } from "../../support/rpc.ts";
import { serverOfFile } from "../../support/server.ts";

/** The official client, which knows nothing but the URL of an endpoint; a person without a browser stands behind it. */

let person: Browser;

const server = await serverOfFile({ extend: mountFixtures, env: { RATE_LIMIT_ENABLED: "false" } });
({ person } = await signedInPerson(server));
afterEach(() => {
  vi.useRealTimers();
});

/** Keeps what a client must keep, and has the person allow what is asked. */
class HeadlessProvider implements OAuthClientProvider {
  readonly redirectUrl = "http://127.0.0.1:43110/callback";
  readonly clientMetadata: OAuthClientMetadata;
  /** What the person leaves checked; everything when undefined. */
  allowed: string[] | undefined;
  callback: URLSearchParams | undefined;
  asked: URL[] = [];
  registered: StoredOAuthClientInformation | undefined;
  saved: StoredOAuthTokens[] = [];
  #verifier = "";
  #discovered: OAuthDiscoveryState | undefined;

  constructor(metadata: Partial<OAuthClientMetadata> = {}, registered?: StoredOAuthClientInformation) {
    this.clientMetadata = {
      client_name: "Headless",
      redirect_uris: [this.redirectUrl],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
      ...metadata,
    };
    this.registered = registered;
  }

  state = () => "a-state-of-its-own";
  clientInformation = () => this.registered;
  saveClientInformation = (information: StoredOAuthClientInformation) => {
    this.registered = information;
  };
  tokens = () => this.saved.at(-1);
  saveTokens = (tokens: StoredOAuthTokens) => {
    this.saved.push(tokens);
  };
  codeVerifier = () => this.#verifier;
  saveCodeVerifier = (verifier: string) => {
    this.#verifier = verifier;
  };
  discoveryState = () => this.#discovered;
  saveDiscoveryState = (state: OAuthDiscoveryState) => {
    this.#discovered = state;
  };

  async redirectToAuthorization(url: URL): Promise<void> {
    this.asked.push(url);
    const consent = await person.open(url);
    const changes = this.allowed === undefined ? {} : { scope: this.allowed };
    this.callback = (await person.submit(consent, { button: "allow", ...changes })).url.searchParams;
  }
}

const MODES = {
  older: { mode: "legacy", speaks: "2025-11-25" },
  newer: { mode: { pin: "2026-07-28" }, speaks: "2026-07-28" },
} as const;
type Mode = keyof typeof MODES;

async function connect(surface: SurfaceName, mode: Mode, authProvider: HeadlessProvider) {
  const open = async () => {
    const url = new URL(`${appUrlOf(server)}${PATHS[surface]}`);
    const transport = new StreamableHTTPClientTransport(url, { authProvider });
    const client = new Client(
      { name: "headless", version: "1.0.0" },
      { versionNegotiation: { mode: MODES[mode].mode } },
    );
    return { transport, client };
  };
  const first = await open();
  await expect(first.client.connect(first.transport)).rejects.toThrow(UnauthorizedError);
  await first.transport.finishAuth(authProvider.callback as URLSearchParams);
  const second = await open();
  await second.client.connect(second.transport);
  return Object.assign(second.client, {
    transportInUse: second.transport,
    [Symbol.asyncDispose]: () => second.client.close(),
  });
}

const TABLE = (Object.keys(MODES) as Mode[]).flatMap((mode) =>
  SURFACES.map((surface) => ({ mode, surface })),
);

describe("the official client", () => {
  it.each(TABLE)(
    "[oauth.client.sdk] [oauth.client.registered] finds, registers, signs in and calls: $surface, $mode mode",
    async ({ surface, mode }) => {
      const provider = new HeadlessProvider();
      await using client = await connect(surface, mode, provider);
      expect(client.getNegotiatedProtocolVersion()).toBe(MODES[mode].speaks);
      expect(provider.registered?.client_id).toEqual(expect.any(String));
      expect(provider.asked).toHaveLength(1);
      expect(provider.asked[0]?.searchParams.get("resource")).toBe(`${appUrlOf(server)}${PATHS[surface]}`);
      const tool = surface === "all" ? "whoami" : "fixture_echo";
      const result = await client.callTool({
        name: tool,
        arguments: tool === "whoami" ? {} : { text: "hello" },
      });
      expect(result.isError ?? false).toBe(false);
    },
  );

  it.each(Object.keys(MODES) as Mode[])(
    "[oauth.client.sdk] refreshes by itself, in its %s mode",
    async (mode) => {
      const provider = new HeadlessProvider();
      await using client = await connect("all", mode, provider);
      const { length } = provider.saved;
      const before = provider.tokens()?.refresh_token;
      vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 16 * MS.minute });
      const result = await client.callTool({ name: "whoami", arguments: {} });
      expect(result.isError ?? false).toBe(false);
      expect(provider.asked, "the person was asked again").toHaveLength(1);
      // The older mode has a stream and a call under way, and refreshes for both at once.
      expect(provider.saved.length).toBeGreaterThan(length);
      expect(provider.tokens()?.refresh_token).not.toBe(before);
    },
  );

  it.each(Object.keys(MODES) as Mode[])(
    "[oauth.refresh.grace] refreshes for many calls at once, again and again, in its %s mode",
    async (mode) => {
      const provider = new HeadlessProvider();
      await using client = await connect("all", mode, provider);
      for (let round = 1; round <= 3; round += 1) {
        vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 16 * MS.minute });
        const calls = Array.from({ length: 6 }, () => client.callTool({ name: "whoami", arguments: {} }));
        for (const { isError } of await Promise.all(calls)) expect(isError ?? false).toBe(false);
      }
      expect(provider.asked, "the person was asked again").toHaveLength(1);
    },
  );

  it("leaves out the state where its provider has none", async () => {
    const provider = new HeadlessProvider();
    Object.assign(provider, { state: undefined });
    await using client = await connect("all", "newer", provider);
    expect(provider.asked[0]?.searchParams.has("state")).toBe(false);
    expect((await client.listTools()).tools.length).toBeGreaterThan(0);
  });

  it.each(Object.keys(MODES) as Mode[])(
    "[oauth.scope.step-up] asks for more scopes when it needs them, in its %s mode",
    async (mode) => {
      const provider = new HeadlessProvider();
      provider.allowed = ["data_agent:read", "ontologies:read"];
      await using client = await connect("agent", mode, provider);
      provider.allowed = undefined;
      await expect(client.callTool({ name: "ask_question", arguments: {} })).rejects.toThrow(
        UnauthorizedError,
      );
      expect(provider.asked).toHaveLength(2);
      expect(provider.asked[1]?.searchParams.get("scope")).toContain("data_agent:write");
      await client.transportInUse.finishAuth(provider.callback as URLSearchParams);
      expect(provider.tokens()?.scope).toContain("data_agent:write");
    },
  );

  it("[oauth.client.secret] can be one that has a secret", async () => {
    for (const method of ["client_secret_basic", "client_secret_post"]) {
      const provider = new HeadlessProvider({ token_endpoint_auth_method: method });
      await using client = await connect("all", "older", provider);
      expect(provider.registered).toMatchObject({ client_secret: expect.any(String) });
      expect((await client.listTools()).tools.length).toBeGreaterThan(0);
    }
  });

  it("[oauth.client.prepared] can be one that the operator has registered", async () => {
    const commandLine = await CommandLine.open();
    const { code, out, err } = await commandLine.run(
      ["app", "register", "Prepared", "--redirect-uri", "http://127.0.0.1/callback"],
      { env: { DATABASE_URL: server.databaseUrl } },
    );
    commandLine.remove();
    expect(code, err).toBe(0);
    const clientId = out.trim();
    const provider = new HeadlessProvider({}, { client_id: clientId, issuer: appUrlOf(server) });
    await using client = await connect("all", "newer", provider);
    expect(provider.asked[0]?.searchParams.get("client_id")).toBe(clientId);
    expect((await client.listTools()).tools.length).toBeGreaterThan(0);
  });
});
