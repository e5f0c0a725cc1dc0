import { useNavigate } from "@tanstack/react-router";
import { Download, Ellipsis, MessageSquareText, Trash2 } from "lucide-react";
import { lazy, type ReactNode, Suspense, useMemo, useState } from "react";
import { callTool } from "../../api/client.ts";
import { queries, refresh, useTool, useWorkspace } from "../../api/hooks.ts";
import { useParamsInAddress } from "../../api/search-params.ts";
import type { ColumnProfile, DatasetDetails, RowsPage } from "../../api/tools.ts";
import { BackLink } from "../../components/back-link.tsx";
import { Badge } from "../../components/badge.tsx";
import { Button, ButtonLink, IconButton } from "../../components/button.tsx";
import { DataGrid, type Sorting } from "../../components/data-grid.tsx";
import { Menu } from "../../components/menu.tsx";
import { Card, Page as PageFrame } from "../../components/page.tsx";
import { ErrorNote, Waiting } from "../../components/states.tsx";
import { Tabs } from "../../components/tabs.tsx";
import { told, toldError } from "../../components/toasts.tsx";
import { When } from "../../components/when.tsx";
import { bytes, cell, isNumeric, number, typeName } from "../../words/figures.ts";
import { t } from "../../words/words.ts";
import { questionOf } from "../ask/suggestions.ts";
import type { Policy } from "./policies.tsx";

const Policies = lazy(() => import("./policies.tsx").then(({ Policies }) => ({ default: Policies })));

export function DatasetPage({ id }: { id: number }) {
  const { slug, role } = useWorkspace();
  const [{ tab = "rows" }, setParams] = useParamsInAddress();
  const { data, error, refetch } = useTool<DatasetDetails>("get_details", {
    asset_type: "dataset",
    asset_id: id,
  });
  if (error)
    return (
      <PageFrame title={t`Dataset`} above={<BackLink page="data">{t`Data`}</BackLink>}>
        <ErrorNote error={error} retry={() => void refetch()} />
      </PageFrame>
    );
  if (data === undefined) return <Waiting className="px-8 py-10" rows={12} />;
  const { details } = data;
  return (
    <div className="flex h-full min-h-0 flex-col [&>div]:h-full [&>div]:min-h-0">
      <PageFrame
        wide
        title={details.name}
        about={
          <>
            {details.rows === null ? t`Rows that you may see` : t`${number(details.rows)} rows`} ·{" "}
            {t`${number(details.columns.length)} columns`}
            {details.bytes !== undefined && <> · {bytes(details.bytes)}</>} ·{" "}
            <When at={String(details.refreshed_at)} />
            {details.description !== null && <span className="block">{details.description}</span>}
          </>
        }
        above={<BackLink page="data">{t`Data`}</BackLink>}
        actions={<Actions id={id} details={details} may={role !== "viewer"} />}
      >
        <div className="flex min-h-0 flex-1 flex-col [&>div]:min-h-0 [&>div]:flex-1 [&_[role=tabpanel]]:flex [&_[role=tabpanel]]:min-h-0 [&_[role=tabpanel]]:flex-1 [&_[role=tabpanel]]:flex-col">
          <Tabs
            label={t`Parts of this dataset`}
            value={tab}
            onChange={(next) => setParams({ tab: next === "rows" ? undefined : next })}
            tabs={[
              {
                id: "rows",
                label: t`Rows`,
                content: <Rows id={id} columns={details.columns} total={details.rows ?? 0} />,
              },
              {
                id: "columns",
                label: t`Columns`,
                content: <Columns columns={details.columns} rows={details.rows} />,
              },
              {
                id: "versions",
                label: t`Versions`,
                content: <Versions id={id} details={details} onChange={() => void refetch()} />,
              },
              ...(role === "admin"
                ? [
                    {
                      id: "policies",
                      label: t`Policies`,
                      content: (
                        <Suspense fallback={<Waiting />}>
                          <Policies
                            key={String(details.version)}
                            id={id}
                            columns={details.columns}
                            policies={(details.policies ?? []) as Policy[]}
                          />
                        </Suspense>
                      ),
                    },
                  ]
                : []),
              { id: "source", label: t`Where from`, content: <Source details={details} slug={slug} /> },
            ]}
          />
        </div>
      </PageFrame>
    </div>
  );
}

