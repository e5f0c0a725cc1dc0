import { Menu } from "@base-ui/react/menu";
import { useNavigate } from "@tanstack/react-router";
import { Filter, Table2 } from "lucide-react";
import { useState } from "react";
import { callTool } from "../../api/client.ts";
import { useWorkspace } from "../../api/hooks.ts";
import { toldError } from "../../components/toasts.tsx";
import { t } from "../../words/words.ts";
import type { BoardFilter, BoardWidget, Chosen, WidgetDetails } from "./types.ts";
import { WidgetPicture } from "./widget-picture.tsx";

interface Picked {
  field: string;
  value: string;
  c9ql: string;
  x: number;
  y: number;
}

interface PickProps {
  widget: BoardWidget;
  chosen: Chosen;
  height: number;
  filtered: readonly string[];
  onFilter: (name: string, value: string) => void;
}

/** A click on a mark filters the dashboard by it, or opens the rows behind it. */
export function WidgetToPick({ widget, chosen, height, filtered, onFilter }: PickProps) {
  const { slug } = useWorkspace();
  const navigate = useNavigate();
  const [picked, setPicked] = useState<Picked | null>(null);
  const { dataset_id: datasetId, widget_id: widgetId } = widget;
  const pick = async ({ title, x, y }: { title: string; x: number; y: number }) => {
    const asked = { asset_type: "widget", asset_id: widgetId };
    const { details } = await callTool<{ details: WidgetDetails }>(slug, "get_details", asked);
    // Steps of time have no value that a row could be looked up by.
    if (details.x_axis === null || details.grain !== undefined || datasetId === null) return;
    const own = { field: details.x_axis, operator: "=", value: title };
    const all = [own, ...details.filters, ...filtersOf(chosen)];
    setPicked({
      field: details.x_axis,
      value: title,
      c9ql: [details.c9ql ?? [], statementOf(all)].flat().join("; "),
      x,
      y,
    });
  };
  const isFilter = picked !== null && filtered.includes(picked.field);
  return (
    <>
      <WidgetPicture
        widgetId={widgetId}
        chosen={chosen}
        height={height}
        onPick={datasetId === null ? undefined : (mark) => void pick(mark).catch(toldError)}
      />
      <Menu.Root open={picked !== null} onOpenChange={(isOpen) => !isOpen && setPicked(null)}>
        <Menu.Portal>
          <Menu.Positioner
            anchor={{ getBoundingClientRect: () => new DOMRect(picked?.x ?? 0, picked?.y ?? 0, 0, 0) }}
            side="bottom"
            align="start"
            sideOffset={6}
            className="z-50 outline-none"
          >
            <Menu.Popup className="overlay min-w-52 rounded-card border border-line bg-raised p-1 shadow-overlay outline-none">
              {isFilter && (
                <Item
                  icon={<Filter className="size-4" />}
                  onSelect={() => onFilter(picked.field, picked.value)}
                >
                  {t`Only ${picked.value}`}
                </Item>
              )}
              <Item
                icon={<Table2 className="size-4" />}
                onSelect={() =>
                  void navigate({
                    to: "/w/$slug/$page/$id",
                    params: { slug, page: "data", id: `${datasetId}` },
                    search: { c9ql: picked?.c9ql } as never,
                  })
                }
              >
                {t`Rows of ${picked?.value ?? ""}`}
              </Item>
            </Menu.Popup>
          </Menu.Positioner>
        </Menu.Portal>
      </Menu.Root>
    </>
  );
}

function Item({
  icon,
  onSelect,
  children,
}: {
  icon: React.ReactNode;
  onSelect: () => void;
  children: React.ReactNode;
}) {
  return (
    <Menu.Item
      onClick={onSelect}
      className="flex min-h-8 items-center gap-2.5 rounded-field px-2 text-table outline-none data-highlighted:bg-hover pointer-coarse:min-h-10"
    >
      <span aria-hidden="true" className="text-soft">
        {icon}
      </span>
      {children}
    </Menu.Item>
  );
}

function filtersOf(chosen: Chosen): BoardFilter[] {
  return Object.entries(chosen).map(([field, value]) => ({ field, operator: "in", value }));
}

/** The rows that a mark stands for, as the page of the dataset reads it. */
function statementOf(filters: readonly BoardFilter[]): string {
  const conditions = filters.flatMap(({ field, operator, value }) =>
    field === undefined || value === undefined ? [] : [`${quoted(field)} ${operator} ${written(value)}`],
  );
  return `where ${conditions.join(" and ")}`;
}

function quoted(name: string): string {
  return /^[a-z_]\w*$/i.test(name) ? name : `"${name.replaceAll('"', '""')}"`;
}

function written(value: unknown): string {
  if (Array.isArray(value)) return `(${value.map(written).join(", ")})`;
  return typeof value === "number" ? String(value) : `'${String(value).replaceAll("'", "''")}'`;
}
