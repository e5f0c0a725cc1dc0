import { type KeyboardEvent, type PointerEvent, useEffect, useRef, useState } from "react";
import { createPortal } from "react-dom";
import type { Hover } from "../api/tools.ts";
import { t } from "../words/words.ts";

interface PictureProps {
  source: string;
  label: string;
  /** What its marks say, in the pixels that it was drawn with. */
  drawn: { width: number; hover: Hover | null };
  /** Somebody chose a mark. */
  onPick?: ((mark: { title: string; series?: string; x: number; y: number }) => void) | undefined;
}

interface Told {
  at: number;
  x: number;
  y: number;
}

/** A drawing of the server that says its values under the pointer and by the arrow keys. */
export function Picture({ source, label, drawn: { width, hover }, onPick }: PictureProps) {
  const host = useRef<HTMLDivElement>(null);
  const [told, tell] = useState<Told | null>(null);
  useSvg(host, source);
  const markAt = (event: PointerEvent | React.MouseEvent): number | undefined => {
    const element = host.current;
    if (hover === null || element === null) return undefined;
    if (hover.by === "mark") {
      const [mark] = event.nativeEvent.composedPath() as Element[];
      const found = mark?.closest?.("[ecmeta_data_index]")?.getAttribute("ecmeta_data_index");
      return found == null || hover.titles[Number(found)] === undefined ? undefined : Number(found);
    }
    const box = element.getBoundingClientRect();
    const scale = width / box.width;
    const here = (hover.axis === "x" ? event.clientX - box.left : event.clientY - box.top) * scale;
    return nearest(hover.at ?? [], here);
  };
  const onMove = (event: PointerEvent) => {
    const at = markAt(event);
    tell(at === undefined ? null : { at, x: event.clientX, y: event.clientY });
  };
  const pick = (at: number | undefined, x: number, y: number) => {
    const title = at === undefined ? undefined : hover?.titles[at];
    if (title !== undefined && title !== "") onPick?.({ title, x, y });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (hover === null || hover.titles.length === 0) return;
    if (event.key === "Escape") tell(null);
    const box = event.currentTarget.getBoundingClientRect();
    if (event.key === "Enter" && told !== null) pick(told.at, box.left + 24, box.top + 24);
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const count = hover.titles.length;
    const at = ((told?.at ?? (step > 0 ? -1 : 0)) + step + count) % count;
    tell({ at, x: box.left + 24, y: box.top + 24 });
  };
  if (hover === null) return <div ref={host} role="img" aria-label={label} className="w-full" />;
  return (
    <div
      role="img"
      aria-label={label}
      aria-description={t`Arrow keys read its values.`}
      tabIndex={0}
      onPointerMove={onMove}
      onPointerLeave={() => tell(null)}
      onBlur={() => tell(null)}
      onKeyDown={onKeyDown}
      onClick={(event) => onPick && pick(markAt(event), event.clientX, event.clientY)}
      className={`relative w-full rounded-field ${onPick === undefined || (hover.by === "category" && hover.guide !== null) ? "" : "cursor-pointer"}`}
    >
      <div ref={host} className="w-full" />
      {told !== null && <Guide hover={hover} at={told.at} width={width} host={host.current} />}
      {told !== null && createPortal(<Tip hover={hover} told={told} />, document.body)}
    </div>
  );
}

function nearest(all: readonly number[], here: number): number | undefined {
  let best: number | undefined;
  for (const [at, place] of all.entries())
    if (best === undefined || Math.abs(place - here) < Math.abs((all[best] as number) - here)) best = at;
  return best;
}

/** A line through what is spoken of, where points stand above each other. */
function Guide({
  hover,
  at,
  width,
  host,
}: {
  hover: Hover;
  at: number;
  width: number;
  host: HTMLElement | null;
}) {
  if (hover.by !== "category" || hover.axis !== "x" || hover.guide == null || host === null) return null;
  const scale = host.clientWidth / width;
  return (
    <div
      aria-hidden="true"
      className="pointer-events-none absolute w-px bg-faint"
      style={{
        left: (hover.at?.[at] ?? 0) * scale,
        top: hover.guide.top * scale,
        height: (hover.guide.bottom - hover.guide.top) * scale,
      }}
    />
  );
}

const TIP_PX = 240;
const SHOWN_SERIES = 12;

function Tip({ hover, told: { at, x, y } }: { hover: Hover; told: Told }) {
  const lines =
    hover.by === "mark"
      ? [{ name: "", colour: "", value: hover.lines[at] ?? "" }]
      : hover.series
          .slice(0, SHOWN_SERIES)
          .map(({ name, colour, values }) => ({ name, colour, value: values[at] ?? "" }));
  const isLeft = x + TIP_PX + 24 > innerWidth;
  return (
    <div
      role="status"
      className="figures pointer-events-none fixed z-[70] max-w-60 rounded-field border border-line bg-raised px-2.5 py-1.5 text-caption shadow-overlay"
      style={{
        top: Math.min(y + 14, innerHeight - 40 - lines.length * 18),
        ...(isLeft ? { right: innerWidth - x + 12 } : { left: x + 14 }),
      }}
    >
      <p className="font-semibold">{hover.titles[at]}</p>
      {lines.map(({ name, colour, value }) => (
        <p key={name} className="flex items-center gap-1.5">
          {lines.length > 1 && (
            <>
              <span
                aria-hidden="true"
                className="size-2 shrink-0 rounded-sm"
                style={{ background: colour }}
              />
              <span className="min-w-0 flex-1 truncate text-soft">{name}</span>
            </>
          )}
          <span>{value}</span>
        </p>
      ))}
    </div>
  );
}

/** In a tree of its own, so that ids and styles of two pictures do not meet. */
function useSvg(host: React.RefObject<HTMLDivElement | null>, source: string): void {
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
  }, [host, source]);
}