function Actions({ id, details, may }: { id: number; details: DatasetDetails["details"]; may: boolean }) {
  const { slug } = useWorkspace();
  const navigate = useNavigate();
  const question = questionOf(details.name, details.columns)[0];
  const remove = async () => {
    try {
      await callTool(slug, "delete_asset", { asset_type: "dataset", asset_id: id, confirm: true });
      await refresh(queries, slug, ["list_datasets"]);
      void navigate({ to: "/w/$slug/$page", params: { slug, page: "data" } });
      told(t`“${details.name}” is deleted.`, () => {
        callTool(slug, "restore_asset", { asset_type: "dataset", asset_id: id }).then(
          () => refresh(queries, slug, ["list_datasets", "get_details"]),
          toldError,
        );
      });
    } catch (error) {
      toldError(error);
    }
  };
  return (
    <>
      <ButtonLink
        to="/w/$slug/$page"
        params={{ slug, page: "ask" }}
        search={{ ...(question !== undefined && { q: question }) } as never}
        icon={<MessageSquareText className="size-4" />}
        look="primary"
      >
        {t`Ask about it`}
      </ButtonLink>
      <Menu
        trigger={
          <IconButton label={t`More`} className="border border-edge">
            <Ellipsis className="size-4" />
          </IconButton>
        }
        entries={[
          {
            label: t`Download as CSV`,
            icon: <Download className="size-4" />,
            onSelect: () => void download(slug, id, "csv"),
          },
          {
            label: t`Download as Parquet`,
            icon: <Download className="size-4" />,
            onSelect: () => void download(slug, id, "parquet"),
          },
          ...(may
            ? [
                {
                  label: t`Delete`,
                  icon: <Trash2 className="size-4" />,
                  onSelect: () => void remove(),
                  danger: true,
                  apart: true,
                },
              ]
            : []),
        ]}
      />
    </>
  );
}

interface Exported {
  file_name: string;
  mime_type: string;
  content_base64?: string;
  download_url?: string;
  truncated: boolean;
  rows: number;
  total_rows: number;
}

const MOST_EXPORTED = 200_000;

async function download(slug: string, id: number, format: "csv" | "parquet"): Promise<void> {
  try {
    const file = await callTool<Exported>(slug, "export_data", {
      dataset_id: id,
      format,
      limit: MOST_EXPORTED,
    });
    const link = document.createElement("a");
    link.download = file.file_name;
    if (file.download_url !== undefined) {
      const { pathname, search } = new URL(file.download_url);
      link.href = pathname + search;
    } else {
      const content = Uint8Array.from(atob(file.content_base64 ?? ""), (each) => each.charCodeAt(0));
      link.href = URL.createObjectURL(new Blob([content], { type: file.mime_type }));
    }
    link.click();
    if (file.truncated)
      told(t`The file has the first ${number(file.rows)} of ${number(file.total_rows)} rows.`);
  } catch (error) {
    toldError(error);
  }
}

