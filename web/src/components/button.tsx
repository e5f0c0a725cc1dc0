import { Link, type LinkProps } from "@tanstack/react-router";
import type { ButtonHTMLAttributes, ReactNode } from "react";
import { cx } from "./classes.ts";

type Look = "primary" | "plain" | "quiet" | "danger";

const LOOKS: Record<Look, string> = {
  primary: "bg-accent text-on-accent border-transparent hover:opacity-90",
  plain: "bg-card text-ink border-edge hover:bg-hover",
  quiet: "bg-transparent text-soft border-transparent hover:bg-hover hover:text-ink",
  danger: "bg-bad-tint text-bad border-transparent hover:opacity-80",
};

const BASE =
  "inline-flex shrink-0 items-center justify-center gap-1.5 rounded-field border font-medium text-table whitespace-nowrap transition-colors duration-120 disabled:opacity-50 disabled:cursor-not-allowed pointer-coarse:min-h-10";

function lookOf(look: Look, isSmall: boolean): string {
  return cx(BASE, LOOKS[look], isSmall ? "h-7 px-2" : "h-8 px-3");
}

interface Own {
  look?: Look;
  small?: boolean;
  icon?: ReactNode;
  children?: ReactNode;
}

export function Button({
  look = "plain",
  small = false,
  icon,
  children,
  className,
  ...rest
}: Own & ButtonHTMLAttributes<HTMLButtonElement>) {
  return (
    <button type="button" {...rest} className={cx(lookOf(look, small), className)}>
      {icon}
      {children}
    </button>
  );
}

/** A button that only bears a picture has a name for those who do not see it. */
export function IconButton({
  label,
  className,
  children,
  ...rest
}: { label: string } & ButtonHTMLAttributes<HTMLButtonElement>) {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      {...rest}
      className={cx(
        "inline-grid size-8 shrink-0 place-items-center rounded-field text-soft transition-colors duration-120 hover:bg-hover hover:text-ink disabled:opacity-40 aria-pressed:bg-tint aria-pressed:text-accent pointer-coarse:size-10",
        className,
      )}
    >
      {children}
    </button>
  );
}

export function ButtonLink({
  look = "plain",
  small = false,
  icon,
  children,
  ...rest
}: Own & LinkProps & { className?: string }) {
  return (
    <Link {...rest} className={cx(lookOf(look, small), rest.className)}>
      {icon}
      {children}
    </Link>
  );
}
