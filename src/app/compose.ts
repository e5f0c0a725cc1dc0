import { setMaxListeners } from "node:events";
import { statfs } from "node:fs/promises";
import { resolve } from "node:path";
import type { Logger } from "pino";
import { type AgentOptions, openAgent } from "../domains/agent/index.ts";
import type { AssetsServices } from "../domains/assets/index.ts";
import { WATCHED_EVENTS } from "../domains/automation/index.ts";
import type { BiServices } from "../domains/bi/index.ts";
import { QUERY_RUN_ENDED, queryRunEnded } from "../domains/data/index.ts";
import type { Demo } from "../domains/demo/index.ts";
import { type Identity, openOAuthStores } from "../domains/identity/index.ts";
import type { KnowledgeServices } from "../domains/knowledge/index.ts";
import { changedMemories, MEMORY_EVENTS } from "../domains/memory/index.ts";
import { changedResources, RESOURCE_EVENTS } from "../domains/models/index.ts";
import { type Clock, MS } from "../kernel/time.ts";
import { Broadcast, type Catalog, Events } from "../platform/catalog/index.ts";
import { deriveKey } from "../platform/vault/index.ts";
import type { CallPorts } from "../registry/call.ts";
import type { Registry } from "../registry/registry.ts";
import { mountConsoleApp } from "../surfaces/console-api/app.route.ts";
import { mountCalls } from "../surfaces/console-api/calls.route.ts";
import { mountStart } from "../surfaces/console-api/start.route.ts";
import { mountDocumentFiles, mountDocumentUploads } from "../surfaces/files/documents.route.ts";
import { mountExportFiles, mountExports } from "../surfaces/files/exports.route.ts";
import { createHttpApp, type HttpApp } from "../surfaces/http/app.ts";
import { Announcer, type Happening } from "../surfaces/mcp/announcer.ts";
import { Endpoint, type EndpointParts } from "../surfaces/mcp/endpoint.ts";
import { KNOWLEDGE_PATH, mountKnowledge, mountMcp } from "../surfaces/mcp/routes.ts";
import { MCP_SURFACES, type Surface } from "../surfaces/mcp/surface.ts";
import type { HasContent } from "../surfaces/oauth/consent.route.ts";
import { SignInServer } from "../surfaces/oauth/sign-in-server.ts";
import { Metrics } from "../surfaces/ops/metrics.ts";
import { mountOps } from "../surfaces/ops/ops.route.ts";
import type { ReadinessCheck } from "../surfaces/ops/readiness.ts";
import { mountDashboards } from "../surfaces/pages/dashboards.route.ts";
import { mountUnsubscribe } from "../surfaces/pages/unsubscribe.route.ts";
import { mountBiTools } from "../surfaces/rest/bi-tools.route.ts";
import { mountLogin } from "../surfaces/rest/login.route.ts";
import { mountRetrieval } from "../surfaces/rest/retrieval.route.ts";
import { mountUserSettings } from "../surfaces/rest/user-settings.route.ts";
import type { Config } from "./config.ts";
import { closeOf } from "./core-services.ts";
import type { AppEngines } from "./engines.ts";
import { homeStamp } from "./home/home.tables.ts";
import { Housekeeping } from "./housekeeping.ts";
import { HttpListener } from "./http-listener.ts";
import { loadKnowledgeAuth } from "./knowledge-auth.ts";
import { open } from "./open.ts";
import { makeReadinessChecks } from "./readiness-checks.ts";
import { signInProviders } from "./sign-in-providers.ts";
import { register } from "./slices.ts";
import { VERSION } from "./version.ts";

export interface ComposeOptions {
  clock?: Clock;
  log?: Logger;
  /** How questions are read and bounded, where that is not by the rules of the house. */
  agent?: AgentOptions;
  /** Where the built console lies; without it people are told how to build it. */
  consoleFolder?: string | undefined;
  /** More to register: tests mount fixtures on the real stack. */
  extend?: (registry: Registry) => void;
}

export interface App {
  identity: Identity;
  demo: Demo;
  registry: Registry;
  http: HttpApp;
  endpoints: ReadonlyMap<Surface["name"], Endpoint>;
  listen(): Promise<{ url: string }>;
  close(): Promise<void>;
}