function Rows({ id, columns, total }: { id: number; columns: readonly ColumnProfile[]; total: number }) {
  const [{ c9ql = "", sort = "" }, setParams] = useParamsInAddress();
  const [draft, setDraft] = useState(c9ql);
  const sorting = useMemo((): Sorting | undefined => {
    if (sort === "") return undefined;
    return { column: sort.replace(/^-/, ""), isDescending: sort.startsWith("-") };
  }, [sort]);
  const statement = statementOf(c9ql, sorting);
  // What work on the rows leaves has columns and a number of its own.
  const worked = useTool<RowsPage>(
    "get_data",
    { dataset_id: id, limit: 1, ...(statement !== undefined && { c9ql: statement }) },
    { enabled: c9ql !== "", keep: true },
  );
  const shown =
    c9ql === ""
      ? { columns, total }
      : { columns: worked.data?.columns ?? [], total: worked.data?.totalRows ?? 0 };
  return (
    <div className="flex min-h-0 flex-1 flex-col gap-3">
      <form
        className="flex items-center gap-2"
        onSubmit={(event) => {
          event.preventDefault();
          setParams({ c9ql: draft.trim(), sort: undefined });
        }}
      >
        <input
          data-search
          aria-label={t`Work on the rows`}
          value={draft}
          onChange={({ target }) => setDraft(target.value)}
          placeholder={exampleOf(columns)}
          spellCheck={false}
          className="h-8 min-w-0 flex-1 rounded-field border border-edge bg-card px-2.5 font-mono text-table pointer-coarse:h-10"
        />
        <Button type="submit">{t`Apply`}</Button>
        {c9ql !== "" && (
          <Button
            look="quiet"
            onClick={() => {
              setDraft("");
              setParams({ c9ql: undefined, sort: undefined });
            }}
          >
            {t`All rows`}
          </Button>
        )}
      </form>
      {worked.error !== null && c9ql !== "" ? (
        <ErrorNote error={worked.error} />
      ) : (
        <>
          {c9ql !== "" && worked.data !== undefined && (
            <p className="text-soft text-table">{t`${number(worked.data.totalRows)} rows are left of ${number(total)}.`}</p>
          )}
          <DataGrid
            key={statement ?? ""}
            datasetId={id}
            columns={shown.columns}
            total={shown.total}
            c9ql={statement}
            sorting={sorting}
            onSort={(next) => setParams({ sort: next && `${next.isDescending ? "-" : ""}${next.column}` })}
          />
        </>
      )}
    </div>
  );
}

/** In the words of these rows. */
function exampleOf(columns: readonly ColumnProfile[]): string {
  const text = columns.find(
    ({ type, min }) => /VARCHAR/i.test(type) && typeof min === "string" && min !== "",
  );
  const figure = columns.findLast(({ type }) => isNumeric(type));
  const where = text === undefined ? [] : [`where ${text.name} = ${String(text.min)}`];
  return [...where, ...(figure === undefined ? [] : [`order by ${figure.name} desc`])].join(" ");
}

/** What was written, with the order that was clicked. */
function statementOf(written: string, sorting: Sorting | undefined): string | undefined {
  const order = sorting && `select * order by ${sorting.column}${sorting.isDescending ? " desc" : ""}`;
  if (written === "") return order;
  return order === undefined ? written : `${written.replace(/;\s*$/, "")}; ${order}`;
}

