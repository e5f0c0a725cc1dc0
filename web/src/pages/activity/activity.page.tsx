import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Activity as ActivityIcon, Bot, ChevronRight, FileDown, ShieldCheck } from "lucide-react";
import { callTool } from "../../api/client.ts";
import { useTool, useWorkspace } from "../../api/hooks.ts";
import { useParamsInAddress } from "../../api/search-params.ts";
import type { DatasetList } from "../../api/tools.ts";
import { Badge } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { SelectField } from "../../components/fields.tsx";
import { Page as PageFrame } from "../../components/page.tsx";
import { Empty, ErrorNote, Waiting } from "../../components/states.tsx";
import { toldError } from "../../components/toasts.tsx";
import { When } from "../../components/when.tsx";
import { number } from "../../words/figures.ts";
import { t } from "../../words/words.ts";

interface Event {
  id: number;
  at: string;
  action: string;
  user: string | null;
  resource_type: string | null;
  resource_id: string | null;
  title: string | null;
  effect: string | null;
  success: boolean;
  outcome: string;
  duration_ms: number;
  address: string | null;
  dataset_ids: number[];
  metadata: {
    clientName?: string;
    clientVersion?: string;
    applicationName?: string;
    arguments?: unknown;
    response?: unknown;
    requestId?: string;
  };
}

interface EventPage {
  events: Event[];
  next_before: number | null;
}

const SLOW_MS = 2_000;
const EXPORTED = 500;

/** What agents and people did here: each call with who, by which client, on which data, and how it ended. */
export function Page() {
  const { role } = useWorkspace();
  return (
    <PageFrame
      title={t`Activity`}
      about={t`What people and their agents did in this workspace, newest first.`}
    >
      {role === "admin" ? (
        <Events />
      ) : (
        <Empty icon={<ShieldCheck className="size-5" />} title={t`Activity is for admins`}>
          {t`They see who called what; values of your questions are not kept.`}
        </Empty>
      )}
    </PageFrame>
  );
}

function Events() {
  const { slug } = useWorkspace();
  const [{ show = "", action = "", who = "" }, setParams] = useParamsInAddress();
  const members = useTool<{ members: { user_id: number; email: string }[] }>("list_members");
  const filter = {
    ...(show === "" && { show: "work" }),
    ...(show === "agents" && { show: "agents" }),
    ...(who !== "" && { user_id: Number(who) }),
    ...(show === "failed" && { success: false }),
    ...(show === "slow" && { slower_than_ms: SLOW_MS }),
    ...(action !== "" && { action }),
  };
  const { data, error, fetchNextPage, hasNextPage } = useInfiniteQuery({
    queryKey: ["tool", slug, "list_audit_events", filter],
    queryFn: ({ pageParam, signal }) =>
      callTool<EventPage>(
        slug,
        "list_audit_events",
        { ...filter, limit: 50, ...(pageParam > 0 && { before: pageParam }) },
        { signal },
      ),
    initialPageParam: 0,
    getNextPageParam: ({ next_before: before }) => before,
  });
  const events = data?.pages.flatMap((page) => page.events) ?? [];
  return (
    <>
      <div className="flex flex-wrap items-end gap-3">
        <SelectField
          label={t`Show`}
          value={show}
          onChange={({ target }) => setParams({ show: target.value })}
        >
          <option value="">{t`What agents did and people changed`}</option>
          <option value="agents">{t`What agents did`}</option>
          <option value="all">{t`Everything`}</option>
          <option value="failed">{t`What failed or was refused`}</option>
          <option value="slow">{t`What took longer than two seconds`}</option>
        </SelectField>
        <SelectField
          label={t`Of`}
          value={action}
          onChange={({ target }) => setParams({ action: target.value })}
        >
          <option value="">{t`All kinds`}</option>
          <option value="mcp.tool.call">{t`Calls of tools`}</option>
          <option value="auth.sign_in">{t`Sign-ins`}</option>
          <option value="member.invited">{t`Invitations`}</option>
          <option value="mcp.denied">{t`Refused at the door`}</option>
        </SelectField>
        <SelectField label={t`By`} value={who} onChange={({ target }) => setParams({ who: target.value })}>
          <option value="">{t`Everybody`}</option>
          {members.data?.members.map(({ user_id: id, email }) => (
            <option key={id} value={id}>
              {email}
            </option>
          ))}
        </SelectField>
        <Button
          icon={<FileDown className="size-4" />}
          onClick={() => void exportEvents(slug, filter).catch(toldError)}
        >
          {t`Export`}
        </Button>
      </div>
      {error !== null ? (
        <ErrorNote error={error} />
      ) : data === undefined ? (
        <Waiting />
      ) : events.length === 0 ? (
        <Empty icon={<ActivityIcon className="size-5" />} title={t`Nothing like that happened`} />
      ) : (
        <ul aria-label={t`Activity`} className="divide-y divide-line rounded-card border border-line bg-card">
          {events.map((event) => (
            <Row key={event.id} event={event} />
          ))}
        </ul>
      )}
      {hasNextPage && (
        <Button className="self-center" onClick={() => void fetchNextPage()}>
          {t`Show earlier`}
        </Button>
      )}
    </>
  );
}

