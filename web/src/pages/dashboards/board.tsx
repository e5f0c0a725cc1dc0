import { useNavigate } from "@tanstack/react-router";
import {
  Code,
  Copy,
  Ellipsis,
  ExternalLink,
  FileDown,
  History,
  Maximize2,
  Pencil,
  Plus,
  Send,
  Share2,
  SlidersHorizontal,
  Trash2,
  Type,
} from "lucide-react";
import { useCallback, useEffect, useRef, useState } from "react";
import { callTool } from "../../api/client.ts";
import { queries, refresh, useTool, useWorkspace } from "../../api/hooks.ts";
import { useParamsInAddress } from "../../api/search-params.ts";
import { BackLink } from "../../components/back-link.tsx";
import { Button, IconButton } from "../../components/button.tsx";
import { Menu } from "../../components/menu.tsx";
import { Page as PageFrame } from "../../components/page.tsx";
import { Empty, ErrorNote, Waiting } from "../../components/states.tsx";
import { told, toldError } from "../../components/toasts.tsx";
import { t } from "../../words/words.ts";
import { DetailsDialog } from "./details-dialog.tsx";
import { Filters, filterName } from "./filters.tsx";
import { Grid } from "./grid.tsx";
import { EmbedDialog, HistoryDialog, ScheduleDialog, ShareDialog } from "./sharing.tsx";
import { TextEditor } from "./text-editor.tsx";
import type { BoardDetails, BoardWidget, Chosen, Place } from "./types.ts";
import { WidgetEditor } from "./widget-editor.tsx";

type Open =
  | "details"
  | "share"
  | "embed"
  | "schedule"
  | "history"
  | { widget: BoardWidget | null }
  | { text: BoardWidget | null };

/** One dashboard: read as everybody sees it, or edited on its grid. */
export function Board({ id }: { id: number }) {
  const { slug } = useWorkspace();
  const [params, setParams] = useParamsInAddress();
  const [open, show] = useState<Open | null>(null);
  const grid = useRef<HTMLDivElement>(null);
  const asked = { asset_type: "dashboard", asset_id: id };
  const isEditing = params.edit === "1";
  const { data, error, refetch } = useTool<{ details: BoardDetails }>(
    "get_details",
    asked,
    isEditing ? { refetchMs: WATCH_MS } : {},
  );
  const board = data?.details;
  const own = useOthersToldOf(data?.details.version, isEditing);
  // What a dialog saves is one's own as well.
  const setOpen = (next: Open | null) => {
    own();
    show(next);
  };
  const again = () => refresh(queries, slug, ["get_details", "list_dashboards", "preview_widget"]);
  const chosen = chosenIn(params);
  if (board === undefined) {
    return (
      <PageFrame title={t`Dashboard`} above={<BackLink page="dashboards">{t`Dashboards`}</BackLink>}>
        {error === null ? <Waiting /> : <ErrorNote error={error} retry={() => void refetch()} />}
      </PageFrame>
    );
  }
  const isEdited = params.edit === "1" && board.may_change;
  const place = async (places: ReadonlyMap<number, Place>) => {
    own();
    const widgets = [...places].map(([widget_id, where]) => ({ widget_id, ...where }));
    try {
      await callTool(slug, "layout_dashboard", { dashboard_id: id, widgets });
    } catch (problem) {
      toldError(problem);
    }
    await refresh(queries, slug, ["get_details"]);
  };
  const remove = async (widget: BoardWidget) => {
    own();
    try {
      await callTool(slug, "update_dashboard", { dashboard_id: id, remove_widgets: [widget.widget_id] });
      await again();
      const undo = async () => {
        await callTool(slug, "restore_asset", { ...asked, asset_type: "widget", asset_id: widget.widget_id });
        await again();
      };
      told(t`“${widget.name}” is taken away.`, () => void undo().catch(toldError));
    } catch (problem) {
      toldError(problem);
    }
  };
  return (
    <PageFrame
      wide
      title={board.name}
      about={board.description ?? undefined}
      above={<BackLink page="dashboards">{t`Dashboards`}</BackLink>}
      actions={
        <>
          {isEdited && (
            <>
              <Button icon={<SlidersHorizontal className="size-4" />} onClick={() => setOpen("details")}>
                {t`Name and filters`}
              </Button>
              <Button icon={<Type className="size-4" />} onClick={() => setOpen({ text: null })}>
                {t`Add text`}
              </Button>
              <Button icon={<Plus className="size-4" />} onClick={() => setOpen({ widget: null })}>
                {t`Add widget`}
              </Button>
            </>
          )}
          <IconButton
            label={t`Full screen`}
            onClick={() => void grid.current?.requestFullscreen().catch(toldError)}
          >
            <Maximize2 className="size-4" />
          </IconButton>
          <MoreMenu board={board} chosen={chosen} onOpen={setOpen} />
          {board.may_change && (
            <Button
              look={isEdited ? "primary" : "plain"}
              icon={<Pencil className="size-4" />}
              onClick={() => setParams({ edit: isEdited ? undefined : "1" })}
            >
              {isEdited ? t`Done` : t`Edit`}
            </Button>
          )}
        </>
      }
    >
      <Filters board={board} params={params} onChange={setParams} />
      <div ref={grid} className="overflow-auto bg-ground [&:fullscreen]:p-6">
        {board.widgets.length === 0 ? (
          <Empty
            title={t`Nothing on it yet`}
            action={
              board.may_change && (
                <Button
                  look="primary"
                  icon={<Plus className="size-4" />}
                  onClick={() => setOpen({ widget: null })}
                >
                  {t`Add widget`}
                </Button>
              )
            }
          >
            {t`A widget is a chart, a number or a table on one of your datasets.`}
          </Empty>
        ) : (
          <Grid
            widgets={board.widgets}
            isEdited={isEdited}
            chosen={chosen}
            onPlace={(places) => void place(places)}
            onOpen={(widget) => setOpen(widget.chart_type === "text" ? { text: widget } : { widget })}
            onRemove={(widget) => void remove(widget)}
            filtered={board.filters.map(filterName)}
            onFilter={(name, value) => setParams({ [`f.${name}`]: value })}
          />
        )}
      </div>
      {open === "details" && <DetailsDialog board={board} onClose={() => setOpen(null)} />}
      {open === "share" && <ShareDialog board={board} onClose={() => setOpen(null)} />}
      {open === "embed" && <EmbedDialog board={board} onClose={() => setOpen(null)} />}
      {open === "schedule" && <ScheduleDialog board={board} onClose={() => setOpen(null)} />}
      {open === "history" && <HistoryDialog board={board} onClose={() => setOpen(null)} />}
      {open !== null && typeof open === "object" && "text" in open && (
        <TextEditor board={board} widget={open.text} onClose={() => setOpen(null)} />
      )}
      {open !== null && typeof open === "object" && "widget" in open && (
        <WidgetEditor board={board} widget={open.widget} onClose={() => setOpen(null)} />
      )}
    </PageFrame>
  );
}