/** The server: engines and slices, and the surfaces over them. */
export async function compose(config: Config, options: ComposeOptions = {}): Promise<App> {
  await using opened = new AsyncDisposableStack();
  const metrics = new Metrics();
  const { clock, log } = options;
  const inside = await open(config, {
    ...(clock !== undefined && { clock }),
    ...(log !== undefined && { log }),
    onAuditLost: (count) => metrics.auditLost(count),
    onRefused: (gate) => metrics.refused(gate),
  });
  opened.defer(() => inside.close());
  const { engines, services } = inside;
  const { registry, jobs, schedules, deliveries } = engines;
  const {
    identity,
    knowledge,
    bi,
    assets,
    demo: { demo },
  } = services;
  await engines.catalog.transaction((tx) => engines.claim.take(tx));
  if (options.agent !== undefined) {
    Object.assign(services.agent, openAgent({ ...engines, ...services }, options.agent));
  }
  register(registry, services);
  options.extend?.(registry);
  const stopping = new AbortController();
  // Each call that runs listens, and there may be many.
  setMaxListeners(0, stopping.signal);
  const ports: CallPorts = {
    authorizer: identity.authorizer,
    limiter: identity.limiter,
    meter: identity.usage,
    audit: identity.audit,
    log: engines.log,
    stopping: stopping.signal,
    auditsValues: config.storage.auditArguments === "values",
    admission: engines.admission,
    observe: (operation, outcome, ms) => metrics.observeCall(operation, outcome, ms),
  };
  const hasContent = async (workspaceId: number) =>
    (await Promise.all(inside.all.map((slice) => slice.hasContent?.(workspaceId) ?? false))).includes(true);
  const signIn = await openSignIn(config, engines, identity, hasContent);
  opened.defer(() => signIn.close());
  const { authModule } = config.knowledge;
  const authenticate =
    authModule === null ? undefined : await loadKnowledgeAuth(resolve(authModule), identity);
  const endpoints = makeEndpoints(config, engines, {
    identity,
    knowledge,
    ports,
    authenticate,
  });
  const { jwtSecret } = config.security;
  const readinessChecks = makeReadinessChecks({ ...engines, jwtSecret });
  const http = createHttpApp(
    {
      ...config.server,
      log: engines.log,
      onUntrustedProxy: noteProxies(engines),
      observe: (...seen) => metrics.observeHttp(...seen),
    },
    (app) =>
      mountAll(app, config, engines, {
        endpoints,
        ports,
        identity,
        knowledge,
        assets,
        bi,
        metrics,
        readinessChecks,
        signIn,
        hasContent,
        consoleFolder: options.consoleFolder,
      }),
  );
  const housekeeping = new Housekeeping({
    ...engines,
    slices: inside.all,
    others: [
      signIn,
      engines.admission,
      engines.received,
      engines.retrieval,
      jobs,
      schedules,
      deliveries,
      ...[...endpoints.values()].map(({ sessions }) => sessions),
    ],
    everyMs: config.mcp.sessionCleanupIntervalMinutes * MS.minute,
  });
  opened.defer(() => housekeeping.stop());
  housekeeping.begin();
  metrics.gauge("kenning_mcp_sessions", "MCP sessions that are not idle too long.", async () => {
    const counts = await Promise.all([...endpoints.values()].map(({ sessions }) => sessions.count()));
    return counts.reduce((sum, count) => sum + count, 0);
  });

  measureEngines(metrics, engines);

  const { react } = services.automation;
  const events = await deliverEvents(engines.catalog, { endpoints, metrics, react, log: engines.log });
  opened.defer(() => events.stop());
  await jobs.start({ at: "first_queue" });
  await schedules.start();
  await engines.retrieval.startEmbedding();
  const listener = new HttpListener(http.fetch, config.server);
  const close = closeOf(opened);
  return {
    identity,
    demo,
    registry,
    http,
    endpoints,
    listen: () => listener.listen(),
    async close() {
      // Jobs end while the last calls do: both have their time, and not one after the other.
      const endStreams = () => Promise.all([...endpoints.values()].map((endpoint) => endpoint.close()));
      const endWork = async () => {
        await schedules.stop();
        await jobs.stop();
      };
      await Promise.all([endWork(), listener.close(endStreams, () => stopping.abort())]);
      await close();
    },
  };
}

