import { useParams } from "@tanstack/react-router";
import { Database, FileUp, Table2 } from "lucide-react";
import { useTool, useWorkspace } from "../../api/hooks.ts";
import { useParamsInAddress } from "../../api/search-params.ts";
import type { DatasetList } from "../../api/tools.ts";
import { Button, ButtonLink } from "../../components/button.tsx";
import { SearchField } from "../../components/fields.tsx";
import { LinkList, RowLink } from "../../components/list.tsx";
import { Page as PageFrame } from "../../components/page.tsx";
import { Empty, ErrorNote, Waiting } from "../../components/states.tsx";
import { Tabs } from "../../components/tabs.tsx";
import { When } from "../../components/when.tsx";
import { chooseFiles } from "../../frame/drop-anywhere.tsx";
import { number } from "../../words/figures.ts";
import { t } from "../../words/words.ts";
import { DatasetPage } from "./dataset.tsx";
import { Datasources } from "./datasources.tsx";

export function Page() {
  const { id } = useParams({ strict: false }) as { id?: string };
  return id === undefined ? <DataPage /> : <DatasetPage id={Number(id)} />;
}

function DataPage() {
  const { slug, role } = useWorkspace();
  const [{ tab = "datasets" }, setParams] = useParamsInAddress();
  const may = role !== "viewer";
  return (
    <PageFrame
      title={t`Data`}
      about={t`Tables that questions, dashboards and alerts are made of.`}
      actions={
        may && (
          <>
            <ButtonLink
              to="/w/$slug/$page"
              params={{ slug, page: "data" }}
              search={{ tab: "datasources", new: "1" } as never}
              icon={<Database className="size-4" />}
            >
              {t`Connect a database`}
            </ButtonLink>
            <Button look="primary" icon={<FileUp className="size-4" />} onClick={chooseFiles}>
              {t`Bring in a file`}
            </Button>
          </>
        )
      }
    >
      <Tabs
        label={t`Kinds of data`}
        value={tab}
        onChange={(next) =>
          setParams({ tab: next === "datasets" ? undefined : next, q: undefined, new: undefined })
        }
        tabs={[
          { id: "datasets", label: t`Datasets`, content: <Datasets /> },
          { id: "datasources", label: t`Databases and web APIs`, content: <Datasources /> },
        ]}
      />
    </PageFrame>
  );
}

const LISTED = 200;

function Datasets() {
  const { slug, role } = useWorkspace();
  const [{ q = "" }, setParams] = useParamsInAddress();
  const { data, error, refetch } = useTool<DatasetList>(
    "list_datasets",
    { limit: LISTED, ...(q !== "" && { query: q }) },
    { keep: true },
  );
  if (error) return <ErrorNote error={error} retry={() => void refetch()} />;
  if (data === undefined) return <Waiting />;
  if (data.total === 0 && q === "")
    return (
      <Empty
        icon={<Table2 className="size-5" />}
        title={t`No data yet`}
        action={
          role !== "viewer" && (
            <Button look="primary" onClick={chooseFiles} icon={<FileUp className="size-4" />}>
              {t`Bring in a file`}
            </Button>
          )
        }
      >
        {t`Drop a CSV, Excel, JSON or Parquet file anywhere on this page. You see what is in it before anything is kept, and can ask about it a moment later.`}
      </Empty>
    );
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <SearchField
          label={t`Search datasets`}
          value={q}
          onSearch={(next) => setParams({ q: next })}
          className="w-full sm:w-72"
        />
        <span className="text-soft text-table">
          {data.total === 1 ? t`1 dataset` : t`${number(data.total)} datasets`}
        </span>
      </div>
      {data.datasets.length === 0 ? (
        <p className="py-10 text-center text-soft">{t`Nothing is called “${q}”.`}</p>
      ) : (
        <LinkList label={t`Datasets`}>
          {data.datasets.map(({ id, name, description, rows, refreshed_at: at }) => (
            <RowLink
              key={id}
              slug={slug}
              page="data"
              id={id}
              icon={<Table2 />}
              title={name}
              about={description ?? undefined}
              end={
                <>
                  <span className="block">
                    {rows === null ? t`rows you may see` : t`${number(rows)} rows`}
                  </span>
                  <span className="block text-caption text-faint">
                    <When at={at} />
                  </span>
                </>
              }
            />
          ))}
        </LinkList>
      )}
    </div>
  );
}
