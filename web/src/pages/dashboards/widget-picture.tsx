import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { ComponentProps } from "react";
import { callTool } from "../../api/client.ts";
import { useWorkspace } from "../../api/hooks.ts";
import { useWidth } from "../../components/drawing.tsx";
import { Markdown } from "../../components/markdown.tsx";
import { Picture } from "../../components/picture.tsx";
import { ErrorNote, Skeleton } from "../../components/states.tsx";
import { useIsDark } from "../../frame/appearance.ts";
import { cell, number } from "../../words/figures.ts";
import { locale, t } from "../../words/words.ts";
import type { Chosen, Draft, Preview } from "./types.ts";

interface PictureProps {
  widgetId?: number;
  draft?: Draft;
  dashboardId?: number;
  chosen?: Chosen;
  height: number;
  onPick?: ComponentProps<typeof Picture>["onPick"];
}

/** A widget as the server draws it everywhere, in the room that there is; one that is not kept yet as well. */
export function WidgetPicture({ widgetId, draft, dashboardId, chosen = {}, height, onPick }: PictureProps) {
  const { slug } = useWorkspace();
  const isDark = useIsDark();
  const [box, width] = useWidth({ least: 160 });
  const args = {
    ...(widgetId !== undefined && { widget_id: widgetId }),
    ...(draft !== undefined && { draft }),
    ...(draft !== undefined && dashboardId !== undefined && { dashboard_id: dashboardId }),
    filters: chosen,
    width,
    height: Math.max(80, Math.round(height)),
    locale: locale(),
  };
  const { data, error } = useQuery({
    queryKey: ["tool", slug, "preview_widget", args],
    queryFn: ({ signal }) => callTool<Preview>(slug, "preview_widget", args, { signal }),
    enabled: width > 0,
    placeholderData: keepPreviousData,
  });
  return (
    <div ref={box} className="min-h-0 min-w-0 flex-1 overflow-auto" style={{ minHeight: height }}>
      {error !== null ? (
        <ErrorNote error={error} />
      ) : data === undefined ? (
        <Skeleton className="h-full w-full" />
      ) : data.kind === "picture" ? (
        <div style={{ width }}>
          <Picture
            drawn={{ width, hover: data.hover }}
            source={(isDark ? data.dark : data.light) ?? ""}
            label={data.title}
            onPick={onPick}
          />
        </div>
      ) : data.table !== null ? (
        <Table table={data.table} />
      ) : (
        <Markdown
          text={data.text ?? ""}
          className={data.kind === "text" ? "px-1 py-1" : "px-1 py-2 text-soft"}
        />
      )}
      {data?.notes.map((note) => (
        <p key={note} className="px-1 text-caption text-faint">
          {note}
        </p>
      ))}
    </div>
  );
}

function Table({ table: { columns, rows, row_count: count } }: { table: NonNullable<Preview["table"]> }) {
  return (
    <>
      <table className="figures w-full text-table">
        <thead>
          <tr>
            {columns.map((name) => (
              <th
                key={name}
                scope="col"
                className="sticky top-0 bg-card px-2 py-1 text-left font-medium text-soft"
              >
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            <tr key={at} className="border-line border-t">
              {row.map((value, column) => (
                <td key={column} className={typeof value === "number" ? "px-2 py-1 text-right" : "px-2 py-1"}>
                  {cell(value)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {count > rows.length && (
        <p className="px-2 py-1 text-caption text-faint">{t`${number(rows.length)} of ${number(count)} rows`}</p>
      )}
    </>
  );
}
