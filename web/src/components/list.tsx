import { Link } from "@tanstack/react-router";
import { type KeyboardEvent, type ReactNode, useCallback, useRef } from "react";
import { cx } from "./classes.ts";

/** A list that j and k go through; each row is a link, so that Enter and a new tab work as everywhere. */
export function LinkList({
  label,
  children,
  className,
}: {
  label: string;
  children: ReactNode;
  className?: string;
}) {
  const list = useRef<HTMLUListElement>(null);
  const onKeyDown = useCallback((event: KeyboardEvent) => {
    const step = { j: 1, k: -1, ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined || event.metaKey || event.ctrlKey || event.altKey) return;
    const links = [...(list.current?.querySelectorAll<HTMLElement>("[data-row]") ?? [])];
    const at = links.indexOf(document.activeElement as HTMLElement);
    if (at === -1) return;
    event.preventDefault();
    links[Math.min(links.length - 1, Math.max(0, at + step))]?.focus();
  }, []);
  return (
    <ul
      ref={list}
      aria-label={label}
      onKeyDown={onKeyDown}
      className={cx(
        "divide-y divide-line overflow-hidden rounded-card border border-line bg-card",
        className,
      )}
    >
      {children}
    </ul>
  );
}

interface RowLinkProps {
  slug: string;
  page: string;
  id: string | number;
  search?: Record<string, string | undefined>;
  icon?: ReactNode;
  title: ReactNode;
  about?: ReactNode;
  end?: ReactNode;
}

export function RowLink({ slug, page, id, search = {}, icon, title, about, end }: RowLinkProps) {
  return (
    <li>
      <Link
        data-row
        to="/w/$slug/$page/$id"
        params={{ slug, page, id: `${id}` }}
        search={search as never}
        className="flex min-h-13 items-center gap-3 px-4 py-2 transition-colors duration-120 hover:bg-hover focus-visible:-outline-offset-2"
      >
        {icon !== undefined && (
          <span
            aria-hidden="true"
            className="grid size-8 shrink-0 place-items-center rounded-field bg-sunken text-soft [&_svg]:size-4"
          >
            {icon}
          </span>
        )}
        <span className="min-w-0 flex-1">
          <span className="block truncate font-medium">{title}</span>
          {about !== undefined && <span className="block truncate text-soft text-table">{about}</span>}
        </span>
        {end !== undefined && <span className="figures shrink-0 text-right text-soft text-table">{end}</span>}
      </Link>
    </li>
  );
}
