import { Link, useNavigate } from "@tanstack/react-router";
import { BellRing, Check, FileUp, LayoutDashboard, MessageSquareText, Table2 } from "lucide-react";
import { type ReactNode, useState } from "react";
import { useSession, useTool, useWorkspace } from "../../api/hooks.ts";
import type { AlertList, DashboardList, DatasetList, ModelList } from "../../api/tools.ts";
import { Button } from "../../components/button.tsx";
import { cx } from "../../components/classes.ts";
import { LinkList, RowLink } from "../../components/list.tsx";
import { Card, SectionTitle, useTitle } from "../../components/page.tsx";
import { Waiting } from "../../components/states.tsx";
import { When } from "../../components/when.tsx";
import { chooseFiles } from "../../frame/drop-anywhere.tsx";
import { number } from "../../words/figures.ts";
import { t } from "../../words/words.ts";
import { Composer } from "../ask/composer.tsx";
import { useSuggestions } from "../ask/suggestions.ts";
import { useThreads } from "../ask/threads.ts";

export function Page() {
  const { slug, name } = useWorkspace();
  const { user } = useSession();
  const navigate = useNavigate();
  const [text, setText] = useState("");
  useTitle(t`Home`);
  const ask = (q: string) =>
    void navigate({ to: "/w/$slug/$page", params: { slug, page: "ask" }, search: { q } as never });
  const datasets = useTool<DatasetList>("list_datasets", { limit: 5 });
  return (
    <div className="mx-auto flex w-full max-w-[1040px] flex-col gap-8 px-4 py-8 md:px-8 md:pt-12">
      <section className="flex flex-col gap-4">
        <h1 className="font-semibold text-[24px] leading-8 tracking-[-0.015em]">{greeting(user.name)}</h1>
        <Composer
          text={text}
          onChange={setText}
          onAsk={ask}
          large
          autoFocus
          placeholder={t`Ask ${name} anything …`}
        />
        <Suggestions onAsk={ask} />
      </section>
      <Alerts />
      {datasets.data !== undefined && datasets.data.total === 0 ? (
        <FirstSteps />
      ) : (
        <Overview datasets={datasets.data} />
      )}
    </div>
  );
}

function greeting(name: string): string {
  const hour = new Date().getHours();
  const first = name.split(" ")[0] ?? "";
  if (hour < 5 || hour >= 18) return t`Good evening, ${first}`;
  return hour < 11 ? t`Good morning, ${first}` : t`Hello, ${first}`;
}

function Suggestions({ onAsk }: { onAsk: (question: string) => void }) {
  const suggestions = useSuggestions().slice(0, 3);
  if (suggestions.length === 0) return null;
  return (
    <ul aria-label={t`Questions to begin with`} className="flex flex-wrap gap-2">
      {suggestions.map((question) => (
        <li key={question}>
          <button
            type="button"
            onClick={() => onAsk(question)}
            className="rounded-full border border-line bg-card px-3 py-1 text-left text-soft text-table transition-colors duration-120 hover:border-edge hover:text-ink"
          >
            {question}
          </button>
        </li>
      ))}
    </ul>
  );
}

/** Only what wants attention: alerts that are quiet stay on their own page. */
function Alerts() {
  const { slug } = useWorkspace();
  const { data } = useTool<AlertList>("list_alerts", { limit: 100 });
  const firing = data?.alerts.filter(({ state }) => state === "firing" || state === "error") ?? [];
  if (firing.length === 0) return null;
  return (
    <section aria-label={t`Alerts`} className="flex flex-col gap-2">
      {firing.slice(0, 4).map(({ id, name, state, state_since: since, last_error: problem }) => (
        <Link
          key={id}
          to="/w/$slug/$page"
          params={{ slug, page: "automation" }}
          className="flex items-center gap-3 rounded-card border border-line bg-warn-tint px-4 py-2.5 hover:border-edge"
        >
          <BellRing aria-hidden="true" className="size-4 shrink-0 text-warn" />
          <span className="min-w-0 flex-1 truncate">
            <span className="font-medium">{name}</span>{" "}
            <span className="text-soft">
              {state === "error" ? (problem ?? t`could not be checked`) : t`fires`}
            </span>
          </span>
          <span className="text-caption text-soft">
            <When at={since} />
          </span>
        </Link>
      ))}
    </section>
  );
}

