import { Search } from "lucide-react";
import {
  type InputHTMLAttributes,
  type ReactNode,
  type SelectHTMLAttributes,
  type TextareaHTMLAttributes,
  useId,
  useRef,
} from "react";
import { t } from "../words/words.ts";
import { cx } from "./classes.ts";

const FIELD =
  "w-full rounded-field border border-edge bg-card px-2.5 text-body placeholder:text-faint focus:border-accent focus:outline-none focus:ring-1 focus:ring-accent pointer-coarse:min-h-10 pointer-coarse:text-[16px]";

interface Labelled {
  label: string;
  hint?: ReactNode;
  /** The label is only heard. */
  bare?: boolean;
}

function Label({ id, label, hint, bare, children }: Labelled & { id: string; children: ReactNode }) {
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <label htmlFor={id} className={cx("font-medium text-table", bare && "sr-only")}>
        {label}
      </label>
      {children}
      {hint !== undefined && <p className="text-caption text-soft">{hint}</p>}
    </div>
  );
}

export function TextField({
  label,
  hint,
  bare,
  className,
  ...rest
}: Labelled & InputHTMLAttributes<HTMLInputElement>) {
  const id = useId();
  return (
    <Label id={id} label={label} hint={hint} bare={bare ?? false}>
      <input id={id} {...rest} className={cx(FIELD, "h-8", className)} />
    </Label>
  );
}

export function TextArea({
  label,
  hint,
  bare,
  className,
  ...rest
}: Labelled & TextareaHTMLAttributes<HTMLTextAreaElement>) {
  const id = useId();
  return (
    <Label id={id} label={label} hint={hint} bare={bare ?? false}>
      <textarea id={id} {...rest} className={cx(FIELD, "py-2", className)} />
    </Label>
  );
}

export function SelectField({
  label,
  hint,
  bare,
  className,
  children,
  ...rest
}: Labelled & SelectHTMLAttributes<HTMLSelectElement>) {
  const id = useId();
  return (
    <Label id={id} label={label} hint={hint} bare={bare ?? false}>
      <select id={id} {...rest} className={cx(FIELD, "h-8 pr-1", className)}>
        {children}
      </select>
    </Label>
  );
}

const AFTER_MS = 200;

/** What is looked for stands in the address, so that it can be shared and gone back to. */
export function SearchField({
  label,
  value,
  onSearch,
  className,
}: {
  label: string;
  value: string;
  onSearch: (text: string) => void;
  className?: string;
}) {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  return (
    <div className={cx("relative min-w-0", className)}>
      <Search
        aria-hidden="true"
        className="pointer-events-none absolute top-1/2 left-2.5 size-4 -translate-y-1/2 text-faint"
      />
      <input
        type="search"
        aria-label={label}
        placeholder={label}
        defaultValue={value}
        onChange={({ target }) => {
          clearTimeout(timer.current);
          timer.current = setTimeout(() => onSearch(target.value), AFTER_MS);
        }}
        onKeyDown={(event) => {
          if (event.key === "Escape") event.currentTarget.blur();
        }}
        className={cx(FIELD, "h-8 pl-8")}
        data-search
        title={t`Press f to search`}
      />
    </div>
  );
}
