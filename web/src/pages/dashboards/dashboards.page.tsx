import { useParams } from "@tanstack/react-router";
import { ExternalLink, LayoutDashboard } from "lucide-react";
import { useTool } from "../../api/hooks.ts";
import { useParamsInAddress } from "../../api/search-params.ts";
import type { DashboardList } from "../../api/tools.ts";
import { SearchField } from "../../components/fields.tsx";
import { Page as PageFrame } from "../../components/page.tsx";
import { Empty, ErrorNote, Waiting } from "../../components/states.tsx";
import { When } from "../../components/when.tsx";
import { t } from "../../words/words.ts";

/** Dashboards open on their own page, which is also what embeds and prints show. */
export function Page() {
  const [{ q = "" }, setParams] = useParamsInAddress();
  const { id } = useParams({ strict: false }) as { id?: string };
  const { data, error, refetch } = useTool<DashboardList>(
    "list_dashboards",
    { limit: 100, ...(q !== "" && { query: q }) },
    { keep: true },
  );
  return (
    <PageFrame
      title={t`Dashboards`}
      about={t`Figures that are looked at again and again, always on the rows of now.`}
    >
      {error !== null ? (
        <ErrorNote error={error} retry={() => void refetch()} />
      ) : data === undefined ? (
        <Waiting />
      ) : data.total === 0 && q === "" ? (
        <Empty icon={<LayoutDashboard className="size-5" />} title={t`No dashboards yet`}>
          {t`Ask a question, and put its answer on a dashboard with one click.`}
        </Empty>
      ) : (
        <>
          <SearchField
            label={t`Search dashboards`}
            value={q}
            onSearch={(next) => setParams({ q: next })}
            className="w-full sm:w-72"
          />
          <ul className="grid gap-3 sm:grid-cols-2 lg:grid-cols-3">
            {data.dashboards.map((each) => (
              <li key={each.id}>
                <a
                  href={`/d/${each.id}`}
                  aria-current={`${each.id}` === id ? "true" : undefined}
                  className="flex h-full flex-col gap-1 rounded-card border border-line bg-card px-4 py-3 transition-colors duration-120 hover:border-edge aria-[current]:border-accent"
                >
                  <span className="flex items-start justify-between gap-3 font-medium">
                    {each.name}{" "}
                    <ExternalLink aria-hidden="true" className="mt-1 size-3.5 shrink-0 text-faint" />
                  </span>
                  {each.description !== null && (
                    <span className="line-clamp-2 text-soft text-table">{each.description}</span>
                  )}
                  <span className="mt-auto pt-2 text-caption text-faint">
                    <When at={each.changed_at} />
                  </span>
                </a>
              </li>
            ))}
          </ul>
        </>
      )}
    </PageFrame>
  );
}
