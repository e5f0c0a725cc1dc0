import { useQueries } from "@tanstack/react-query";
import { ArrowDown, ArrowUp } from "lucide-react";
import { memo, type UIEvent, useCallback, useEffect, useMemo, useRef, useState } from "react";
import { callTool } from "../api/client.ts";
import { useWorkspace } from "../api/hooks.ts";
import type { Column, RowsPage } from "../api/tools.ts";
import { cell, isNumeric, number, typeName } from "../words/figures.ts";
import { t } from "../words/words.ts";
import { cx } from "./classes.ts";

const ROW_PX = 32;
const PAGE_ROWS = 200;
/** Browsers show no element that is higher than some ten million pixels: beyond this, the bar moves faster than the rows. */
const MOST_PX = 8_000_000;
const SETTLES_MS = 70;
const EXTRA_ROWS = 6;
const BLOCK_ROWS = 10_000;

export interface Sorting {
  column: string;
  isDescending: boolean;
}

interface DataGridProps {
  datasetId: number;
  columns: readonly Column[];
  total: number;
  /** Work on the rows before they are shown. */
  c9ql?: string | undefined;
  sorting?: Sorting | undefined;
  onSort?: ((sorting: Sorting | undefined) => void) | undefined;
}

/** Rows of a dataset, fetched a page at a time where one looks; it stays smooth whatever their number. */
export function DataGrid({ datasetId, columns, total, c9ql, sorting, onSort }: DataGridProps) {
  const { box, size, top, onScroll } = useVirtualScroll(total * ROW_PX);
  const first = Math.max(0, Math.floor(top / ROW_PX) - EXTRA_ROWS);
  const last = Math.min(total, Math.ceil((top + size.height) / ROW_PX) + EXTRA_ROWS);
  const rowAt = useRows({ datasetId, first, last, c9ql });
  const widths = useMemo(() => columns.map(({ name, type }) => widthOf(name, type)), [columns]);
  const numbers = 24 + 8 * number(total).length;
  const template = `${numbers}px ${widths.map((width) => `minmax(${width}px, 1fr)`).join(" ")}`;
  const least = numbers + widths.reduce((sum, width) => sum + width, 0);
  const shown = slotsOf(first, last);
  // Browsers place nothing some ten million pixels away, so that rows are placed from the beginning of their block.
  const base = first - (first % BLOCK_ROWS);
  return (
    <div
      ref={box}
      onScroll={onScroll}
      role="grid"
      aria-rowcount={total + 1}
      aria-colcount={columns.length}
      aria-label={t`Rows`}
      tabIndex={0}
      className="figures relative min-h-0 flex-1 overflow-auto rounded-card border border-line bg-card text-table"
    >
      <div style={{ height: Math.min(total * ROW_PX, MOST_PX) + ROW_PX, minWidth: least }}>
        <div
          className="sticky top-0 overflow-clip"
          style={{ height: Math.min(size.height, total * ROW_PX + ROW_PX), minWidth: least }}
        >
          <div
            role="row"
            aria-rowindex={1}
            className="absolute inset-x-0 z-10 grid border-line border-b bg-sunken"
            style={{ gridTemplateColumns: template, height: ROW_PX }}
          >
            <span role="columnheader" className="px-2 leading-8 text-faint">
              #
            </span>
            {columns.map((column) => (
              <HeaderCell key={column.name} column={column} sorting={sorting} onSort={onSort} />
            ))}
          </div>
          <div style={{ transform: `translateY(${ROW_PX + base * ROW_PX - top}px)` }}>
            {shown.map((at, slot) =>
              at === undefined ? null : (
                <Row
                  key={slot}
                  at={at}
                  y={(at - base) * ROW_PX}
                  row={rowAt(at)}
                  columns={columns}
                  template={template}
                />
              ),
            )}
          </div>
        </div>
      </div>
    </div>
  );
}

/** Which row each element shows: one that goes on being seen stays where it is. */
function slotsOf(first: number, last: number): (number | undefined)[] {
  const count = Math.ceil(Math.max(0, last - first) / 8) * 8;
  return Array.from({ length: count }, (_, slot) => {
    const at = first + ((((slot - first) % count) + count) % count);
    return at < last ? at : undefined;
  });
}

interface RowProps {
  at: number;
  y: number;
  row: Record<string, unknown> | undefined;
  columns: readonly Column[];
  template: string;
}

/** Not made again while it only moves. */
const Row = memo(function Row({ at, y, row, columns, template }: RowProps) {
  return (
    <div
      role="row"
      aria-rowindex={at + 2}
      className="absolute inset-x-0 top-0 grid border-line border-b hover:bg-hover"
      style={{ gridTemplateColumns: template, height: ROW_PX, transform: `translateY(${y}px)` }}
    >
      <span role="rowheader" className="truncate px-2 leading-8 text-faint">
        {number(at + 1)}
      </span>
      {columns.map(({ name, type }) => {
        const text = row === undefined ? "" : cell(row[name], /(^|_)id$/i.test(name) ? "ID" : type);
        return (
          <span
            key={name}
            role="gridcell"
            title={text.length > LONG ? text : undefined}
            className={cx("truncate px-2 leading-8", isNumeric(type) && "text-right")}
          >
            {row === undefined ? (
              <span aria-hidden="true" className="inline-block h-2.5 w-3/5 rounded bg-hover" />
            ) : row[name] === null ? (
              <span className="text-faint" title={t`No value`}>
                –
              </span>
            ) : (
              text
            )}
          </span>
        );
      })}
    </div>
  );
});

