import { Dialog } from "@base-ui/react/dialog";
import { useNavigate } from "@tanstack/react-router";
import { Command } from "cmdk";
import {
  Bell,
  Boxes,
  Database,
  FileSearch,
  FileUp,
  Languages,
  LayoutDashboard,
  type LucideIcon,
  MessageSquareText,
  Moon,
  SquareChartGantt,
  Sun,
} from "lucide-react";
import { type ReactNode, useEffect, useState } from "react";
import { useSession, useTool, useWorkspace } from "../api/hooks.ts";
import type { DashboardList, DatasetList, SearchResults } from "../api/tools.ts";
import { currentLanguage, t } from "../words/words.ts";
import { changeLanguage, setTheme, useIsDark } from "./appearance.ts";
import { chooseFiles } from "./drop-anywhere.tsx";
import { pages } from "./pages.tsx";

const AFTER_MS = 150;
const MOST = 8;

/** Goes to every page and asset, and runs what can be run from anywhere. */
export function Palette({ onClose }: { onClose: () => void }) {
  const [text, setText] = useState("");
  const wanted = useDebounced(text.trim());
  const { slug } = useWorkspace();
  const navigate = useNavigate();
  const go = (page: string, search: Record<string, unknown> = {}) => {
    onClose();
    void navigate({ to: "/w/$slug/$page", params: { slug, page }, search: search as never });
  };
  return (
    <Dialog.Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-40 bg-shade" />
        <Dialog.Popup
          aria-label={t`Search or run`}
          className="overlay fixed top-[12vh] left-1/2 z-50 w-[min(620px,calc(100vw-1.5rem))] -translate-x-1/2 overflow-hidden rounded-card border border-line bg-raised shadow-overlay outline-none"
        >
          <Command loop label={t`Search or run`} filter={rank}>
            <Command.Input
              autoFocus
              value={text}
              onValueChange={setText}
              placeholder={t`A page, a dataset, a dashboard, or a question …`}
              className="h-12 w-full border-line border-b bg-transparent px-4 text-lead outline-none"
            />
            <Command.List className="max-h-[min(420px,60vh)] overflow-y-auto p-1.5">
              <Command.Empty className="px-3 py-6 text-center text-soft">{t`Nothing is called that.`}</Command.Empty>
              {text.trim() !== "" && (
                <Line
                  value={QUESTION}
                  icon={MessageSquareText}
                  onSelect={() => go("ask", { q: text.trim() })}
                  forced
                >
                  {t`Ask: ${text.trim()}`}
                </Line>
              )}
              <Assets query={wanted} slug={slug} onClose={onClose} />
              <Group name={t`Pages`}>
                {pages().map(({ id, name, icon }) => (
                  <Line key={id} value={`page ${name}`} icon={icon} onSelect={() => go(id)}>
                    {name}
                  </Line>
                ))}
              </Group>
              <Actions go={go} onClose={onClose} />
            </Command.List>
          </Command>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function Actions({
  go,
  onClose,
}: {
  go: (page: string, search?: Record<string, unknown>) => void;
  onClose: () => void;
}) {
  const isDark = useIsDark();
  const { workspaces } = useSession();
  const current = useWorkspace();
  const navigate = useNavigate();
  const other = currentLanguage() === "de" ? "en" : "de";
  return (
    <Group name={t`Actions`}>
      <Line
        value={`upload ${t`Bring in a file`}`}
        icon={FileUp}
        onSelect={() => {
          onClose();
          chooseFiles();
        }}
      >
        {t`Bring in a file`}
      </Line>
      <Line value={`ask ${t`Ask a question`}`} icon={MessageSquareText} onSelect={() => go("ask")}>
        {t`Ask a question`}
      </Line>
      <Line value={`documents ${t`Search in documents`}`} icon={FileSearch} onSelect={() => go("library")}>
        {t`Search in documents`}
      </Line>
      <Line
        value={`theme ${t`Dark theme`} ${t`Light theme`}`}
        icon={isDark ? Sun : Moon}
        onSelect={() => setTheme(isDark ? "light" : "dark")}
      >
        {isDark ? t`Light theme` : t`Dark theme`}
      </Line>
      <Line
        value="language sprache deutsch english"
        icon={Languages}
        onSelect={() => void changeLanguage(other)}
      >
        {other === "de" ? "Deutsch" : "English"}
      </Line>
      {workspaces
        .filter(({ slug }) => slug !== current.slug)
        .map(({ slug, name }) => (
          <Line
            key={slug}
            value={`workspace ${name}`}
            icon={Boxes}
            onSelect={() => {
              onClose();
              void navigate({ to: "/w/$slug/$page", params: { slug, page: "home" } });
            }}
          >
            {t`Go to the workspace ${name}`}
          </Line>
        ))}
    </Group>
  );
}

const ICONS: Record<string, LucideIcon> = {
  dataset: Database,
  query: Database,
  dashboard: LayoutDashboard,
  widget: SquareChartGantt,
  alert: Bell,
  report: Bell,
};

interface Found {
  type: "dataset" | "dashboard" | "widget" | "alert" | "report" | "query";
  id: number;
  name: string;
}

/** By parts of names, and by what the search of all assets finds. */
function useFound(query: string): Found[] {
  const options = { enabled: query.length > 1, keep: true };
  const datasets =
    useTool<DatasetList>("list_datasets", { query, limit: MOST }, options).data?.datasets ?? [];
  const dashboards =
    useTool<DashboardList>("list_dashboards", { query, limit: MOST }, options).data?.dashboards ?? [];
  const others = useTool<SearchResults>("search_assets", { query, limit: MOST }, options).data?.results ?? [];
  if (query.length <= 1) return [];
  const all: Found[] = [
    ...dashboards.map(({ id, name }) => ({ type: "dashboard" as const, id, name })),
    ...datasets.map(({ id, name }) => ({ type: "dataset" as const, id, name })),
    ...others.map(({ asset_type: type, id, name }) => ({ type: type as Found["type"], id, name })),
  ];
  const known = new Map(all.map((each) => [`${each.type} ${each.id}`, each]));
  return [...known.values()].slice(0, MOST);
}

const PAGE_OF: Record<Found["type"], string> = {
  dataset: "data",
  query: "data",
  dashboard: "dashboards",
  widget: "dashboards",
  alert: "automation",
  report: "automation",
};

function Assets({ query, slug, onClose }: { query: string; slug: string; onClose: () => void }) {
  const navigate = useNavigate();
  const found = useFound(query);
  if (found.length === 0) return null;
  const open = ({ type, id }: Found) => {
    onClose();
    const page = PAGE_OF[type];
    void navigate(
      type === "dataset" || type === "dashboard"
        ? { to: "/w/$slug/$page/$id", params: { slug, page, id: `${id}` } }
        : { to: "/w/$slug/$page", params: { slug, page } },
    );
  };
  return (
    <Group name={t`Found`}>
      {found.map((each) => (
        <Line
          key={`${each.type} ${each.id}`}
          value={`found ${each.type} ${each.id}`}
          icon={ICONS[each.type] ?? Database}
          onSelect={() => open(each)}
          forced
        >
          {each.name} <span className="text-faint">{assetName(each.type)}</span>
        </Line>
      ))}
    </Group>
  );
}

/** What was found by the server stands first, then pages and actions by their names, then the question itself. */
function rank(value: string, search: string): number {
  if (value.startsWith("found ")) return 1;
  if (value === QUESTION) return 0.01;
  return value.toLowerCase().includes(search.trim().toLowerCase()) ? 0.5 : 0;
}

const QUESTION = "the question itself";

function assetName(type: string): string {
  const names: Record<string, string> = {
    dataset: t`Dataset`,
    query: t`Query`,
    dashboard: t`Dashboard`,
    widget: t`Widget`,
    alert: t`Alert`,
    report: t`Report`,
  };
  return names[type] ?? type;
}

function Group({ name, children }: { name: string; children: ReactNode }) {
  return (
    <Command.Group
      heading={name}
      className="[&_[cmdk-group-heading]]:px-2.5 [&_[cmdk-group-heading]]:pt-2 [&_[cmdk-group-heading]]:pb-1 [&_[cmdk-group-heading]]:text-caption [&_[cmdk-group-heading]]:text-faint"
    >
      {children}
    </Command.Group>
  );
}

function Line({
  value,
  icon: Icon,
  onSelect,
  forced = false,
  children,
}: {
  value: string;
  icon: LucideIcon;
  onSelect: () => void;
  /** Shown whatever is written. */
  forced?: boolean;
  children: ReactNode;
}) {
  return (
    <Command.Item
      value={value}
      onSelect={onSelect}
      forceMount={forced}
      className="flex h-9 items-center gap-2.5 rounded-field px-2.5 data-[selected=true]:bg-hover"
    >
      <Icon aria-hidden="true" className="size-4 shrink-0 text-soft" strokeWidth={1.75} />
      <span className="min-w-0 truncate">{children}</span>
    </Command.Item>
  );
}

function useDebounced(text: string): string {
  const [settled, settle] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => settle(text), AFTER_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}
