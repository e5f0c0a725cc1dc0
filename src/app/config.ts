import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { AGENT_SETTINGS } from "../domains/agent/settings.ts";
import { ASSETS_SETTINGS } from "../domains/assets/settings.ts";
import { DATA_SETTINGS } from "../domains/data/settings.ts";
import { IDENTITY_SETTINGS } from "../domains/identity/settings.ts";
import { KNOWLEDGE_SETTINGS } from "../domains/knowledge/settings.ts";
import { AppError, messageOf } from "../kernel/errors.ts";
import { nearest } from "../kernel/text.ts";
import { CATALOG_SETTINGS } from "../platform/catalog/settings.ts";
import { DELIVERY_SETTINGS } from "../platform/delivery/settings.ts";
import { DRAWING_SETTINGS } from "../platform/drawing/settings.ts";
import { EMBEDDING_SETTINGS } from "../platform/embeddings/settings.ts";
import { FETCH_SETTINGS } from "../platform/guarded-fetch/settings.ts";
import {
  type AnySetting,
  baseUrl,
  choice,
  type Facts,
  flag,
  folder,
  host,
  hosts,
  integer,
  networks,
  origins,
  pathPrefix,
  type Setting,
  type SettingTree,
  secret,
  text,
  type ValuesOf,
} from "../platform/settings/index.ts";
import { STATE_SETTINGS } from "../platform/state/settings.ts";
import { MCP_SETTINGS } from "../surfaces/mcp/settings.ts";
import { OAUTH_SETTINGS } from "../surfaces/oauth/settings.ts";

const LOG_LEVELS = ["fatal", "error", "warn", "info", "debug", "trace", "silent"] as const;

/**
 * Every setting of Kenning: what slices, engines and surfaces declare of their own in a `settings.ts`, gathered under
 * the headings of docs/configuration.md, and what is app's own. The table is the schema: the shape of `Config`, the
 * checks at start and that page all come from it.
 */
export const SETTINGS = {
  server: {
    title: "Server",
    settings: {
      port: integer(
        "PORT",
        { default: 8319, min: 0, max: 65_535 },
        "Port on which Kenning listens. `0` takes any free one, for tests.",
      ),
      host: host(
        "KENNING_HOST",
        "127.0.0.1",
        "Address on which Kenning listens. Only this machine can reach the default; `0.0.0.0` (or `::`) opens it to the network: put a proxy with TLS before it and set `APP_URL`.",
      ),
      appUrl: baseUrl(
        "APP_URL",
        ({ port }) => `http://localhost:${port}`,
        "`http://localhost:PORT`",
        "The address under which clients reach Kenning. It stands in every link, in the metadata for sign-in and in the audience of tokens, so behind a proxy it must be the public one.",
      ),
      apiPrefix: pathPrefix(
        "API_PREFIX",
        "A path under which the external knowledge endpoint is mounted a second time: with `/api` it also answers at `/api/mcp/knowledge-external`.",
      ),
      trustedProxies: networks(
        "KENNING_TRUSTED_PROXIES",
        "Proxies whose `X-Forwarded-For` is believed. From anyone else it is ignored, and the address of the connection counts. Scheme and host always come from `APP_URL`.",
      ),
      allowedHosts: hosts(
        "KENNING_ALLOWED_HOSTS",
        "Host names, besides the one of `APP_URL` and the names of the loopback interface, that a request may carry in `Host`. Others are refused, which protects against DNS rebinding.",
      ),
      allowedOrigins: origins(
        "KENNING_ALLOWED_ORIGINS",
        "Origins, besides the one of `APP_URL`, from which a web page may call Kenning.",
      ),
      nodeEnv: text("NODE_ENV", "Kenning always runs as in production, whatever this says.", {
        reserved: true,
      }),
    },
  },
  storage: {
    title: "Storage",
    settings: {
      home: folder(
        "KENNING_HOME",
        ({ root, dataFolder }) => (root ? "/var/lib/kenning" : join(dataFolder, "kenning")),
        "`/var/lib/kenning` as root, else `~/.local/share/kenning` (below `XDG_DATA_HOME` if that is set)",
        "The data folder: embedded database, files, keys, logs. As root the folders above it must be passable for other users, because the database runs as one.",
      ),
      ...CATALOG_SETTINGS.storage,
      ...STATE_SETTINGS.storage,
      ...DATA_SETTINGS.storage,
      ...IDENTITY_SETTINGS.storage,
    },
  },
  security: {
    title: "Sign-in and secrets",
    settings: {
      jwtSecret: secret(
        "JWT_SECRET",
        32,
        "The root from which the keys for cookies, downloads and request state are derived. Without it a random one is kept in the data folder; several servers on one database need the same.",
      ),
      ...IDENTITY_SETTINGS.security,
      ...OAUTH_SETTINGS.security,
      ...FETCH_SETTINGS.security,
    },
  },
  mcp: {
    title: "Sessions and rate limits",
    settings: {
      ...MCP_SETTINGS.mcp,
      ...IDENTITY_SETTINGS.mcp,
    },
  },
  knowledge: {
    title: "External knowledge endpoint",
    settings: KNOWLEDGE_SETTINGS.knowledge,
  },
  embeddings: {
    title: "Search",
    settings: EMBEDDING_SETTINGS.embeddings,
  },
  agent: {
    title: "Questions",
    settings: AGENT_SETTINGS.agent,
  },
  exports: {
    title: "Exports",
    settings: { ...ASSETS_SETTINGS.exports, ...DRAWING_SETTINGS.exports },
  },
  mail: {
    title: "Mail",
    settings: DELIVERY_SETTINGS.mail,
  },
  operations: {
    title: "Operations",
    settings: {
      logLevel: choice(
        "KENNING_LOG_LEVEL",
        LOG_LEVELS,
        "info",
        "Least important log entry that is written. With `debug` commands also print the stack of an unexpected error.",
      ),
      testLong: flag(
        "KENNING_TEST_LONG",
        false,
        "Set by `npm run test:long` for the tests; Kenning itself does not look at it.",
      ),
      demo: flag(
        "KENNING_DEMO",
        true,
        "Whether the first start on an empty home makes the demo workspace; `kenning serve --no-demo` is the same for once.",
      ),
      metricsToken: secret(
        "KENNING_METRICS_TOKEN",
        16,
        "Bearer token that `/metrics` asks for. Without it, `/metrics` answers only connections from this machine that no proxy has forwarded.",
      ),
    },
  },
  client: {
    title: "Command line",
    settings: {
      token: secret(
        "KENNING_TOKEN",
        1,
        "Token for `kenning stdio`, instead of `--token`, which other users of the machine can see in the list of processes.",
      ),
      workspace: text(
        "KENNING_WORKSPACE",
        "The workspace of commands that are given none with `--workspace`.",
      ),
    },
  },
} as const satisfies Record<string, SettingGroup>;

