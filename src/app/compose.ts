import type { Logger } from "pino";
import { type Identity, openOAuthStores } from "../domains/identity/index.ts";
import { openModels } from "../domains/models/index.ts";
import { type Clock, MS, systemClock } from "../kernel/clock.ts";
import { createGuardedFetch, type GuardedFetch } from "../platform/guarded-fetch/index.ts";
import { Jobs } from "../platform/jobs/index.ts";
import { createVault, deriveKey, type Vault } from "../platform/vault/index.ts";
import type { CallPorts } from "../registry/call.ts";
import type { Registry } from "../registry/registry.ts";
import { mountHome } from "../surfaces/home/home.route.ts";
import { createHttpApp, type HttpApp } from "../surfaces/http/app.ts";
import { BodyBudget } from "../surfaces/http/body-budget.ts";
import { Endpoint } from "../surfaces/mcp/endpoint.ts";
import { mountKnowledge, mountMcp } from "../surfaces/mcp/routes.ts";
import { MCP_SURFACES, type Surface } from "../surfaces/mcp/surface.ts";
import { SignInServer } from "../surfaces/oauth/sign-in-server.ts";
import { Metrics } from "../surfaces/ops/metrics.ts";
import { mountOps } from "../surfaces/ops/ops.route.ts";
import type { ReadinessCheck } from "../surfaces/ops/readiness.ts";
import { mountBiTools } from "../surfaces/rest/bi-tools.route.ts";
import { mountLogin } from "../surfaces/rest/login.route.ts";
import type { Config } from "./config.ts";
import { claimHomeOf, openDataSlice } from "./data-ground.ts";
import { closeOf, type Ground, openGround } from "./ground.ts";
import { HttpListener } from "./http-listener.ts";
import { createLog } from "./log.ts";
import { makeReadinessChecks } from "./readiness-checks.ts";
import { composeRegistry } from "./registry.ts";
import { VERSION } from "./version.ts";

export interface ComposeOptions {
  clock?: Clock;
  log?: Logger;
  /** More to register: tests mount fixtures on the real stack. */
  extend?: (registry: Registry) => void;
}

export interface App {
  identity: Identity;
  registry: Registry;
  http: HttpApp;
  endpoints: ReadonlyMap<Surface["name"], Endpoint>;
  listen(): Promise<{ url: string }>;
  close(): Promise<void>;
}

/** Constructs the server. */
export async function compose(config: Config, options: ComposeOptions = {}): Promise<App> {
  // What is opened is put onto the stack, so that it is closed again whatever happens after it.
  await using opened = new AsyncDisposableStack();
  const { clock = systemClock, log = createLog(config) } = options;
  const metrics = new Metrics();
  const ground = await openGround(config, log, clock, (count) => metrics.auditLost(count));
  opened.defer(() => ground.close());
  const { catalog, identity } = ground;
  const fetch = createGuardedFetch({ allow: config.security.allowPrivateUrls });
  opened.defer(() => fetch.close());
  const jobs = new Jobs(catalog, log);
  const { root, claim } = await claimHomeOf(config, catalog);
  await catalog.transaction((tx) => claim.take(tx));
  const data = await openDataSlice(config, ground, { root, claim, fetch, jobs, clock, log });
  opened.defer(() => data.close());
  opened.defer(() => jobs.stop());
  // Housekeeping can wait; whoever calls cannot.
  await data.sweep().catch((error) => log.warn({ err: error }, "sweep failed; trying again later"));
  const models = openModels({
    catalog,
    analytics: data.analytics,
    data: data.services,
    callerFor: (owner) => identity.callerFor(owner),
    clock,
  });
  const parts = { catalog, audit: identity.audit, data: data.services, models, version: VERSION };
  const registry = composeRegistry(parts);
  options.extend?.(registry);
  const ports: CallPorts = {
    authorizer: identity.authorizer,
    limiter: identity.limiter,
    audit: identity.audit,
    log,
    observe: (operation, outcome, ms) => metrics.observeCall(operation, outcome, ms),
  };
  const vault = createVault({ root });
  const stateKey = deriveKey(root, "mcp request state");
  const signIn = await openSignIn(config, ground, { root, fetch, clock, log });
  opened.defer(() => signIn.close());
  const endpoints = makeEndpoints(config, ground, { registry, ports, stateKey, clock });
  const { home } = config.storage;
  const readinessChecks = makeReadinessChecks({ catalog, home, jwtSecret: config.security.jwtSecret }, data);
  const http = createHttpApp(
    { ...config.server, log, observe: (...seen) => metrics.observeHttp(...seen) },
    (app) =>
      mountAll(app, config, { endpoints, ports, identity, metrics, readinessChecks, signIn, vault, clock }),
  );
  const sweeps = [
    identity.audit,
    signIn,
    data,
    jobs,
    ...[...endpoints.values()].map(({ sessions }) => sessions),
  ];
  const sweeper = sweepEvery(config.mcp.sessionCleanupIntervalMinutes * MS.minute, sweeps, log);
  opened.defer(() => clearInterval(sweeper));
  metrics.gauge("kenning_mcp_sessions", "MCP sessions that are not idle too long.", async () => {
    const counts = await Promise.all([...endpoints.values()].map(({ sessions }) => sessions.count()));
    return counts.reduce((sum, count) => sum + count, 0);
  });

  await jobs.start({ lazily: true });
  const listener = new HttpListener(http.fetch, config.server);
  const close = closeOf(opened);
  return {
    identity,
    registry,
    http,
    endpoints,
    listen: () => listener.listen(),
    async close() {
      // Jobs end while the last calls do: both have their time, and not one after the other.
      const endStreams = () => Promise.all([...endpoints.values()].map((endpoint) => endpoint.close()));
      await Promise.all([jobs.stop(), listener.close(endStreams)]);
      await close();
    },
  };
}

