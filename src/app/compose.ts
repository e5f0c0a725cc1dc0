import { createServer, type Server as HttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { type Logger, pino } from "pino";
import { createIdentity, type Identity } from "../domains/identity/index.ts";
import { type Clock, MS, systemClock } from "../kernel/clock.ts";
import { LIMITS } from "../kernel/limits.ts";
import { type Catalog, openCatalog } from "../platform/catalog/index.ts";
import { createMemoryState, type SharedState } from "../platform/state/index.ts";
import { deriveKey } from "../platform/vault/index.ts";
import type { CallPorts } from "../registry/call.ts";
import type { Registry } from "../registry/registry.ts";
import { createHttpApp, type HttpApp } from "../surfaces/http/app.ts";
import { Endpoint } from "../surfaces/mcp/endpoint.ts";
import { mountKnowledge, mountMcp } from "../surfaces/mcp/routes.ts";
import { MCP_SURFACES, type Surface } from "../surfaces/mcp/surface.ts";
import { Metrics } from "../surfaces/ops/metrics.ts";
import { mountOps } from "../surfaces/ops/ops.route.ts";
import { mountBiTools } from "../surfaces/rest/bi-tools.route.ts";
import { mountLogin } from "../surfaces/rest/login.route.ts";
import type { Config } from "./config.ts";
import { composeRegistry } from "./registry.ts";
import { rootSecret } from "./root-secret.ts";
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

/** Seed 000's sessions end after half an hour without use; the others by the setting of seed 001. */
const BI_SESSION_IDLE_MS = 30 * MS.minute;

/** The only place that constructs things. */
export async function compose(config: Config, options: ComposeOptions = {}): Promise<App> {
  const { clock = systemClock, log = createLog(config) } = options;
  const metrics = new Metrics();
  const ground = await openGround(config, log, clock, metrics);
  const { catalog, state, identity } = ground;
  const registry = composeRegistry({ catalog, audit: identity.audit, version: VERSION });
  options.extend?.(registry);
  const ports: CallPorts = {
    authorizer: identity.authorizer,
    limiter: identity.limiter,
    audit: identity.audit,
    log,
    observe: (operation, outcome, ms) => metrics.observeCall(operation, outcome, ms),
  };
  const stateKey = deriveKey(rootSecret(config.storage.home, config.security.jwtSecret), "mcp request state");
  const endpoints = new Map<Surface["name"], Endpoint>();
  for (const surface of MCP_SURFACES) {
    if (surface.name === "knowledge" && !config.knowledge.enabled) continue;
    const idleMs = surface.name === "bi" ? BI_SESSION_IDLE_MS : config.mcp.sessionTtlMinutes * MS.minute;
    const sessions = { kv: state.kv, clock, idleMs };
    endpoints.set(
      surface.name,
      new Endpoint({ surface, registry, ports, version: VERSION, stateKey, identity, sessions }),
    );
  }
  const http = createHttpApp(
    { ...config.server, log, observe: (...seen) => metrics.observeHttp(...seen) },
    (app) => mountAll(app, config, { endpoints, ports, identity, metrics, catalog }),
  );
  const sweeper = sweep(
    [...endpoints.values()],
    identity,
    config.mcp.sessionCleanupIntervalMinutes * MS.minute,
    log,
  );
  metrics.gauge("kenning_mcp_sessions", "MCP sessions that are not idle too long.", async () => {
    const counts = await Promise.all([...endpoints.values()].map(({ sessions }) => sessions.count()));
    return counts.reduce((sum, count) => sum + count, 0);
  });

  const server = createServer(
    { maxHeaderSize: 32 * 1024, headersTimeout: 20_000, requestTimeout: 300_000, keepAliveTimeout: 65_000 },
    getRequestListener(http.fetch, { overrideGlobalObjects: false }),
  );
  return {
    identity,
    registry,
    http,
    endpoints,
    listen: () => listen(server, config),
    async close() {
      clearInterval(sweeper);
      const drained = drain(server);
      await Promise.all([...endpoints.values()].map((endpoint) => endpoint.close()));
      await drained;
      await ground.close();
    },
  };
}

/** What commands need: the catalog and who is in it. */
export async function openIdentity(config: Config): Promise<{ identity: Identity; close(): Promise<void> }> {
  const { identity, close } = await openGround(config, createLog(config), systemClock);
  return { identity, close };
}

interface Ground {
  catalog: Catalog;
  state: SharedState;
  identity: Identity;
  close(): Promise<void>;
}

async function openGround(config: Config, log: Logger, clock: Clock, metrics?: Metrics): Promise<Ground> {
  const { home, databaseUrl, auditRetentionDays } = config.storage;
  const catalog = await openCatalog({ home, log, ...(databaseUrl !== null && { databaseUrl }) });
  try {
    await catalog.migrate();
    const state = createMemoryState();
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
    const close = async () => {
      await identity.close();
      await state.close();
      await catalog.close();
    };
    return { catalog, state, identity, close };
  } catch (error) {
    await catalog.close();
    throw error;
  }
}

interface Mounted {
  endpoints: ReadonlyMap<Surface["name"], Endpoint>;
  ports: CallPorts;
  identity: Identity;
  metrics: Metrics;
  catalog: Catalog;
}

function mountAll(
  app: HttpApp,
  config: Config,
  { endpoints, ports, identity, metrics, catalog }: Mounted,
): void {
  const { appUrl, apiPrefix } = config.server;
  const checkReady = async () => void (await catalog.ping());
  mountOps(app, { metrics, metricsToken: config.operations.metricsToken, version: VERSION, checkReady });
  mountLogin(app, identity);
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

function createLog(config: Config): Logger {
  // Logs go to stderr: stdout belongs to what commands print.
  return pino({ level: config.operations.logLevel, base: null }, pino.destination({ dest: 2, sync: false }));
}

function sweep(
  endpoints: readonly Endpoint[],
  identity: Identity,
  everyMs: number,
  log: Logger,
): NodeJS.Timeout {
  const timer = setInterval(() => {
    const work = [identity.audit.sweep(), ...endpoints.map(({ sessions }) => sessions.sweep())];
    Promise.all(work).catch((error) => log.warn({ err: error }, "sweep failed; trying again later"));
  }, everyMs);
  return timer.unref();
}

async function listen(server: HttpServer, config: Config): Promise<{ url: string }> {
  const { port, host } = config.server;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once("error", reject);
  server.listen(port, host, resolve);
  await promise;
  const bound = server.address() as AddressInfo;
  return { url: `http://${host.includes(":") ? `[${host}]` : host}:${bound.port}` };
}

/** Lets running requests end, then closes what is left. */
async function drain(server: HttpServer): Promise<void> {
  if (!server.listening) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  server.close(() => resolve());
  server.closeIdleConnections();
  const timer = setTimeout(() => server.closeAllConnections(), LIMITS.server.drainMs);
  await promise;
  clearTimeout(timer);
}
