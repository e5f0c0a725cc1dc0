import { type ReactNode, useEffect } from "react";
import { cx } from "./classes.ts";

interface PageProps {
  title: string;
  /** One line that says what this is. */
  about?: ReactNode;
  actions?: ReactNode;
  /** Grids take the whole width, what is read does not. */
  wide?: boolean;
  /** What leads back. */
  above?: ReactNode;
  children: ReactNode;
}

export function Page({ title, about, actions, wide = false, above, children }: PageProps) {
  useTitle(title);
  return (
    <div
      className={cx(
        "mx-auto flex w-full flex-col gap-5 px-4 py-6 md:px-8",
        wide ? "max-w-none" : "max-w-[1200px]",
      )}
    >
      <header className="flex flex-wrap items-end justify-between gap-x-6 gap-y-3">
        <div className="min-w-0 flex-1 basis-72">
          {above}
          <h1 className="font-semibold text-title tracking-[-0.01em] [overflow-wrap:anywhere]">{title}</h1>
          {about !== undefined && <p className="mt-0.5 max-w-[72ch] text-soft">{about}</p>}
        </div>
        {actions !== undefined && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
      </header>
      {children}
    </div>
  );
}

export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Kenning`;
  }, [title]);
}

export function Card({ className, children }: { className?: string; children: ReactNode }) {
  return <section className={cx("rounded-card border border-line bg-card", className)}>{children}</section>;
}

export function SectionTitle({ children, actions }: { children: ReactNode; actions?: ReactNode }) {
  return (
    <div className="flex min-h-8 items-center justify-between gap-3">
      <h2 className="font-semibold text-body">{children}</h2>
      {actions}
    </div>
  );
}