interface SettingGroup {
  readonly title: string;
  readonly settings: SettingTree;
}

export type Config = {
  readonly [Group in keyof typeof SETTINGS]: ValuesOf<(typeof SETTINGS)[Group]["settings"]>;
};

export interface Surroundings {
  env?: NodeJS.ProcessEnv;
  /** Where an optional `.env` file is looked for. */
  cwd?: string;
  root?: boolean;
}

/** Reads all settings, or throws one sentence that names the first one that is wrong. */
export function loadConfig(surroundings: Surroundings = {}): Config {
  const { env = process.env, cwd = process.cwd(), root = process.getuid?.() === 0 } = surroundings;
  const source = new Source(env, readDotEnv(join(cwd, ".env")));
  source.refuseUnknownNames();
  const facts: Facts = {
    port: source.read(SETTINGS.server.settings.port, NO_FACTS),
    root,
    dataFolder: env.XDG_DATA_HOME || join(homedir(), ".local", "share"),
  };
  const groups = Object.entries<SettingGroup>(SETTINGS);
  return Object.fromEntries(
    groups.map(([name, { settings }]) => [name, source.readTree(settings, facts)]),
  ) as Config;
}

/** All settings of a group in the order of the table. */
export function settingsOf(tree: SettingTree): AnySetting[] {
  return Object.values(tree).flatMap((node) => (isSetting(node) ? [node] : settingsOf(node)));
}

const NO_FACTS: Facts = { port: 0, root: false, dataFolder: "" };

class Source {
  readonly #env: NodeJS.ProcessEnv;
  readonly #dotEnv: NodeJS.Dict<string>;

  constructor(env: NodeJS.ProcessEnv, dotEnv: NodeJS.Dict<string>) {
    this.#env = env;
    this.#dotEnv = dotEnv;
  }

  /** A mistyped name would otherwise be ignored, and the setting silently keep its default. */
  refuseUnknownNames(): void {
    const all = Object.values<SettingGroup>(SETTINGS).flatMap(({ settings }) => settingsOf(settings));
    const known = all.map(({ name }) => name).filter((name) => name.startsWith("KENNING_"));
    for (const name of [...Object.keys(this.#env), ...Object.keys(this.#dotEnv)]) {
      if (!name.startsWith("KENNING_") || known.includes(name)) continue;
      const meant = nearest(name, known);
      const advice = meant === undefined ? `known names are ${known.join(", ")}` : `did you mean ${meant}?`;
      const sentence = `${name}${this.#origin(name)} is not a setting of Kenning; ${advice}`;
      throw new AppError("bad_request", sentence.endsWith("?") ? sentence : `${sentence}.`);
    }
  }

  readTree(tree: SettingTree, facts: Facts): unknown {
    const entries = Object.entries(tree);
    return Object.fromEntries(
      entries.map(([key, node]) => [
        key,
        isSetting(node) ? this.read(node, facts) : this.readTree(node, facts),
      ]),
    );
  }

  read<T>(setting: Setting<T>, facts: Facts): T {
    const value = this.#text(setting.name);
    if (value === "") {
      return typeof setting.fallback === "function"
        ? (setting.fallback as (facts: Facts) => T)(facts)
        : setting.fallback;
    }
    const parsed = setting.schema.safeParse(value);
    if (parsed.success) return parsed.data;
    const where = `${setting.name}${this.#origin(setting.name)}`;
    // A secret must not end up in a terminal or a log, not even a wrong one.
    const found = setting.secret
      ? "has a value that cannot be used; it"
      : `is ${JSON.stringify(excerpt(value))}, but`;
    throw new AppError("bad_request", `${where} ${found} must be ${setting.allowed}.`);
  }

  /** An empty value counts as not set: that is how templates and compose files leave something out. */
  #text(name: string): string {
    return this.#env[name]?.trim() || this.#dotEnv[name]?.trim() || "";
  }

  #origin(name: string): string {
    return this.#env[name]?.trim() ? "" : " (in the file .env)";
  }
}

function isSetting(node: AnySetting | SettingTree): node is AnySetting {
  return "schema" in node && "fallbackText" in node;
}

function readDotEnv(path: string): NodeJS.Dict<string> {
  try {
    return parseEnv(readFileSync(path, "utf8"));
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === "ENOENT" || code === "ENOTDIR") return {};
    throw new AppError("bad_request", `The settings file ${path} cannot be read: ${messageOf(error)}.`, {
      cause: error,
    });
  }
}

function excerpt(value: string): string {
  return value.length > 80 ? `${value.slice(0, 80)}…` : value;
}
