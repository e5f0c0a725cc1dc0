import { Ellipsis, FileDown, GripVertical, Pencil, Trash2 } from "lucide-react";
import ReactGridLayout, { type Layout } from "react-grid-layout";
import { callTool } from "../../api/client.ts";
import { useWorkspace } from "../../api/hooks.ts";
import { IconButton } from "../../components/button.tsx";
import { cx } from "../../components/classes.ts";
import { useWidth } from "../../components/drawing.tsx";
import { Menu } from "../../components/menu.tsx";
import { toldError } from "../../components/toasts.tsx";
import { t } from "../../words/words.ts";
import type { BoardWidget, Chosen, Place } from "./types.ts";
import { WidgetPicture } from "./widget-picture.tsx";
import { WidgetToPick } from "./widget-to-pick.tsx";
import "react-grid-layout/css/styles.css";

const COLUMNS = 24;
const ROW_PX = 40;
const GAP_PX = 12;
const HEADING_PX = 44;
const TALLEST = 16;
/** Below this widgets stand below each other, and nothing is dragged. */
const NARROW_PX = 720;
const NARROW_HEIGHT_PX = 260;
const WIDEST_PX = 6_000;

interface GridProps {
  widgets: readonly BoardWidget[];
  isEdited: boolean;
  chosen: Chosen;
  onPlace: (places: ReadonlyMap<number, Place>) => void;
  onOpen: (widget: BoardWidget) => void;
  onRemove: (widget: BoardWidget) => void;
  /** Names of what the dashboard is filtered by. */
  filtered: readonly string[];
  onFilter: (name: string, value: string) => void;
}

/** As it is dragged the library would add a style element, which the page's policy refuses: it adds none where one is. */
const DRAG_STYLE = "react-draggable-style-el";
if (document.getElementById(DRAG_STYLE) === null)
  document.head.append(Object.assign(document.createElement("meta"), { id: DRAG_STYLE }));

export function Grid({
  widgets,
  isEdited,
  chosen,
  onPlace,
  onOpen,
  onRemove,
  filtered,
  onFilter,
}: GridProps) {
  const [box, width] = useWidth({ most: WIDEST_PX, step: 1 });
  const layout = layoutOf(widgets);
  const tile = (widget: BoardWidget, height: number) => (
    <Tile widget={widget} isEdited={isEdited} onOpen={onOpen} onRemove={onRemove}>
      {isEdited ? (
        <WidgetPicture widgetId={widget.widget_id} chosen={chosen} height={height} />
      ) : (
        <WidgetToPick {...{ widget, chosen, height, filtered, onFilter }} />
      )}
    </Tile>
  );
  // Only what a person did is kept: what the grid works out by itself is not theirs.
  const keep = (next: Layout) => {
    const before = new Map(layout.map((item) => [item.i, item]));
    const moved = next.filter((item) => {
      const was = before.get(item.i);
      return (
        was !== undefined && (was.x !== item.x || was.y !== item.y || was.w !== item.w || was.h !== item.h)
      );
    });
    if (moved.length === 0) return;
    onPlace(
      new Map(
        moved.map(({ i, x, y, w, h }) => [
          Number(i),
          { col: x + 1, row: y + 1, sizeX: w, sizeY: Math.min(h, TALLEST) },
        ]),
      ),
    );
  };
  return (
    <div ref={box} className={cx("min-h-24 w-full", isEdited && "select-none")}>
      {width === 0 ? null : width < NARROW_PX ? (
        <div className="flex flex-col gap-3">
          {widgets.map((widget) => (
            <div key={widget.widget_id}>{tile(widget, NARROW_HEIGHT_PX)}</div>
          ))}
        </div>
      ) : (
        <ReactGridLayout
          width={width}
          layout={layout}
          gridConfig={{
            cols: COLUMNS,
            rowHeight: ROW_PX - GAP_PX,
            margin: [GAP_PX, GAP_PX],
            containerPadding: [0, 0],
          }}
          dragConfig={{ enabled: isEdited, handle: "[data-drag]" }}
          resizeConfig={{ enabled: isEdited, handles: ["se"] }}
          onDragStop={(next) => keep(next)}
          onResizeStop={(next) => keep(next)}
        >
          {widgets.map((widget) => (
            <div key={`${widget.widget_id}`}>
              {tile(widget, (placeOf(layout, widget)?.h ?? 8) * ROW_PX - GAP_PX - HEADING_PX)}
            </div>
          ))}
        </ReactGridLayout>
      )}
    </div>
  );
}

