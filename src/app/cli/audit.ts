import { closeSync, openSync, writeSync } from "node:fs";
import { resolve } from "node:path";
import type { AuditFilter, AuditRecord, Identity } from "../../domains/identity/index.ts";
import { LIMITS } from "../../domains/identity/limits.ts";
import { AppError } from "../../kernel/errors.ts";
import { parseDuration } from "../../kernel/time.ts";
import type { Terminal } from "./command.ts";
import { printListing } from "./output.ts";
import { withIdentity } from "./with-services.ts";

interface Filters {
  workspace: string | undefined;
  action: string | undefined;
  user: string | undefined;
  token: string | undefined;
  application: string | undefined;
  address: string | undefined;
  dataset: string | undefined;
  since: string | undefined;
  until: string | undefined;
  "slower-than": string | undefined;
  failed: boolean;
}

export async function listAudit(
  { options }: { options: Filters & { limit: string | undefined; json: boolean } },
  terminal: Terminal,
): Promise<number> {
  const most = options.limit === undefined ? 50 : wholeNumber("limit", options.limit);
  const items = await withIdentity(async (identity) => {
    const found: AuditRecord[] = [];
    for await (const event of eventsOf(identity, options)) {
      if (found.length === most) break;
      found.push(event);
    }
    return found;
  });
  printListing(terminal, {
    items,
    json: options.json,
    columns: {
      id: ({ id }) => id,
      at: ({ at }) => at.toISOString().slice(0, 19).replace("T", " "),
      action: ({ action }) => action,
      what: ({ resourceId }) => resourceId,
      user: ({ email }) => email,
      by: ({ metadata, tokenId }) => String(metadata.applicationName ?? (tokenId ? `token ${tokenId}` : "")),
      address: ({ address }) => address,
      datasets: ({ datasets }) => datasets.join(","),
      outcome: ({ outcome }) => outcome,
      ms: ({ durationMs }) => durationMs,
    },
    empty: "There are no such events.",
  });
  return 0;
}

export async function exportAudit(
  { options }: { options: Filters & { output: string | undefined } },
  terminal: Terminal,
): Promise<number> {
  const { output } = options;
  const file = output === undefined ? undefined : openSync(resolve(output), "wx", 0o600);
  const write = (line: string) => (file === undefined ? terminal.out(line) : void writeSync(file, line));
  let count = 0;
  try {
    await withIdentity(async (identity) => {
      for await (const event of eventsOf(identity, options)) {
        write(`${JSON.stringify(event)}\n`);
        count += 1;
      }
    });
  } finally {
    if (file !== undefined) closeSync(file);
  }
  if (output !== undefined) terminal.err(`Wrote ${count} events to ${output}.\n`);
  return 0;
}

/** Page by page, so that there are never more in memory than one page has. */
async function* eventsOf(identity: Identity, options: Filters): AsyncGenerator<AuditRecord> {
  const workspace = options.workspace && (await identity.workspaces.bySlug(options.workspace));
  const filter = await filterOf(identity, options);
  const page = { limit: LIMITS.identity.auditPageEvents };
  for (let before: number | null | undefined; before !== null; ) {
    const found = await identity.audit.list(workspace ? workspace.id : null, {
      ...filter,
      ...page,
      ...(before !== undefined && { before }),
    });
    yield* found.events;
    before = found.nextBefore;
  }
}

async function filterOf(identity: Identity, options: Filters): Promise<Omit<AuditFilter, "limit">> {
  const { action, user, token, application, address, dataset, since, until, failed } = options;
  const slowerThan = options["slower-than"];
  return {
    ...(action !== undefined && { action }),
    ...(user !== undefined && { userId: await userId(identity, user) }),
    ...(token !== undefined && { tokenId: wholeNumber("token", token) }),
    ...(application !== undefined && { application }),
    ...(address !== undefined && { address }),
    ...(dataset !== undefined && { datasetId: wholeNumber("dataset", dataset) }),
    ...(since !== undefined && { since: moment("since", since) }),
    ...(until !== undefined && { until: moment("until", until) }),
    ...(slowerThan !== undefined && { slowerThanMs: wholeNumber("slower-than", slowerThan) }),
    ...(failed && { success: false }),
  };
}

async function userId({ users }: Identity, email: string): Promise<number> {
  const found = (await users.list({})).find((one) => one.email === email.trim().toLowerCase());
  if (found !== undefined) return found.userId;
  throw new AppError("not_found", `There is no member ${email}.`, { hint: "See: kenning user list" });
}

function wholeNumber(option: string, text: string): number {
  const number = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(number)) return number;
  throw new AppError("bad_request", `--${option} takes a whole number, not ${JSON.stringify(text)}.`);
}

/** A time, or how long ago. */
function moment(option: string, text: string): Date {
  const date = new Date(text);
  if (/^\d{4}-\d{2}-\d{2}/.test(text) && !Number.isNaN(date.getTime())) return date;
  if (/^\d+[a-z]+$/i.test(text)) return new Date(Date.now() - parseDuration(text));
  throw new AppError(
    "bad_request",
    `--${option} takes a time such as 2026-11-17T14:00Z, or 2h, not ${text}.`,
  );
}
