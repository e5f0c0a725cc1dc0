import { useNavigate, useParams } from "@tanstack/react-router";
import { Folder, LayoutDashboard, Plus } from "lucide-react";
import { useState } from "react";
import { callTool } from "../../api/client.ts";
import { queries, refresh, useTool, useWorkspace } from "../../api/hooks.ts";
import { useParamsInAddress } from "../../api/search-params.ts";
import type { DashboardList } from "../../api/tools.ts";
import { Button } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { SearchField, TextField } from "../../components/fields.tsx";
import { LinkList, RowLink } from "../../components/list.tsx";
import { Page as PageFrame } from "../../components/page.tsx";
import { Empty, ErrorNote, Waiting } from "../../components/states.tsx";
import { When } from "../../components/when.tsx";
import { number } from "../../words/figures.ts";
import { t } from "../../words/words.ts";
import { Board } from "./board.tsx";

export function Page() {
  const { id } = useParams({ strict: false }) as { id?: string };
  return id === undefined ? <List /> : <Board key={id} id={Number(id)} />;
}

function List() {
  const { slug, role } = useWorkspace();
  const [{ q = "" }, setParams] = useParamsInAddress();
  const [isNew, setNew] = useState(false);
  const { data, error, refetch } = useTool<DashboardList>(
    "list_dashboards",
    { limit: 100, ...(q !== "" && { query: q }) },
    { keep: true },
  );
  const add = role !== "viewer" && (
    <Button look="primary" icon={<Plus className="size-4" />} onClick={() => setNew(true)}>
      {t`New dashboard`}
    </Button>
  );
  return (
    <PageFrame
      title={t`Dashboards`}
      about={t`Figures that are looked at again and again, always on the rows of now.`}
      actions={add}
    >
      {error !== null ? (
        <ErrorNote error={error} retry={() => void refetch()} />
      ) : data === undefined ? (
        <Waiting />
      ) : data.total === 0 && q === "" ? (
        <Empty icon={<LayoutDashboard className="size-5" />} title={t`No dashboards yet`} action={add}>
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
          {inFolders(data.dashboards).map(([folder, boards]) => (
            <section key={folder} className="flex flex-col gap-2">
              {folder !== "" && (
                <h2 className="flex items-center gap-2 font-semibold">
                  <Folder aria-hidden="true" className="size-4 text-soft" /> {folder}
                </h2>
              )}
              <LinkList label={folder === "" ? t`Dashboards` : folder}>
                {boards.map(({ id, name, description, widget_count: count, changed_at: at }) => (
                  <RowLink
                    key={id}
                    slug={slug}
                    page="dashboards"
                    id={id}
                    icon={<LayoutDashboard />}
                    title={name}
                    about={description ?? (count === 1 ? t`1 widget` : t`${number(count)} widgets`)}
                    end={<When at={at} />}
                  />
                ))}
              </LinkList>
            </section>
          ))}
        </>
      )}
      {isNew && <NewBoard onClose={() => setNew(false)} />}
    </PageFrame>
  );
}

/** Those without a folder stand first. */
function inFolders(boards: DashboardList["dashboards"]): [string, DashboardList["dashboards"]][] {
  const folders = Map.groupBy(boards, ({ folder = "" }) => folder);
  return [...folders].toSorted(([a], [b]) => a.localeCompare(b));
}

function NewBoard({ onClose }: { onClose: () => void }) {
  const { slug } = useWorkspace();
  const navigate = useNavigate();
  const [name, setName] = useState("");
  const [error, setError] = useState<unknown>(null);
  const make = async () => {
    try {
      const made = await callTool<{ dashboard_id: number }>(slug, "create_dashboard", { name: name.trim() });
      await refresh(queries, slug, ["list_dashboards"]);
      const params = { slug, page: "dashboards", id: `${made.dashboard_id}` };
      void navigate({ to: "/w/$slug/$page/$id", params, search: { edit: "1" } as never });
    } catch (problem) {
      setError(problem);
    }
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title={t`New dashboard`}
      footer={
        <>
          <Button onClick={onClose}>{t`Cancel`}</Button>
          <Button look="primary" disabled={name.trim() === ""} onClick={() => void make()}>
            {t`Create`}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-3">
        {error !== null && <ErrorNote error={error} />}
        <TextField label={t`Name`} value={name} autoFocus onChange={({ target }) => setName(target.value)} />
      </div>
    </Dialog>
  );
}
