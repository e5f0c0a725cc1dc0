/** How the well-known clients are told of this server. */
export interface ClientGuide {
  id: string;
  client: string;
  /** What to do with the snippet; the first step of several. */
  steps: string;
  snippet: string;
  after?: string;
  /** A link that opens the client and adds the server there. */
  install?: { label: string; href: string };
  /** Why it cannot work with this address. */
  warning?: string;
}

const NAME = "kenning";
const NEEDS_PUBLIC =
  "ChatGPT calls from OpenAI’s servers, so it needs an https address that is reachable from the internet. This one is not: put the server behind such an address and set APP_URL to it.";

export function clientGuides(address: string): ClientGuide[] {
  const isPublic = isReachable(new URL(address));
  const entry = { type: "http", url: address };
  return [
    {
      id: "claude-code",
      client: "Claude Code",
      steps: "Run this in a terminal:",
      snippet: `claude mcp add --transport http ${NAME} ${address}`,
      after: "Then type /mcp in a session, choose kenning and sign in.",
    },
    isPublic ? claudeConnector(address) : claudeDesktop(address),
    {
      id: "chatgpt",
      client: "ChatGPT",
      steps:
        "In Settings, open Apps, then Advanced settings, and switch on Developer mode. Choose Create app, with OAuth and this address:",
      snippet: address,
      ...(!isPublic && { warning: NEEDS_PUBLIC }),
    },
    {
      id: "cursor",
      client: "Cursor",
      steps: "Add it with the button, or put this into ~/.cursor/mcp.json:",
      snippet: json({ mcpServers: { [NAME]: { url: address } } }),
      install: { label: "Add to Cursor", href: cursorLink({ url: address }) },
    },
    {
      id: "vs-code",
      client: "VS Code",
      steps: "Add it with the button, or put this into .vscode/mcp.json:",
      snippet: json({ servers: { [NAME]: entry } }),
      install: {
        label: "Add to VS Code",
        href: `vscode:mcp/install?${encodeURIComponent(JSON.stringify({ name: NAME, ...entry }))}`,
      },
    },
    {
      id: "codex",
      client: "Codex",
      steps: "Run this in a terminal:",
      snippet: `codex mcp add ${NAME} --url ${address}\ncodex mcp login ${NAME}`,
    },
    {
      id: "other",
      client: "Other",
      steps:
        "Most take this, in a file of their own. Leave the headers out where the client can open a browser to sign in; otherwise put in a token.",
      snippet: json({
        mcpServers: { [NAME]: { ...entry, headers: { Authorization: "Bearer YOUR_TOKEN" } } },
      }),
    },
    {
      id: "curl",
      client: "curl",
      steps: "To see whether a token works:",
      snippet: curl(address),
    },
  ];
}

function claudeConnector(address: string): ClientGuide {
  return {
    id: "claude",
    client: "Claude",
    steps: "In Settings, open Connectors, choose Add custom connector and paste this address:",
    snippet: address,
  };
}

/** Connectors are called from Anthropic's servers; a local address is reached by a program on the same machine. */
function claudeDesktop(address: string): ClientGuide {
  const { protocol, hostname } = new URL(address);
  const allowHttp = protocol === "http:" && !isLoopback(hostname) ? ["--allow-http"] : [];
  const bridge = { command: "npx", args: ["-y", "mcp-remote", address, ...allowHttp] };
  return {
    id: "claude",
    client: "Claude Desktop",
    steps:
      "In Settings, open Developer, choose Edit Config, put this into claude_desktop_config.json and start Claude again (it needs Node):",
    snippet: json({ mcpServers: { [NAME]: bridge } }),
    after:
      "Where Kenning itself is installed, its own “kenning stdio” does the same with a token in KENNING_TOKEN.",
  };
}

function cursorLink(config: object): string {
  const encoded = Buffer.from(JSON.stringify(config)).toString("base64");
  return `cursor://anysphere.cursor-deeplink/mcp/install?name=${NAME}&config=${encodeURIComponent(encoded)}`;
}

function curl(address: string): string {
  return [
    `curl ${address} \\`,
    '  -H "Authorization: Bearer YOUR_TOKEN" \\',
    '  -H "Content-Type: application/json" \\',
    '  -H "Accept: application/json, text/event-stream" \\',
    `  -d '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"whoami","arguments":{}}}'`,
  ].join("\n");
}

function isReachable({ protocol, hostname }: URL): boolean {
  return protocol === "https:" && hostname.includes(".") && !isLoopback(hostname);
}

function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || hostname.startsWith("127.");
}

function json(value: unknown): string {
  return JSON.stringify(value, null, 2);
}
