import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { callTool } from "../api/client.ts";
import { useWorkspace } from "../api/hooks.ts";
import type { ChartSpec, Drawn } from "../api/tools.ts";
import { useIsDark } from "../frame/appearance.ts";
import { locale, t } from "../words/words.ts";
import { Skeleton } from "./states.tsx";

const STEP_PX = 40;
const LEAST_PX = 280;
const MOST_PX = 1_200;

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
        <Svg source={isDark ? data.dark : data.light} label={label} />
      )}
    </div>
  );
}

/** In a tree of its own, so that ids and styles of two pictures do not meet. */
export function Svg({ source, label }: { source: string; label: string }) {
  const host = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = host.current;
    if (element === null) return;
    const root = element.shadowRoot ?? element.attachShadow({ mode: "open" });
    // The page's policy refuses styles in markup; the same by the object model is ours to set.
    const template = document.createElement("template");
    template.innerHTML = source.replaceAll(" style=", " data-style=");
    for (const styled of template.content.querySelectorAll<SVGElement>("[data-style]"))
      styled.style.cssText = styled.dataset.style ?? "";
    const svg = template.content.querySelector("svg");
    if (svg !== null) {
      // Its host is the picture that is named.
      svg.setAttribute("aria-hidden", "true");
      svg.removeAttribute("role");
      svg.removeAttribute("aria-label");
      svg.style.display = "block";
      svg.style.width = "100%";
      svg.style.height = "auto";
    }
    root.replaceChildren(template.content);
  }, [source]);
  return <div ref={host} role="img" aria-label={label} className="w-full" />;
}

/** In steps, so that a window that is drawn larger does not ask for a picture at each pixel. */
export function useWidth(least = LEAST_PX) {
  const box = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    const observer = new ResizeObserver(([entry]) => {
      const own = entry?.contentRect.width ?? 0;
      if (own > 0) setWidth(Math.min(MOST_PX, Math.max(least, Math.floor(own / STEP_PX) * STEP_PX)));
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [least]);
  return [box, width] as const;
}