/** Without trust, everybody behind a proxy is one address to the limits. The doctor tells of it as well. */
function noteProxies({ catalog, log }: AppEngines): (address: string) => void {
  let isNoted = false;
  return (address) => {
    if (isNoted) return;
    isNoted = true;
    log.warn(
      { proxy: address },
      "requests come through a proxy that is not in KENNING_TRUSTED_PROXIES, so that all of them count as one address",
    );
    catalog.db
      .update(homeStamp)
      .set({ untrustedProxy: address })
      .catch((err: unknown) => log.warn({ err }, "a proxy could not be noted"));
  };
}

/** What makes calls slow, or will soon. */
function measureEngines(metrics: Metrics, { analytics, catalog, home }: AppEngines): void {
  const { pool } = catalog;
  metrics.gauge("kenning_queries_running", "Queries that run.", () => analytics.load().queriesRunning);
  metrics.gauge(
    "kenning_queries_waiting",
    "Queries that wait for their turn.",
    () => analytics.load().queriesWaiting,
  );
  metrics.gauge(
    "kenning_engine_processes",
    "Processes that run queries and imports.",
    () => analytics.load().processes,
  );
  metrics.gauge(
    "kenning_engine_memory_bytes",
    "Memory that these processes hold.",
    () => analytics.load().memoryMb * 1024 * 1024,
  );
  metrics.gauge(
    "kenning_database_connections",
    "Connections to the database that are in use.",
    () => pool.totalCount - pool.idleCount,
  );
  metrics.gauge("kenning_database_deaf", "1 while the database's notifications do not arrive.", () =>
    Number(catalog.isDeaf),
  );
  metrics.gauge("kenning_database_waiting", "Calls that wait for a connection.", () => pool.waitingCount);
  metrics.gauge("kenning_disk_free_bytes", "Free space where the home is.", async () => {
    const { bavail, bsize } = await statfs(home);
    return bavail * bsize;
  });
}

interface EventListeners {
  endpoints: ReadonlyMap<Surface["name"], Endpoint>;
  metrics: Metrics;
  /** Has what looks at datasets look again. */
  react(topic: string, payload: unknown): Promise<void>;
  log: Logger;
}

/**
 * What happened is taken from the outbox by one process and passed on to all, for each holds the streams of some
 * clients.
 */
async function deliverEvents(
  catalog: Catalog,
  { endpoints, metrics, react, log }: EventListeners,
): Promise<{ stop(): Promise<void> }> {
  const events = new Events(catalog, log);
  const broadcast = new Broadcast(catalog, "kenning_happenings");
  const changesOf = (happening: Happening) =>
    MEMORY_EVENTS.includes(happening.topic)
      ? changedMemories(catalog, happening.payload)
      : changedResources(catalog, happening);
  const announcer = new Announcer({ endpoints: [...endpoints.values()], changesOf, log });
  const unlisten = await broadcast.listen(
    (message) => announcer.tell(message as Happening),
    () => void announcer.tellAll(),
  );
  for (const topic of [...RESOURCE_EVENTS, ...MEMORY_EVENTS])
    events.subscribe(topic, ({ payload }) => broadcast.send({ topic, payload }));
  events.subscribe(QUERY_RUN_ENDED, async ({ payload }) =>
    metrics.runEnded(queryRunEnded.parse(payload).status),
  );
  for (const topic of WATCHED_EVENTS) events.subscribe(topic, ({ payload }) => react(topic, payload));
  await events.start();
  return {
    async stop() {
      await events.stop();
      await unlisten();
    },
  };
}

interface EndpointServices {
  identity: Identity;
  knowledge: KnowledgeServices;
  ports: CallPorts;
  authenticate: EndpointParts["authenticate"];
}

function makeEndpoints(
  config: Config,
  { state, registry, root, clock }: AppEngines,
  { identity, knowledge, ports, authenticate }: EndpointServices,
): Map<Surface["name"], Endpoint> {
  const parts = { registry, ports, identity, stateKey: deriveKey(root, "mcp request state") };
  const surfaces = MCP_SURFACES.filter(({ name }) => name !== "knowledge" || config.knowledge.enabled);
  return new Map(
    surfaces.map((surface) => {
      const idleMs = surface.sessions.idleMs ?? config.mcp.sessionTtlMinutes * MS.minute;
      const sessions = { kv: state.kv, clock, idleMs };
      const { admit } = knowledge.knowledgeLimits;
      const own = surface.name === "knowledge" ? { admit, ...(authenticate && { authenticate }) } : {};
      return [surface.name, new Endpoint({ ...parts, ...own, surface, version: VERSION, sessions })];
    }),
  );
}