function Columns({ columns, rows }: { columns: readonly ColumnProfile[]; rows: number | null }) {
  return (
    <div
      className="min-h-0 overflow-auto rounded-card border border-line bg-card"
      tabIndex={0}
      role="region"
      aria-label={t`Columns`}
    >
      <table className="figures w-full text-table">
        <thead className="sticky top-0 bg-sunken text-left">
          <tr>
            {[t`Column`, t`Type`, t`Empty`, t`Different values`, t`Least`, t`Most`].map((name) => (
              <th
                key={name}
                scope="col"
                className="border-line border-b px-3 py-2 font-medium text-soft whitespace-nowrap"
              >
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {columns.map(({ name, type, nulls, distinct, min, max }) => (
            <tr key={name} className="border-line border-b last:border-0">
              <th scope="row" className="h-9 px-3 text-left font-medium">
                {name}
              </th>
              <td className="px-3 text-soft" title={type}>
                {typeName(type)}
              </td>
              <td className="px-3">
                {nulls === undefined ? "" : nulls === 0 ? t`none` : <Share part={nulls} of={rows} />}
              </td>
              <td className="px-3">{distinct === undefined ? "" : distinctOf(distinct, rows)}</td>
              <td className="max-w-56 truncate px-3" title={cell(min)}>
                {cell(min, type)}
              </td>
              <td className="max-w-56 truncate px-3" title={cell(max)}>
                {cell(max, type)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** An estimate, which can be more than there are rows. */
function distinctOf(distinct: number, rows: number | null): string {
  if (rows !== null && distinct >= rows) return t`all different`;
  return t`about ${number(distinct)}`;
}

function Share({ part, of }: { part: number; of: number | null }) {
  if (of === null || of === 0) return number(part);
  return (
    <span title={number(part)}>
      <Badge tone={part / of > 0.5 ? "warn" : "plain"}>{`${number((part / of) * 100, 1)} %`}</Badge>
    </span>
  );
}

interface Version {
  version: number;
  rows: number | null;
  refreshed_at: string;
  refreshed_by: string | null;
}

function Versions({
  id,
  details,
  onChange,
}: {
  id: number;
  details: DatasetDetails["details"];
  onChange: () => void;
}) {
  const { slug, role } = useWorkspace();
  const versions = (details.versions ?? []) as Version[];
  const restore = async (version: number) => {
    try {
      await callTool(slug, "restore_asset", { asset_type: "dataset", asset_id: id, version });
      told(t`The rows of version ${version} are back, as a new version.`);
      await queries.invalidateQueries({ queryKey: ["tool", slug] });
      onChange();
    } catch (error) {
      toldError(error);
    }
  };
  return (
    <ol className="divide-y divide-line rounded-card border border-line bg-card">
      {versions.map(({ version, rows, refreshed_at: at, refreshed_by: who }) => (
        <li key={version} className="flex min-h-12 flex-wrap items-center justify-between gap-3 px-4 py-2">
          <span>
            <span className="font-medium">{t`Version ${version}`}</span>{" "}
            <span className="text-soft text-table">
              {rows !== null && <>{t`${number(rows)} rows`} · </>}
              <When at={at} />
              {who !== null && <> · {who}</>}
            </span>
          </span>
          {version === details.version ? (
            <Badge tone="accent">{t`Present`}</Badge>
          ) : (
            role !== "viewer" && (
              <Button small onClick={() => void restore(version)}>
                {t`Bring these rows back`}
              </Button>
            )
          )}
        </li>
      ))}
    </ol>
  );
}

function Source({ details, slug }: { details: DatasetDetails["details"]; slug: string }) {
  const given = details.source?.detail ?? {};
  const detail = Object.keys(given).filter((name) => name in factNames() && given[name] !== null);
  const kinds: Record<string, string> = {
    import: t`A file`,
    push: t`Pushed by a program`,
    query: t`A query on a database`,
    upload: t`A file`,
  };
  const facts: [string, ReactNode][] = [
    [t`Came from`, kinds[details.source?.kind ?? ""] ?? details.source?.kind ?? ""],
    ...detail.map((name): [string, ReactNode] => [factNames()[name] ?? name, factOf(name, given[name])]),
  ];
  return (
    <div className="flex flex-col gap-4" data-workspace={slug}>
      <Card className="p-4">
        <dl className="grid grid-cols-[auto_1fr] gap-x-8 gap-y-1.5 text-table">
          {facts.map(([name, value]) => (
            <div key={name} className="contents">
              <dt className="text-soft">{name}</dt>
              <dd className="font-mono">{value}</dd>
            </div>
          ))}
        </dl>
      </Card>
    </div>
  );
}

/** What people want to know of how a file was read; marks of its grammar are for the tool. */
function factNames(): Record<string, string> {
  return {
    file: t`File`,
    bytes: t`Size`,
    format: t`Format`,
    encoding: t`Encoding`,
    delimiter: t`Delimiter`,
    decimal: t`Decimal sign`,
    dateFormat: t`Dates`,
    skippedLines: t`Lines left out`,
  };
}

const DATE_PARTS: Record<string, string> = { "%Y": "YYYY", "%m": "MM", "%d": "DD", "%y": "YY", "%b": "MMM" };

function factOf(name: string, value: unknown): string {
  if (name === "bytes") return bytes(Number(value));
  const text = String(value);
  if (name === "dateFormat") return text.replace(/%[a-zA-Z]/g, (part) => DATE_PARTS[part] ?? part);
  return name === "delimiter" && text === "\t" ? "Tab" : text;
}
