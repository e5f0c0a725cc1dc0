import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { callTool } from "../api/client.ts";
import { useWorkspace } from "../api/hooks.ts";
import type { ChartSpec, Drawn } from "../api/tools.ts";
import { useIsDark } from "../frame/appearance.ts";
import { locale, t } from "../words/words.ts";
import { Picture } from "./picture.tsx";
import { Skeleton } from "./states.tsx";

/** Not a picture for each pixel while a window is drawn larger. */
const STEP_PX = 8;
const SETTLE_MS = 120;
const LEAST_PX = 280;
/** Wider ones are drawn by nobody. */
const MOST_PX = 2_000;

/** A chart as the server draws it everywhere, in the width that there is. */
export function Drawing({
  chart,
  label,
  height = 320,
}: {
  chart: ChartSpec;
  label: string;
  height?: number;
}) {
  const { slug } = useWorkspace();
  const isDark = useIsDark();
  const [box, width] = useWidth();
  const look = { width, height, locale: locale() };
  const { data, isError } = useQuery({
    queryKey: ["drawing", slug, chart, look],
    queryFn: ({ signal }) =>
      callTool<Drawn>(slug, "draw_picture", { subject: { kind: "spec", chart }, ...look }, { signal }),
    enabled: width > 0,
    staleTime: Number.POSITIVE_INFINITY,
    placeholderData: keepPreviousData,
  });
  return (
    <div ref={box} className="min-w-0">
      {isError ? (
        <p className="py-8 text-center text-soft">{t`The chart could not be drawn; the table has its numbers.`}</p>
      ) : data === undefined ? (
        <Skeleton className="h-80 w-full" />
      ) : (
        <Picture drawn={data} source={isDark ? data.dark : data.light} label={label} />
      )}
    </div>
  );
}

/** The room that there is, when it has settled; at first at once. */
export function useWidth({ least = LEAST_PX, most = MOST_PX, step = STEP_PX } = {}) {
  const box = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isFirst = true;
    const observer = new ResizeObserver(([entry]) => {
      const own = entry?.contentRect.width ?? 0;
      if (own <= 0) return;
      const apply = () => setWidth(Math.min(most, Math.max(least, Math.floor(own / step) * step)));
      clearTimeout(timer);
      if (isFirst) apply();
      else timer = setTimeout(apply, SETTLE_MS);
      isFirst = false;
    });
    observer.observe(element);
    return () => {
      clearTimeout(timer);
      observer.disconnect();
    };
  }, [least, most, step]);
  return [box, width] as const;
}