function makeEndpoints(
  config: Config,
  { state, identity }: Ground,
  { clock, ...parts }: { registry: Registry; ports: CallPorts; stateKey: Buffer; clock: Clock },
): Map<Surface["name"], Endpoint> {
  const bodies = new BodyBudget();
  const surfaces = MCP_SURFACES.filter(({ name }) => name !== "knowledge" || config.knowledge.enabled);
  return new Map(
    surfaces.map((surface) => {
      const idleMs = surface.sessions.idleMs ?? config.mcp.sessionTtlMinutes * MS.minute;
      const sessions = { kv: state.kv, clock, idleMs };
      return [
        surface.name,
        new Endpoint({ ...parts, surface, version: VERSION, identity, bodies, sessions }),
      ];
    }),
  );
}

interface Mounted {
  endpoints: ReadonlyMap<Surface["name"], Endpoint>;
  ports: CallPorts;
  identity: Identity;
  metrics: Metrics;
  readinessChecks: readonly ReadinessCheck[];
  signIn: SignInServer;
  vault: Vault;
  clock: Clock;
}

/** The authorization server with its pages; its keys are all derived from the one root. */
async function openSignIn(
  config: Config,
  { catalog, identity }: Ground,
  { root, fetch, clock, log }: { root: string; fetch: GuardedFetch; clock: Clock; log: Logger },
): Promise<SignInServer> {
  const { accessTtlMinutes, refreshTtlDays, authorizationCodeTtlMinutes } = config.security;
  return SignInServer.open({
    appUrl: config.server.appUrl,
    identity,
    stores: openOAuthStores(catalog, createVault({ root }), clock, identity.audit),
    fetch,
    keys: { cookie: deriveKey(root, "oauth cookies").toString("base64url"), form: deriveKey(root, "forms") },
    ttl: {
      accessSeconds: accessTtlMinutes * 60,
      refreshSeconds: refreshTtlDays * 86_400,
      codeSeconds: authorizationCodeTtlMinutes * 60,
    },
    clock,
    log,
  });
}

function mountAll(
  app: HttpApp,
  config: Config,
  { endpoints, ports, identity, metrics, readinessChecks, signIn, vault, clock }: Mounted,
): void {
  const { appUrl, apiPrefix } = config.server;
  const { metricsToken } = config.operations;
  mountOps(app, { metrics, metricsToken, version: VERSION, readinessChecks, log: ports.log });
  mountLogin(app, identity);
  signIn.mount(app);
  const served = MCP_SURFACES.filter(({ name }) => endpoints.has(name)).map(({ name, path }) => [name, path]);
  const { browser, forms, apps } = signIn;
  mountHome(app, {
    appUrl,
    version: VERSION,
    endpoints: Object.fromEntries(served),
    identity,
    apps,
    browser,
    forms,
    vault,
    clock,
  });
  for (const surface of MCP_SURFACES) {
    const endpoint = endpoints.get(surface.name);
    if (endpoint === undefined) continue;
    if (surface.name === "bi") mountBiTools(app, surface, endpoint, ports, appUrl);
    if (surface.name !== "knowledge") {
      mountMcp(app, surface, endpoint, appUrl);
      continue;
    }
    mountKnowledge(app, surface, endpoint, appUrl, "");
    if (apiPrefix !== null) mountKnowledge(app, surface, endpoint, appUrl, apiPrefix);
  }
}

function sweepEvery(
  everyMs: number,
  dusty: readonly { sweep(): Promise<unknown> }[],
  log: Logger,
): NodeJS.Timeout {
  const sweep = () => {
    for (const place of dusty)
      place.sweep().catch((error) => log.warn({ err: error }, "sweep failed; trying again later"));
  };
  return setInterval(sweep, everyMs).unref();
}