/** Each widget has a place here from the start: the grid would take one without for a square of one by one. */
function layoutOf(widgets: readonly BoardWidget[]) {
  let free = Math.max(0, ...widgets.map(({ place }) => (place === null ? 0 : place.row - 1 + place.sizeY)));
  return widgets.map(({ widget_id, place }) => {
    const { col, row, sizeX, sizeY } = place ?? { col: 1, row: free + 1, sizeX: 12, sizeY: 8 };
    if (place === null) free += 8;
    return { i: `${widget_id}`, x: col - 1, y: row - 1, w: sizeX, h: sizeY, minW: 2, minH: 2, maxH: TALLEST };
  });
}

function placeOf(layout: ReturnType<typeof layoutOf>, { widget_id }: BoardWidget) {
  return layout.find(({ i }) => i === `${widget_id}`);
}

function Tile({
  widget,
  isEdited,
  onOpen,
  onRemove,
  children,
}: Pick<GridProps, "isEdited" | "onOpen" | "onRemove"> & { widget: BoardWidget; children: React.ReactNode }) {
  const { slug } = useWorkspace();
  return (
    <section
      aria-label={widget.name}
      className="flex h-full min-w-0 flex-col overflow-hidden rounded-card border border-line bg-card px-3 pb-2"
    >
      <header className={cx("flex h-10 shrink-0 items-center gap-1", isEdited && "cursor-move")} data-drag>
        {isEdited && <GripVertical aria-hidden="true" className="size-4 shrink-0 text-faint" />}
        <h2 className="min-w-0 flex-1 truncate font-semibold text-table" title={widget.name}>
          {widget.name}
        </h2>
        <span onPointerDown={(event) => event.stopPropagation()}>
          <Menu
            trigger={
              <IconButton label={t`More about ${widget.name}`}>
                <Ellipsis className="size-4" />
              </IconButton>
            }
            entries={[
              {
                label: t`Rows as CSV`,
                icon: <FileDown className="size-4" />,
                onSelect: () => void downloadRows(slug, widget).catch(toldError),
              },
              ...(isEdited
                ? [
                    { label: t`Edit`, icon: <Pencil className="size-4" />, onSelect: () => onOpen(widget) },
                    {
                      label: t`Take away`,
                      icon: <Trash2 className="size-4" />,
                      onSelect: () => onRemove(widget),
                      danger: true,
                    },
                  ]
                : []),
            ]}
          />
        </span>
      </header>
      {children}
    </section>
  );
}

interface Exported {
  file_name: string;
  mime_type: string;
  content_base64?: string;
  download_url?: string;
}

async function downloadRows(slug: string, { widget_id, name }: BoardWidget): Promise<void> {
  const file = await callTool<Exported>(slug, "export_data", { widget_id, format: "csv", limit: 200_000 });
  if (file.download_url !== undefined) {
    location.assign(file.download_url);
    return;
  }
  const bytes = Uint8Array.from(atob(file.content_base64 ?? ""), (sign) => sign.charCodeAt(0));
  const address = URL.createObjectURL(new Blob([bytes], { type: file.mime_type }));
  const link = Object.assign(document.createElement("a"), {
    href: address,
    download: file.file_name || `${name}.csv`,
  });
  link.click();
  URL.revokeObjectURL(address);
}