function Row({ event }: { event: Event }) {
  const { metadata, success, outcome, duration_ms: ms } = event;
  const client = agentOf(event);
  return (
    <li>
      <details className="group">
        <summary className="flex flex-wrap items-center gap-3 px-4 py-2.5 hover:bg-hover [&::-webkit-details-marker]:hidden">
          <ChevronRight
            aria-hidden="true"
            className="size-4 shrink-0 text-faint transition-transform duration-120 group-open:rotate-90"
          />
          <span className="min-w-0 flex-1 basis-60">
            <span className="flex flex-wrap items-center gap-2 font-medium">
              {event.title ?? actionName(event)}
              {(event.effect === "write" || event.effect === "destroy") && <Badge>{t`changes`}</Badge>}
              {!success && <Badge tone="bad">{outcome}</Badge>}
              {client !== undefined && (
                <Badge tone="accent">
                  <Bot aria-hidden="true" className="size-3" /> {client}
                </Badge>
              )}
            </span>
            <span className="block truncate text-soft text-table">{event.user ?? t`somebody unknown`}</span>
          </span>
          <span className="figures text-right text-caption text-faint">
            <When at={event.at} />
            <span className="block">{t`${number(ms, 0)} ms`}</span>
          </span>
        </summary>
        <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1 border-line border-t bg-sunken px-4 py-3 text-table">
          <Fact name={t`Tool`}>{event.title === null ? null : event.resource_id}</Fact>
          <Fact name={t`Client`}>
            {[metadata.clientName, metadata.clientVersion].filter(Boolean).join(" ")}
          </Fact>
          <Fact name={t`From`}>{event.address}</Fact>
          {event.dataset_ids.length > 0 && <Datasets ids={event.dataset_ids} effect={event.effect} />}
          <Fact name={t`Arguments`}>{textOf(metadata.arguments)}</Fact>
          <Fact name={t`Result`}>{textOf(metadata.response)}</Fact>
          <Fact name={t`Request`}>{metadata.requestId}</Fact>
        </dl>
      </details>
    </li>
  );
}

/** Their names; where rows were changed, the way to what they were before. */
function Datasets({ ids, effect }: { ids: readonly number[]; effect: string | null }) {
  const { slug } = useWorkspace();
  const { data } = useTool<DatasetList>("list_datasets", { limit: 200 });
  const isChange = effect === "write" || effect === "destroy";
  return (
    <>
      <dt className="text-soft">{t`Datasets`}</dt>
      <dd className="flex flex-wrap gap-x-4">
        {ids.map((id) => (
          <Link
            key={id}
            to="/w/$slug/$page/$id"
            params={{ slug, page: "data", id: `${id}` }}
            search={(isChange ? { tab: "versions" } : {}) as never}
            className="font-medium text-accent hover:underline"
          >
            {data?.datasets.find((each) => each.id === id)?.name ?? id}
            {isChange && ` · ${t`bring back`}`}
          </Link>
        ))}
      </dd>
    </>
  );
}

function actionName({ action, resource_id: id }: Event): string {
  const names: Record<string, string> = {
    "auth.sign_in": t`Signed in`,
    "auth.login": t`Allowed an app`,
    "auth.denied": t`Was refused`,
    "agent.question": t`Question`,
    "file.download": t`Downloaded a file`,
    "llm.call": t`Language model asked`,
    "mcp.denied": t`Refused at the door`,
    "mcp.resource.read": t`Read a resource`,
    "mcp.session.created": t`Connected`,
    "mcp.session.terminated": t`Went away`,
    "member.changed": t`Changed a member`,
    "member.invited": t`Invited somebody`,
    "token.created": t`Made a token`,
    "token.revoked": t`Revoked a token`,
  };
  const [, ...said] = (action === "mcp.tool.call" ? `tool.${id}` : action).split(".");
  return (
    names[action] ??
    said
      .join(" ")
      .replaceAll("_", " ")
      .replace(/^./, (first) => first.toUpperCase())
  );
}

/** The client of an agent or program; undefined for what people did in their browser. */
function agentOf({ metadata }: Event): string | undefined {
  const client = metadata.applicationName ?? metadata.clientName;
  return client === "console" || client === "browser" ? undefined : client;
}

function Fact({ name, children }: { name: string; children: string | null | undefined }) {
  if (!children) return null;
  return (
    <>
      <dt className="text-soft">{name}</dt>
      <dd className="whitespace-pre-wrap font-mono text-caption leading-5 [overflow-wrap:anywhere]">
        {children}
      </dd>
    </>
  );
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : JSON.stringify(value, null, 1);
}

async function exportEvents(slug: string, filter: object): Promise<void> {
  const { events } = await callTool<EventPage>(slug, "list_audit_events", { ...filter, limit: EXPORTED });
  const address = URL.createObjectURL(
    new Blob([JSON.stringify(events, null, 2)], { type: "application/json" }),
  );
  Object.assign(document.createElement("a"), { href: address, download: "activity.json" }).click();
  URL.revokeObjectURL(address);
}
