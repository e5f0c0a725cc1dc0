import { ROLES } from "../../kernel/permissions.ts";
import { VERSION } from "../version.ts";
import { type Command, defineCommand, JSON_OPTION, type Option, WORKSPACE } from "./command.ts";
import {
  AUDIT_COMMANDS,
  DATASOURCE_COMMANDS,
  DEMO_COMMANDS,
  EVAL_COMMANDS,
  KB_COMMANDS,
  LLM_COMMANDS,
  MEMORY_COMMANDS,
} from "./slice-commands.ts";

const USER = {
  value: "EMAIL",
  description: "The person it acts for",
  required: true,
} as const satisfies Option;
const ROLE = {
  value: "ROLE",
  description: "What the person may do",
  choices: ROLES,
  required: true,
} as const satisfies Option;
const PASSWORD_STDIN = {
  description: "Read the password from standard input instead of making one up",
} as const;
const MODEL_FILE = { file: "A .yaml or .json file, or a folder" } as const;
const EMAIL = { email: "E-mail address of the account" } as const;
const DATASET = { dataset: "Its name or its id" } as const;

const TOKEN_OPTIONS = {
  user: USER,
  workspace: WORKSPACE,
  kind: {
    value: "KIND",
    description: "Where it is good",
    choices: ["api", "mcp", "memory", "knowledge"],
    required: true,
  },
  name: { value: "NAME", description: "A name to know it by" },
  scopes: {
    value: "A,B",
    description: "Permissions, such as memory:read; default: all that the person's role allows",
  },
  "read-only": { description: "It may not change anything" },
  toolsets: { value: "A,B", description: "Only the tools of these toolsets" },
  models: { value: "A,B", description: "Only these semantic models, and rows through them alone" },
  "knowledge-bases": { value: "1,2", description: "Only the knowledge bases with these ids" },
  expires: { value: "TIME", description: "How long it lives, such as 12h, 90d or 1y" },
} as const satisfies Record<string, Option>;