function Overview({ datasets }: { datasets: DatasetList | undefined }) {
  const { slug } = useWorkspace();
  const dashboards = useTool<DashboardList>("list_dashboards", { limit: 6 });
  const threads = useThreads().slice(0, 5);
  return (
    <div className="grid gap-8 lg:grid-cols-2">
      <Part title={t`Dashboards`} page="dashboards">
        {dashboards.data === undefined ? (
          <Waiting rows={3} />
        ) : dashboards.data.total === 0 ? (
          <Hint>{t`An answer that is worth seeing again goes to a dashboard with one click.`}</Hint>
        ) : (
          <LinkList label={t`Dashboards`}>
            {dashboards.data.dashboards.slice(0, 5).map(({ id, name, description, widget_count: count }) => (
              <RowLink
                key={id}
                slug={slug}
                page="dashboards"
                id={id}
                icon={<LayoutDashboard />}
                title={name}
                about={description ?? (count === 1 ? t`1 widget` : t`${number(count)} widgets`)}
              />
            ))}
          </LinkList>
        )}
      </Part>
      <Part title={t`Recent questions`} page="ask">
        {threads.length === 0 ? (
          <Hint>{t`Questions that you ask stand here, to go on from.`}</Hint>
        ) : (
          <ul className="divide-y divide-line overflow-hidden rounded-card border border-line bg-card">
            {threads.map(({ thread_id: id, title, used_at: changedAt, questions, client }) => (
              <li key={id}>
                <Link
                  to="/w/$slug/$page"
                  params={{ slug, page: "ask" }}
                  search={{ thread: id } as never}
                  className="flex min-h-13 items-center gap-3 px-4 py-2 hover:bg-hover focus-visible:-outline-offset-2"
                >
                  <span
                    aria-hidden="true"
                    className="grid size-8 shrink-0 place-items-center rounded-field bg-sunken text-soft"
                  >
                    <MessageSquareText className="size-4" />
                  </span>
                  <span className="min-w-0 flex-1">
                    <span className="block truncate font-medium">{title}</span>
                    <span className="block text-soft text-table">
                      {questions === 1 ? t`1 question` : t`${number(questions)} questions`} ·{" "}
                      {client !== undefined && `${client} · `}
                      <When at={changedAt} />
                    </span>
                  </span>
                </Link>
              </li>
            ))}
          </ul>
        )}
      </Part>
      <Part title={t`Data that changed last`} page="data">
        {datasets === undefined ? (
          <Waiting rows={3} />
        ) : (
          <LinkList label={t`Datasets`}>
            {datasets.datasets
              .toSorted((a, b) => b.refreshed_at.localeCompare(a.refreshed_at))
              .map(({ id, name, rows, refreshed_at: at }) => (
                <RowLink
                  key={id}
                  slug={slug}
                  page="data"
                  id={id}
                  icon={<Table2 />}
                  title={name}
                  about={rows === null ? t`rows you may see` : t`${number(rows)} rows`}
                  end={<When at={at} />}
                />
              ))}
          </LinkList>
        )}
      </Part>
      <FirstSteps />
    </div>
  );
}

function Part({ title, page, children }: { title: string; page: string; children: ReactNode }) {
  const { slug } = useWorkspace();
  return (
    <section className="flex min-w-0 flex-col gap-2" aria-label={title}>
      <SectionTitle
        actions={
          <Link
            to="/w/$slug/$page"
            params={{ slug, page }}
            className="text-soft text-table hover:text-ink"
            aria-label={t`All: ${title}`}
          >
            {t`All`}
          </Link>
        }
      >
        {title}
      </SectionTitle>
      {children}
    </section>
  );
}

function Hint({ children }: { children: ReactNode }) {
  return (
    <p className="rounded-card border border-line border-dashed px-4 py-6 text-center text-soft">
      {children}
    </p>
  );
}

/** The quick start; each step is ticked by what there is, not by a click. */
function FirstSteps() {
  const { slug, role } = useWorkspace();
  const datasets = useTool<DatasetList>("list_datasets", { limit: 5 });
  const models = useTool<ModelList>("list_semantic_models");
  const threads = useThreads();
  const hasData = (datasets.data?.total ?? 0) > 0;
  const go = (page: string) => ({ to: "/w/$slug/$page" as const, params: { slug, page } });
  const steps = [
    {
      name: t`Bring in data`,
      why: t`A file by drag and drop, or a database.`,
      isDone: hasData,
      link: go("data"),
    },
    {
      name: t`Check the model`,
      why: t`See what was understood of your columns, and correct it.`,
      isDone: (models.data?.models.length ?? 0) > 0,
      link: go("models"),
    },
    {
      name: t`Ask a question`,
      why: t`In your own words, with the query and sources beside the answer.`,
      isDone: threads.length > 0,
      link: go("ask"),
    },
    {
      name: t`Connect your AI client`,
      why: t`Claude, Cursor and others work with the same data.`,
      isDone: false,
      link: go("settings"),
    },
    ...(role === "admin"
      ? [
          {
            name: t`Invite a colleague`,
            why: t`With the rights that you choose.`,
            isDone: false,
            link: go("settings"),
          },
        ]
      : []),
  ];
  const done = steps.filter(({ isDone }) => isDone).length;
  return (
    <section className="flex flex-col gap-2" aria-label={t`First steps`}>
      <SectionTitle
        actions={<span className="text-soft text-table">{t`${done} of ${steps.length} done`}</span>}
      >{t`First steps`}</SectionTitle>
      <Card className="divide-y divide-line overflow-hidden">
        {steps.map(({ name, why, isDone, link }, at) => (
          <Link
            key={name}
            {...link}
            className="flex items-center gap-3 px-4 py-2.5 hover:bg-hover focus-visible:-outline-offset-2"
          >
            <span
              className={cx(
                "grid size-5 shrink-0 place-items-center rounded-full border text-caption",
                isDone ? "border-transparent bg-accent text-on-accent" : "border-edge text-soft",
              )}
            >
              {isDone ? <Check aria-label={t`Done`} className="size-3" /> : at + 1}
            </span>
            <span className="min-w-0">
              <span className={cx("block font-medium", isDone && "text-soft")}>{name}</span>
              <span className="block text-soft text-table">{why}</span>
            </span>
          </Link>
        ))}
      </Card>
      {!hasData && role !== "viewer" && (
        <Button
          look="primary"
          className="self-start"
          icon={<FileUp className="size-4" />}
          onClick={chooseFiles}
        >
          {t`Bring in a file`}
        </Button>
      )}
    </section>
  );
}
