import { Check, Copy, TriangleAlert } from "lucide-react";
import { type ReactNode, useEffect, useState } from "react";
import { ApiError } from "../api/client.ts";
import { t } from "../words/words.ts";
import { Button } from "./button.tsx";
import { cx } from "./classes.ts";

/** In the shape of what comes, and not before a wait is felt. */
export function Skeleton({ className }: { className?: string }) {
  return <div aria-hidden="true" className={cx("animate-pulse rounded-field bg-hover", className)} />;
}

const SOON_MS = 300;

export function Waiting({ rows = 6, className }: { rows?: number; className?: string }) {
  const [isShown, show] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => show(true), SOON_MS);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div role="status" aria-label={t`Loading`} className={cx("flex flex-col gap-2", className)}>
      {Array.from({ length: rows }, (_, at) => (
        <Skeleton key={at} className={cx("h-8", !isShown && "opacity-0")} />
      ))}
    </div>
  );
}

/** Says what a place is for, and offers one thing to do. */
export function Empty({
  icon,
  title,
  children,
  action,
}: {
  icon?: ReactNode;
  title: string;
  children?: ReactNode;
  action?: ReactNode;
}) {
  return (
    <div className="flex flex-col items-center gap-3 rounded-card border border-line border-dashed px-6 py-14 text-center">
      {icon !== undefined && (
        <div aria-hidden="true" className="grid size-11 place-items-center rounded-full bg-tint text-accent">
          {icon}
        </div>
      )}
      <h2 className="font-semibold text-lead">{title}</h2>
      {children !== undefined && <div className="max-w-[56ch] text-soft">{children}</div>}
      {action !== undefined && <div className="mt-1 flex flex-wrap justify-center gap-2">{action}</div>}
    </div>
  );
}

/** What happened, what to do about it, and the id to tell an admin. */
export function ErrorNote({ error, retry }: { error: unknown; retry?: (() => void) | undefined }) {
  const told = error instanceof ApiError ? error : undefined;
  const message = error instanceof Error ? error.message : String(error);
  return (
    <div role="alert" className="flex flex-col gap-2 rounded-card border border-line bg-bad-tint px-4 py-3">
      <div className="flex items-start gap-2.5">
        <TriangleAlert aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-bad" />
        <div className="min-w-0 flex-1">
          <p className="whitespace-pre-line font-medium [overflow-wrap:anywhere]">{message}</p>
          {told?.hint !== undefined && <p className="whitespace-pre-line text-soft">{told.hint}</p>}
        </div>
        {retry !== undefined && (
          <Button small onClick={retry}>
            {t`Try again`}
          </Button>
        )}
      </div>
      {told?.requestId !== undefined && <CopyLine label={t`Request`} text={told.requestId} />}
    </div>
  );
}

function CopyLine({ label, text }: { label: string; text: string }) {
  const [isCopied, setCopied] = useState(false);
  return (
    <p className="flex flex-wrap items-center gap-1 pl-6.5 text-caption text-soft">
      {label} <code className="font-mono">{text}</code>
      <button
        type="button"
        className="rounded p-1 hover:bg-hover"
        aria-label={t`Copy the id of the request`}
        onClick={() => void navigator.clipboard.writeText(text).then(() => setCopied(true))}
      >
        {isCopied ? <Check className="size-3" /> : <Copy className="size-3" />}
      </button>
    </p>
  );
}