const WATCH_MS = 5_000;
const OWN_MS = 15_000;

/** Whoever edits is told when somebody else does; what is returned says that a change is one's own. */
function useOthersToldOf(version: number | undefined, isEditing: boolean): () => void {
  const known = useRef<number>(undefined);
  const ownUntil = useRef(0);
  useEffect(() => {
    const before = known.current;
    known.current = version;
    if (!isEditing || version === undefined || before === undefined || version <= before) return;
    if (Date.now() > ownUntil.current)
      told(t`Somebody else changed this dashboard just now. You see it as it is.`);
  }, [version, isEditing]);
  return useCallback(() => {
    ownUntil.current = Date.now() + OWN_MS;
  }, []);
}

function MoreMenu({
  board,
  chosen,
  onOpen,
}: {
  board: BoardDetails;
  chosen: Chosen;
  onOpen: (what: Open) => void;
}) {
  const { slug, role } = useWorkspace();
  const navigate = useNavigate();
  const download = (format: string) => {
    const query = new URLSearchParams({ format });
    for (const [name, values] of Object.entries(chosen))
      for (const value of values) query.append(`f.${name}`, value);
    location.assign(`/d/${board.id}/export?${query}`);
  };
  const remove = async () => {
    const asset = { asset_type: "dashboard", asset_id: board.id };
    try {
      await callTool(slug, "delete_asset", { ...asset, confirm: true });
      await refresh(queries, slug, ["list_dashboards"]);
      void navigate({ to: "/w/$slug/$page", params: { slug, page: "dashboards" } });
      const undo = async () => {
        await callTool(slug, "restore_asset", asset);
        await refresh(queries, slug, ["list_dashboards"]);
      };
      told(t`“${board.name}” is deleted.`, () => void undo().catch(toldError));
    } catch (problem) {
      toldError(problem);
    }
  };
  const copyLink = () =>
    void navigator.clipboard
      .writeText(location.href.replace(/[?&]edit=1/, ""))
      .then(() => told(t`The link is copied.`), toldError);
  const icon = (Icon: typeof Copy) => <Icon className="size-4" />;
  return (
    <Menu
      trigger={
        <IconButton label={t`More`}>
          <Ellipsis className="size-4" />
        </IconButton>
      }
      entries={[
        { label: t`Copy link`, icon: icon(Copy), onSelect: copyLink },
        {
          label: t`Open as a page`,
          icon: icon(ExternalLink),
          onSelect: () => open(`/d/${board.id}`, "_blank"),
        },
        { label: t`Export as PDF`, icon: icon(FileDown), onSelect: () => download("pdf"), apart: true },
        { label: t`Export as PNG`, icon: icon(FileDown), onSelect: () => download("png") },
        { label: t`Export as XLSX`, icon: icon(FileDown), onSelect: () => download("xlsx") },
        ...(board.may_change
          ? [{ label: t`Share`, icon: icon(Share2), onSelect: () => onOpen("share"), apart: true }]
          : []),
        ...(role === "viewer"
          ? []
          : [
              { label: t`Embed`, icon: icon(Code), onSelect: () => onOpen("embed") },
              { label: t`Send regularly`, icon: icon(Send), onSelect: () => onOpen("schedule") },
            ]),
        ...(board.may_change
          ? [
              { label: t`Versions`, icon: icon(History), onSelect: () => onOpen("history"), apart: true },
              { label: t`Delete`, icon: icon(Trash2), onSelect: () => void remove(), danger: true },
            ]
          : []),
      ]}
    />
  );
}

function chosenIn(params: Record<string, string | undefined>): Chosen {
  return Object.fromEntries(
    Object.entries(params).flatMap(([name, value]) =>
      name.startsWith("f.") && value ? [[name.slice(2), value.split(",").map((each) => each.trim())]] : [],
    ),
  );
}
