import type { Logger } from "pino";
import { type AgentOptions, openAgent } from "../domains/agent/index.ts";
import { type DataSlice, openData } from "../domains/data/index.ts";
import { createIdentity, type Identity, openOAuthStores } from "../domains/identity/index.ts";
import { type ModelsServices, openModels } from "../domains/models/index.ts";
import { type Clock, MS, systemClock } from "../kernel/clock.ts";
import { type Catalog, isReadOnly, openCatalog } from "../platform/catalog/index.ts";
import { createGuardedFetch, type GuardedFetch } from "../platform/guarded-fetch/index.ts";
import { Jobs } from "../platform/jobs/index.ts";
import { createMemoryState, type SharedState } from "../platform/state/index.ts";
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
import { type ClaimedHome, claimHome, readOnlyDatabase } from "./home/home-stamp.ts";
import { HttpListener } from "./http-listener.ts";
import { createLog } from "./log.ts";
import { makeReadinessChecks } from "./readiness-checks.ts";
import { composeRegistry } from "./registry.ts";
import { VERSION } from "./version.ts";

export interface ComposeOptions {
  clock?: Clock;
  log?: Logger;
  /** How questions are read and bounded, where that is not by the rules of the house. */
  agent?: AgentOptions;
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

/** The only place that constructs things. */
export async function compose(config: Config, options: ComposeOptions = {}): Promise<App> {
  // What is opened is put onto the stack, so that it is closed again whatever happens after it.
  await using opened = new AsyncDisposableStack();
  const { clock = systemClock, log = createLog(config) } = options;
  const metrics = new Metrics();
  const ground = await openGround(config, log, clock, metrics);
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
  const agent = openAgent({ models, clock }, options.agent);
  const parts = { catalog, audit: identity.audit, data: data.services, models, agent, version: VERSION };
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

/** What commands need: the catalog and who is in it. */
export async function openIdentity(config: Config): Promise<{ identity: Identity; close(): Promise<void> }> {
  const { identity, close } = await openGround(config, createLog(config), systemClock);
  return { identity, close };
}

/** What commands on data need: the same engines as the server's, whether that runs or not. */
export async function openIdentityAndData(config: Config): Promise<{
  identity: Identity;
  data: DataSlice;
  models: ModelsServices;
  close(): Promise<void>;
}> {
  await using opened = new AsyncDisposableStack();
  const log = createLog(config);
  const ground = await openGround(config, log, systemClock);
  opened.defer(() => ground.close());
  const { catalog, identity } = ground;
  const jobs = new Jobs(catalog, log);
  const fetch = createGuardedFetch({ allow: config.security.allowPrivateUrls });
  opened.defer(() => fetch.close());
  const { root, claim } = await claimHomeOf(config, catalog);
  const data = await openDataSlice(config, ground, { root, claim, fetch, jobs, clock: systemClock, log });
  opened.defer(() => data.close());
  opened.defer(() => jobs.stop());
  const { analytics, services } = data;
  const models = openModels({
    catalog,
    analytics,
    data: services,
    callerFor: (owner) => identity.callerFor(owner),
    clock: systemClock,
  });
  return { identity, data, models, close: closeOf(opened) };
}

/** Everything came up: from now on it stays open until somebody closes it. */
function closeOf(opened: AsyncDisposableStack): () => Promise<void> {
  const kept = opened.move();
  return () => kept.disposeAsync();
}

function claimHomeOf(
  { storage: { home }, security: { jwtSecret } }: Config,
  catalog: Catalog,
): Promise<ClaimedHome> {
  return claimHome({ catalog, home, jwtSecret });
}

function openDataSlice(
  config: Config,
  { catalog, identity }: Ground,
  { root, ...engines }: ClaimedHome & { fetch: GuardedFetch; jobs: Jobs; clock: Clock; log: Logger },
): Promise<DataSlice> {
  const { home, fileFolders } = config.storage;
  return openData({
    ...engines,
    home,
    catalog,
    vault: createVault({ root }),
    callerFor: (owner) => identity.callerFor(owner),
    allowPrivate: config.security.allowPrivateUrls,
    fileFolders,
  });
}

interface Ground {
  catalog: Catalog;
  state: SharedState;
  identity: Identity;
  close(): Promise<void>;
}

async function openGround(config: Config, log: Logger, clock: Clock, metrics?: Metrics): Promise<Ground> {
  const { home, databaseUrl, auditRetentionDays } = config.storage;
  await using opened = new AsyncDisposableStack();
  const catalog = await openCatalog({ home, log, ...(databaseUrl !== null && { databaseUrl }) });
  opened.defer(() => catalog.close());
  await catalog.migrate().catch((error) => {
    throw isReadOnly(error) ? readOnlyDatabase(error) : error;
  });
  const state = createMemoryState();
  opened.defer(() => state.close());
  const identity = await createIdentity({
    catalog,
    state,
    clock,
    log,
    appUrl: config.server.appUrl,
    auditRetentionDays,
    rateLimits: {
      enabled: config.mcp.rateLimitEnabled,
      questions: { points: config.mcp.rateLimitMaxRequests, windowMs: config.mcp.rateLimitWindowMs },
    },
    onAuditLost: (count) => metrics?.auditLost(count),
  });
  opened.defer(() => identity.close());
  return { catalog, state, identity, close: closeOf(opened) };
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