interface Mounted {
  endpoints: ReadonlyMap<Surface["name"], Endpoint>;
  ports: CallPorts;
  identity: Identity;
  knowledge: KnowledgeServices;
  assets: AssetsServices;
  bi: BiServices;
  metrics: Metrics;
  readinessChecks: readonly ReadinessCheck[];
  signIn: SignInServer;
  hasContent: HasContent;
  consoleFolder: string | undefined;
}

/** The authorization server with its pages; its keys are all derived from the one root. */
async function openSignIn(
  config: Config,
  { root, catalog, vault, fetch, clock, log }: AppEngines,
  identity: Identity,
  hasContent: HasContent,
): Promise<SignInServer> {
  const { accessTtlMinutes, refreshTtlDays, authorizationCodeTtlMinutes } = config.security;
  return SignInServer.open({
    appUrl: config.server.appUrl,
    identity,
    stores: openOAuthStores(catalog, vault, clock, identity.audit),
    fetch,
    keys: {
      cookie: deriveKey(root, "oauth cookies").toString("base64url"),
      form: deriveKey(root, "forms"),
      trip: deriveKey(root, "trips to identity providers"),
    },
    providers: signInProviders(config),
    ttl: {
      accessSeconds: accessTtlMinutes * 60,
      refreshSeconds: refreshTtlDays * 86_400,
      codeSeconds: authorizationCodeTtlMinutes * 60,
    },
    hasContent,
    clock,
    log,
  });
}

function mountAll(
  app: HttpApp,
  config: Config,
  { clock, registry, received, deliveries }: AppEngines,
  mounted: Mounted,
): void {
  const { endpoints, ports, identity, knowledge, bi, assets, metrics, readinessChecks, signIn } = mounted;
  const { appUrl, apiPrefix } = config.server;
  const { metricsToken } = config.operations;
  mountOps(app, { metrics, metricsToken, version: VERSION, readinessChecks, log: ports.log });
  mountLogin(app, identity);
  signIn.mount(app);
  const served = MCP_SURFACES.filter(({ name }) => endpoints.has(name)).map(({ name, path }) => [name, path]);
  const { browser, forms } = signIn;
  const { hasContent, consoleFolder } = mounted;
  mountStart(app, {
    appUrl,
    version: VERSION,
    endpoints: Object.fromEntries(served),
    identity,
    browser,
    forms,
    hasContent,
    hasConsole: consoleFolder !== undefined,
  });
  mountCalls(app, {
    appUrl,
    version: VERSION,
    mcpPath: MCP_SURFACES.find(({ name }) => name === "all")?.path ?? "",
    identity,
    browser,
    registry,
    ports,
    received,
    hasContent,
  });
  mountConsoleApp(app, { folder: consoleFolder, browser });
  mountDashboards(app, { ...bi, identity, browser, forms, clock });
  mountExports(app, { ...bi, identity });
  mountUnsubscribe(app, deliveries.unsubscribing);
  const agentPath = MCP_SURFACES.find(({ name }) => name === "agent")?.path ?? "";
  mountUserSettings(app, { appUrl, agentPath, identity, browser, registry, ports });
  for (const surface of MCP_SURFACES) {
    const endpoint = endpoints.get(surface.name);
    if (endpoint === undefined) continue;
    if (surface.name === "bi") mountBiTools(app, surface, endpoint, ports, appUrl);
    if (surface.name !== "knowledge") {
      mountMcp(app, surface, endpoint, appUrl);
      continue;
    }
    mountRetrieval(app, surface, endpoint, ports, appUrl);
    for (const prefix of ["", ...(apiPrefix === null ? [] : [apiPrefix])]) {
      mountKnowledge(app, surface, endpoint, appUrl, prefix);
      mountDocumentFiles(app, `${prefix}${KNOWLEDGE_PATH}`, { ...knowledge, identity });
    }
  }
  mountDocumentFiles(app, "/files", { ...knowledge, identity });
  mountDocumentUploads(app, { ...knowledge, identity });
  mountExportFiles(app, { ...assets, identity });
}
