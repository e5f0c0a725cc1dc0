import { LIMITS } from "../../domains/llm/limits.ts";
import type { ProviderKind } from "../../platform/llm/index.ts";
import type { Terminal } from "./command.ts";
import { printListing, readSecret } from "./output.ts";
import { withData } from "./with-services.ts";

interface SetInput {
  args: { name: string };
  options: {
    workspace: string;
    kind: ProviderKind;
    model: string;
    "base-url": string | undefined;
    "key-file": string | undefined;
    "key-stdin": boolean;
    default: boolean;
    "send-rows": boolean;
    timeout: string | undefined;
  };
}

interface NamedInput {
  args: { name: string };
  options: { workspace: string };
}

export async function setProvider({ args, options }: SetInput, terminal: Terminal): Promise<number> {
  const { parseDuration } = await import("../../kernel/time.ts");
  const timeoutMs =
    options.timeout === undefined ? LIMITS.llm.defaultTimeoutMs : parseDuration(options.timeout);
  const source = { file: options["key-file"], isStdin: options["key-stdin"] };
  const key = await readSecret("key", source, terminal);
  const provider = await withData(async ({ identity, llm: { llm } }) => {
    const { id: workspaceId } = await identity.workspaces.bySlug(options.workspace);
    return llm.set({
      workspaceId,
      userId: null,
      name: args.name,
      kind: options.kind,
      model: options.model,
      baseUrl: options["base-url"] ?? null,
      key,
      isDefault: options.default,
      sendsRows: options["send-rows"],
      timeoutMs,
    });
  });
  const role = provider.isDefault ? ", the default of the workspace" : "";
  terminal.err(`${provider.name} is ${provider.model} (${provider.kind}) in ${options.workspace}${role}.\n`);
  return 0;
}

export async function listProviders(
  { options }: { options: { workspace: string; json: boolean } },
  terminal: Terminal,
): Promise<number> {
  const providers = await withData(async ({ identity, llm: { llm } }) =>
    llm.list((await identity.workspaces.bySlug(options.workspace)).id),
  );
  const items = providers.map(({ id: _, workspaceId: __, ...shown }) => shown);
  printListing(terminal, {
    items,
    json: options.json,
    columns: {
      name: ({ name }) => name,
      kind: ({ kind }) => kind,
      model: ({ model }) => model,
      address: ({ baseUrl }) => baseUrl,
      key: ({ hasKey }) => hasKey,
      default: ({ isDefault }) => isDefault,
      "gets rows": ({ sendsRows }) => sendsRows,
    },
    empty: "There are no language models yet: questions are answered by rules alone.",
  });
  return 0;
}

export async function removeProvider({ args, options }: NamedInput, terminal: Terminal): Promise<number> {
  await withData(async ({ identity, llm: { llm } }) =>
    llm.remove((await identity.workspaces.bySlug(options.workspace)).id, args.name, null),
  );
  terminal.err(`${args.name} is removed, and its key with it.\n`);
  return 0;
}

export async function testProvider({ args, options }: NamedInput, terminal: Terminal): Promise<number> {
  const signal = AbortSignal.timeout(LIMITS.llm.longestTimeoutMs);
  const { name, model } = await withData(async ({ identity, llm: { llm } }) =>
    llm.test((await identity.workspaces.bySlug(options.workspace)).id, args.name, signal),
  );
  terminal.out(`${name}: ${model} answers.\n`);
  return 0;
}