/** Every command of Kenning, in the order of the help. Each loads its work only when it is used. */
export const COMMANDS: readonly Command[] = [
  defineCommand({
    name: "serve",
    reads: true,
    summary: "Start the server",
    options: { "no-demo": { description: "Start without demo data" } },
    notes: ["Settings come from the environment and from a file .env in the working directory."],
    run: async ({ options }, terminal) =>
      (await import("./serve.ts")).serve({ demo: !options["no-demo"] }, terminal),
  }),
  defineCommand({
    name: "call",
    // What a tool does is in the audit log as its own call.
    reads: true,
    summary: "Run any tool that clients can call, as the operator or as a member",
    args: { tool: "Its name; kenning call TOOL --help tells its arguments" },
    options: {
      workspace: WORKSPACE,
      user: { value: "EMAIL", description: "As this member, with the power of their role" },
      arg: {
        value: "NAME=VALUE",
        description: "An argument; @FILE is what is in a file, @- standard input",
        many: true,
      },
      args: { value: "JSON", description: "All arguments as a JSON object, or @FILE" },
      output: { value: "FILE", description: "Where to write a file that the tool answers, or else its JSON" },
      field: { value: "NAME", description: "Print only this field of the answer" },
      ...JSON_OPTION,
    },
    notes: [
      "A value is read as the tool wants it: a number, true, a list (a,b or JSON), JSON; options.sheet=2 sets one field of an object. file_url=@orders.csv sends a file of any size, and names the dataset after it. A secret is read from a file (api_key=@key.txt), so that nobody sees it in the list of processes.",
      "The server need not run. The exit code is 1 when the tool refuses or fails.",
    ],
    explain: async ({ tool }) => (await import("./call.ts")).explainTools(tool),
    run: async (input, terminal) => (await import("./call.ts")).callTool(input, terminal),
  }),
  defineCommand({
    name: "workspace create",
    summary: "Make a workspace: a tenant with its own people, data and documents",
    args: { slug: "Its name in addresses: lower-case letters, digits and hyphens" },
    options: { name: { value: "NAME", description: "Its name on screens; default: the slug" } },
    run: async (input, terminal) => (await import("./workspace.ts")).createWorkspace(input, terminal),
  }),
  defineCommand({
    name: "workspace list",
    reads: true,
    summary: "List the workspaces",
    options: JSON_OPTION,
    run: async (input, terminal) => (await import("./workspace.ts")).listWorkspaces(input, terminal),
  }),
  defineCommand({
    name: "workspace plan",
    reads: ({ options }) => options.use === undefined && options.limits === undefined,
    summary: "Show what a workspace may use and has used, or give it a plan",
    args: { slug: "The workspace" },
    options: {
      use: {
        value: "PLAN",
        description: "Put it on this plan: self-hosted (no limits) or private (100 memories)",
      },
      limits: { value: "A=N,B=N", description: "Limits of its own, such as memories=500,agent_calls=1000" },
      members: { description: "What each member has used of agent calls and language models this month" },
      ...JSON_OPTION,
    },
    notes: [
      "memories counts what is kept; by month (UTC), agent_calls counts the questions, searches and instructions in words that were answered, llm_calls and llm_tokens what language models were asked and answered. Where a limit is reached, more is refused with 402, and nothing is taken away. A workspace on the plan private also has 60 requests a minute with one token on the memory endpoint instead of 600. It holds from the next call on; the server need not be restarted.",
    ],
    run: async (input, terminal) => (await import("./workspace.ts")).workspacePlan(input, terminal),
  }),
  defineCommand({
    name: "user create",
    summary: "Make an account and a member of a workspace",
    args: EMAIL,
    options: {
      workspace: WORKSPACE,
      role: ROLE,
      name: { value: "NAME", description: "The person's name" },
      "password-stdin": PASSWORD_STDIN,
    },
    notes: [
      "A password that was made up is printed alone on standard output. An account that exists keeps its own.",
    ],
    run: async (input, terminal) => (await import("./user.ts")).createUser(input, terminal),
  }),
  defineCommand({
    name: "user list",
    reads: true,
    summary: "List the members of all workspaces or of one",
    options: { workspace: { value: "SLUG", description: "Only this workspace" }, ...JSON_OPTION },
    run: async (input, terminal) => (await import("./user.ts")).listUsers(input, terminal),
  }),
  defineCommand({
    name: "user disable",
    summary: "Lock an account: no sign-in, and its tokens stop working",
    args: EMAIL,
    run: async (input, terminal) => (await import("./user.ts")).disableUser(input, terminal),
  }),
  defineCommand({
    name: "user enable",
    summary: "Unlock an account",
    args: EMAIL,
    run: async (input, terminal) => (await import("./user.ts")).enableUser(input, terminal),
  }),
  defineCommand({
    name: "user unlink",
    summary: "Forget who an account is to identity providers, so that its address can be linked anew",
    args: EMAIL,
    run: async (input, terminal) => (await import("./user.ts")).unlinkUser(input, terminal),
  }),
  defineCommand({
    name: "user set-role",
    summary: "Change what a person may do in a workspace",
    args: EMAIL,
    options: { workspace: WORKSPACE, role: ROLE },
    run: async (input, terminal) => (await import("./user.ts")).setRole(input, terminal),
  }),
  defineCommand({
    name: "user set-attribute",
    summary: "Say something about a member that policies of datasets can ask for, such as a region",
    args: { ...EMAIL, attribute: "Its name" },
    options: {
      workspace: WORKSPACE,
      value: { value: "TEXT", description: "What it is for this member" },
      remove: { description: "Take it away" },
    },
    run: async (input, terminal) => (await import("./user.ts")).setAttribute(input, terminal),
  }),
  defineCommand({
    name: "user set-password",
    summary: "Give an account a new password",
    args: EMAIL,
    options: { "password-stdin": PASSWORD_STDIN },
    notes: ["A password that was made up is printed alone on standard output."],
    run: async (input, terminal) => (await import("./user.ts")).setPassword(input, terminal),
  }),
  defineCommand({
    name: "group create",
    summary: "Make a group of members, for policies of datasets",
    args: { group: "Its name" },
    options: { workspace: WORKSPACE },
    run: async (input, terminal) => (await import("./user.ts")).createGroup(input, terminal),
  }),
  defineCommand({
    name: "group list",
    reads: true,
    summary: "List the groups of a workspace, with the ids by which policies name them",
    options: { workspace: WORKSPACE, ...JSON_OPTION },
    run: async (input, terminal) => (await import("./user.ts")).listGroups(input, terminal),
  }),
  defineCommand({
    name: "group add",
    summary: "Put a member into a group",
    args: { group: "Its name", ...EMAIL },
    options: { workspace: WORKSPACE },
    run: async (input, terminal) => (await import("./user.ts")).addToGroup(input, terminal),
  }),
  defineCommand({
    name: "group remove",
    summary: "Take a member out of a group",
    args: { group: "Its name", ...EMAIL },
    options: { workspace: WORKSPACE },
    run: async (input, terminal) => (await import("./user.ts")).removeFromGroup(input, terminal),
  }),
  defineCommand({
    name: "token create",
    summary: "Make a token for a client or a script",
    options: TOKEN_OPTIONS,
    notes: [
      "The token is printed alone on standard output, this once only.",
      "Kinds: api is good on every endpoint, mcp on every MCP endpoint, memory on the memory endpoint and knowledge on the knowledge endpoint (both also on /mcp).",
    ],
    run: async (input, terminal) => (await import("./token.ts")).createToken(input, terminal),
  }),
  defineCommand({
    name: "token list",
    reads: true,
    summary: "List tokens, never their secret part",
    options: {
      user: { value: "EMAIL", description: "Only those of this person" },
      workspace: { value: "SLUG", description: "Only those of this workspace" },
      all: { description: "Also those that are expired or revoked" },
      ...JSON_OPTION,
    },
    run: async (input, terminal) => (await import("./token.ts")).listTokens(input, terminal),
  }),
  defineCommand({
    name: "token revoke",
    summary: "End a token at once",
    args: { id: "Its number, as token list shows it" },
    run: async (input, terminal) => (await import("./token.ts")).revokeToken(input, terminal),
  }),
  defineCommand({
    name: "client create",
    summary: "Make a client id and secret for POST /api/2.0/login",
    options: { user: USER, workspace: WORKSPACE, ...JSON_OPTION },
    run: async (input, terminal) => (await import("./token.ts")).createClient(input, terminal),
  }),
  defineCommand({
    name: "app register",
    summary: "Register an OAuth client that cannot register itself",
    args: { name: "What people see when it asks to be connected" },
    options: {
      "redirect-uri": { value: "URI,URI", description: "Where it may send people back to", required: true },
    },
    notes: ["The client id is printed alone on standard output."],
    run: async (input, terminal) => (await import("./token.ts")).registerApp(input, terminal),
  }),
  defineCommand({
    name: "app list",
    reads: true,
    summary: "List the OAuth clients that were registered",
    options: JSON_OPTION,
    run: async (input, terminal) => (await import("./token.ts")).listApps(input, terminal),
  }),
  defineCommand({
    name: "app remove",
    summary: "Forget a registered OAuth client; what people have connected stays until they revoke it",
    args: { id: "Its client id, as app list shows it" },
    run: async (input, terminal) => (await import("./token.ts")).removeApp(input, terminal),
  }),
  defineCommand({
    name: "dataset import",
    summary: "Make a dataset of a file, or replace the rows of one",
    args: { file: "CSV, TSV, JSON, NDJSON, XML, Excel or Parquet, also compressed with gzip" },
    options: {
      workspace: WORKSPACE,
      name: { value: "NAME", description: "The dataset's name; default: that of the file" },
      append: { description: "Add the rows to those that are there" },
      type: {
        value: "TYPE",
        description: "What the file is, if that is not detected",
        choices: ["csv", "tsv", "json", "ndjson", "xml", "excel", "parquet"],
      },
      delimiter: { value: "CHARACTER", description: "CSV: what stands between the values, or the word tab" },
      "no-header": { description: "CSV, Excel: the first line is a row" },
      encoding: { value: "NAME", description: "Of a text, such as windows-1252" },
      decimal: { value: "MARK", description: "CSV: the mark before decimals", choices: [".", ","] },
      "date-format": { value: "FORMAT", description: "CSV: how dates are written, such as MM/DD/YYYY" },
      sheet: { value: "SHEET", description: "Excel: name or number of the sheet" },
      "row-path": { value: "PATH", description: "XML, JSON: which elements are the rows" },
      "allow-empty": { description: "Let a file without rows replace the rows of a dataset" },
      ...JSON_OPTION,
    },
    notes: ["Rows that cannot be read are left out and reported with their line and the reason."],
    run: async (input, terminal) => (await import("./dataset.ts")).importDataset(input, terminal),
  }),
  defineCommand({
    name: "dataset export",
    summary: "Write all rows of a dataset to a file",
    args: DATASET,
    options: {
      workspace: WORKSPACE,
      output: { value: "FILE", description: "Where to, or - for standard output", required: true },
      format: {
        value: "FORMAT",
        description: "As what; default: as the file's name ends, otherwise csv",
        choices: ["csv", "json", "parquet"],
      },
    },
    run: async (input, terminal) => (await import("./dataset.ts")).exportDataset(input, terminal),
  }),
  defineCommand({
    name: "model publish",
    reads: ({ options }) => options["dry-run"],
    summary: "Publish semantic models from an Ossie/OSI file, or from a folder of them",
    args: MODEL_FILE,
    options: {
      workspace: WORKSPACE,
      replace: { description: "Also where the published model of that name is about other datasets" },
      "dry-run": { description: "Only say what is wrong and what would change" },
    },
    notes: [
      "The data must be there under the names of the model's sources. With an error nothing is published.",
    ],
    run: async (input, terminal) => (await import("./model.ts")).publishModel(input, terminal),
  }),
  ...EVAL_COMMANDS,
  ...LLM_COMMANDS,
  ...DATASOURCE_COMMANDS,
  ...KB_COMMANDS,
  ...MEMORY_COMMANDS,
  ...DEMO_COMMANDS,
  ...AUDIT_COMMANDS,
  defineCommand({
    name: "stdio",
    reads: true,
    summary:
      "Offer the tools of /mcp of the running server to a desktop client, over standard input and output",
    options: {
      token: {
        value: "TOKEN",
        description: "A token; better in KENNING_TOKEN, where other users cannot see it",
      },
      url: { value: "URL", description: "The endpoint; default: /mcp of APP_URL" },
    },
    run: async ({ options }, terminal) => (await import("./stdio.ts")).stdio(options, terminal),
  }),
  defineCommand({
    name: "home adopt",
    reads: true,
    summary: "Let the database go on with this home, when the one it was used with is lost",
    options: { "accept-loss": { description: "Also when something of the former home is lost for good" } },
    notes: [
      "A database belongs to one home (KENNING_HOME): the rows of datasets and the files of documents are in its folder blobs, and secrets (passwords of datasources, keys of language models) are sealed with its root secret. A server with another home does not start.",
      "Stop all servers first. Without --accept-loss nothing is changed if anything would be lost; what that is, is listed.",
    ],
    run: async (input, terminal) => (await import("./installation.ts")).adopt(input, terminal),
  }),
  defineCommand({
    name: "doctor",
    reads: true,
    summary: "Check the installation and say what to do",
    options: {
      ...JSON_OPTION,
      deep: { description: "Also read every file of the datasets, and compare it with what was written" },
    },
    run: async ({ options }, terminal) => (await import("./installation.ts")).doctor(options, terminal),
  }),
  defineCommand({
    name: "completion",
    reads: true,
    summary: "Print a script by which a shell completes commands, tools and their arguments",
    args: { shell: "bash, zsh or fish" },
    notes: ["For bash: kenning completion bash > ~/.local/share/bash-completion/completions/kenning"],
    run: async ({ args }, terminal) =>
      (await import("./completion.ts")).complete(args.shell, COMMANDS, terminal),
  }),
  defineCommand({
    name: "version",
    reads: true,
    summary: "Show the version",
    run: async (_, terminal) => {
      terminal.out(`kenning ${VERSION}\n`);
      return 0;
    },
  }),
];