/** What may be cut off shows itself on hover. */
const LONG = 14;

function HeaderCell({
  column: { name, type },
  sorting,
  onSort,
}: { column: Column } & Pick<DataGridProps, "sorting" | "onSort">) {
  const own = sorting?.column === name ? sorting : undefined;
  const next =
    own === undefined
      ? { column: name, isDescending: false }
      : own.isDescending
        ? undefined
        : { column: name, isDescending: true };
  const Arrow = own?.isDescending ? ArrowDown : ArrowUp;
  return (
    <span
      role="columnheader"
      aria-sort={own === undefined ? "none" : own.isDescending ? "descending" : "ascending"}
      className="min-w-0"
    >
      <button
        type="button"
        disabled={onSort === undefined}
        onClick={() => onSort?.(next)}
        title={`${name} (${typeName(type)})`}
        className={cx(
          "flex h-8 w-full items-center gap-1 px-2 font-medium hover:bg-hover",
          isNumeric(type) && "justify-end",
        )}
      >
        <span className="truncate">{name}</span>
        {own !== undefined && <Arrow aria-hidden="true" className="size-3 shrink-0 text-accent" />}
      </button>
    </span>
  );
}

function widthOf(name: string, type: string): number {
  const own = isNumeric(type) ? 96 : /DATE|TIME|BOOL/i.test(type) ? 116 : 150;
  return Math.min(240, Math.max(own, name.length * 8 + 28));
}

/** Which row of all is at the top. Where all rows are higher than a browser can show, the wheel still goes row by row. */
function useVirtualScroll(full: number) {
  const box = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const [size, setSize] = useState({ height: 600 });
  const own = useRef({ top: 0, isOwn: false });
  const isScaled = full > MOST_PX;
  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    const observer = new ResizeObserver(() => setSize({ height: element.clientHeight }));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  const most = Math.max(0, full + ROW_PX - size.height);
  const ratio = useCallback(
    (element: HTMLElement) => most / Math.max(1, element.scrollHeight - element.clientHeight),
    [most],
  );
  useEffect(() => {
    const element = box.current;
    if (element === null || !isScaled) return;
    const onWheel = (event: WheelEvent) => {
      if (event.ctrlKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) return;
      event.preventDefault();
      const by = event.deltaMode === 1 ? event.deltaY * ROW_PX : event.deltaY;
      own.current = { top: Math.min(most, Math.max(0, own.current.top + by)), isOwn: true };
      element.scrollTop = own.current.top / ratio(element);
      setTop(own.current.top);
    };
    element.addEventListener("wheel", onWheel, { passive: false });
    return () => element.removeEventListener("wheel", onWheel);
  }, [isScaled, most, ratio]);
  const onScroll = useCallback(
    ({ currentTarget }: UIEvent<HTMLDivElement>) => {
      if (own.current.isOwn) {
        own.current.isOwn = false;
        return;
      }
      own.current.top = Math.min(most, currentTarget.scrollTop * (isScaled ? ratio(currentTarget) : 1));
      setTop(own.current.top);
    },
    [isScaled, most, ratio],
  );
  return { box, size, top, onScroll };
}

/** Pages are asked for where the eye rests, not where it flies by. */
function useRows({
  datasetId,
  first,
  last,
  c9ql,
}: {
  datasetId: number;
  first: number;
  last: number;
  c9ql: string | undefined;
}) {
  const { slug } = useWorkspace();
  const [from, to] = useSettled(
    Math.floor(first / PAGE_ROWS),
    Math.floor(Math.max(first, last - 1) / PAGE_ROWS),
  );
  const pages = Array.from({ length: to - from + 1 }, (_, at) => from + at);
  const results = useQueries({
    queries: pages.map((page) => ({
      queryKey: ["tool", slug, "get_data", datasetId, c9ql ?? "", page],
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        callTool<RowsPage>(
          slug,
          "get_data",
          {
            dataset_id: datasetId,
            limit: PAGE_ROWS,
            offset: page * PAGE_ROWS,
            ...(c9ql !== undefined && { c9ql }),
          },
          { signal },
        ),
      staleTime: 60_000,
    })),
  });
  return (at: number): Record<string, unknown> | undefined => {
    const page = results[Math.floor(at / PAGE_ROWS) - from];
    return page?.data?.rows[at % PAGE_ROWS];
  };
}

function useSettled(from: number, to: number): [number, number] {
  const [settled, settle] = useState<[number, number]>([from, to]);
  useEffect(() => {
    const timer = setTimeout(() => settle([from, to]), SETTLES_MS);
    return () => clearTimeout(timer);
  }, [from, to]);
  return settled;
}
