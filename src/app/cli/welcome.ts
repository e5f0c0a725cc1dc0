import type { FirstAdmin } from "../../domains/identity/index.ts";
import { VERSION } from "../version.ts";

interface Welcome {
  /** Where the server listens. */
  url: string;
  /** Where clients find it. */
  appUrl: string;
  /** The account that was just made; null when there were accounts before. */
  admin: FirstAdmin | null;
  /** Where the first password still is; null when it has been changed. */
  passwordFile: string | null;
  /** The demo workspace, where there is one. */
  demo: { done: number; steps: number } | null;
  /** Whether a person reads this; otherwise it may be kept in a log, where no password belongs. */
  hasTerminal: boolean;
  /** How to call Kenning's commands from here. */
  program: string;
}

/** What a newcomer needs: where it is, how to get in, and what to paste into a client. */
export function renderWelcome(welcome: Welcome): string {
  const { url, appUrl, admin, passwordFile, program, demo, hasTerminal } = welcome;
  const email = admin?.email ?? "EMAIL";
  const workspace = demo !== null ? "demo" : (admin?.workspace ?? "SLUG");
  return [
    `Kenning ${VERSION} is running at ${appUrl} (listening on ${url})`,
    "",
    ...(admin === null ? signInAgain(passwordFile, program) : firstSignIn(admin, passwordFile, hasTerminal)),
    ...(demo === null ? [] : aboutDemo(demo, appUrl, program)),
    "",
    "Configuration for an MCP client (Claude, Cursor and others):",
    "",
    clientConfiguration(appUrl),
    "",
    "A token for it:",
    `  ${program} token create --user ${email} --workspace ${workspace} --kind mcp`,
    `A client that starts programs instead runs "${program} stdio" with the token in KENNING_TOKEN.`,
    "",
    "",
  ].join("\n");
}

function firstSignIn(
  { email, password, workspace }: FirstAdmin,
  passwordFile: string | null,
  hasTerminal: boolean,
): string[] {
  return [
    `Sign in as  ${email}  (admin of the workspace ${workspace})`,
    ...(hasTerminal
      ? [
          `Password    ${password}`,
          `            It is shown only now; ${passwordFile} keeps it, readable by you alone.`,
        ]
      : [`Password    in ${passwordFile}, readable by you alone`]),
  ];
}

function aboutDemo(
  { done, steps }: { done: number; steps: number },
  appUrl: string,
  program: string,
): string[] {
  const isFull = done === steps;
  return [
    "",
    isFull
      ? `The demo workspace has three dashboards and five questions to ask: ${appUrl}/`
      : `The demo workspace is being filled (a minute or less); ${appUrl}/ shows how far it is, then what to look at.`,
    `Remove it with:  ${program} demo remove`,
  ];
}

function signInAgain(passwordFile: string | null, program: string): string[] {
  const first = passwordFile === null ? "." : `; the first password is in ${passwordFile}.`;
  return [`Sign in as before${first}`, `A new password:  ${program} user set-password EMAIL`];
}

function clientConfiguration(appUrl: string): string {
  const kenning = {
    type: "http",
    url: `${appUrl}/mcp`,
    headers: { Authorization: "Bearer PUT-A-TOKEN-HERE" },
  };
  return JSON.stringify({ mcpServers: { kenning } }, null, 2);
}
