import { CalendarDays, Hash, KeyRound, Sigma, Table2, Tag } from "lucide-react";
import { useState } from "react";
import { cx } from "../../components/classes.ts";
import { SearchField } from "../../components/fields.tsx";
import { t } from "../../words/words.ts";
import type { Entry, Field, Model } from "./source.ts";

type OnChange = (
  path: (string | number)[],
  what: { description?: string; synonyms?: string[]; expression?: string },
) => void;

/** What each name means, in a form: the words that people use for it, and what it is worked out of. */
export function Meanings({ model, onChange }: { model: Model; onChange: OnChange | undefined }) {
  const [text, setText] = useState("");
  const fits = ({ name, description, synonyms }: { name: string; description: string; synonyms: string[] }) =>
    `${name} ${description} ${synonyms.join(" ")}`.toLowerCase().includes(text.toLowerCase());
  const metrics = model.metrics.filter(fits);
  return (
    <div className="flex max-w-[1200px] flex-col gap-6">
      <SearchField
        label={t`Search names and synonyms`}
        value={text}
        onSearch={setText}
        className="w-full sm:w-80"
      />
      {metrics.length > 0 && (
        <Group icon={<Sigma className="size-4" />} title={t`Measures`}>
          {metrics.map((metric) => (
            <EntryRow
              key={metric.path.join()}
              entry={metric}
              icon={<Sigma />}
              onChange={onChange}
              hasFormula
            />
          ))}
        </Group>
      )}
      {model.datasets.map((dataset) => {
        const fields = dataset.fields.filter(fits);
        if (fields.length === 0 && !fits(dataset)) return null;
        return (
          <Group
            key={dataset.name}
            icon={<Table2 className="size-4" />}
            title={dataset.name}
            about={dataset.description}
          >
            {fields.map((field) => (
              <EntryRow
                key={field.path.join()}
                entry={field}
                icon={iconOf(field, dataset.keys.includes(field.name))}
                onChange={onChange}
                hasFormula={field.expression !== field.name}
              />
            ))}
          </Group>
        );
      })}
    </div>
  );
}

function iconOf({ role }: Field, isKey: boolean) {
  if (isKey) return <KeyRound />;
  if (role === "time") return <CalendarDays />;
  return role === "dimension" ? <Tag /> : <Hash />;
}

function Group({
  icon,
  title,
  about,
  children,
}: {
  icon: React.ReactNode;
  title: string;
  about?: string;
  children: React.ReactNode;
}) {
  return (
    <section className="flex flex-col gap-2" aria-label={title}>
      <h2 className="flex items-center gap-2 font-semibold">
        <span aria-hidden="true" className="text-soft">
          {icon}
        </span>
        {title}{" "}
        {about !== undefined && about !== "" && <span className="font-normal text-soft">{about}</span>}
      </h2>
      <div className="divide-y divide-line rounded-card border border-line bg-card">{children}</div>
    </section>
  );
}

interface EntryRowProps {
  entry: Entry;
  icon: React.ReactNode;
  hasFormula: boolean;
  onChange: OnChange | undefined;
}

function EntryRow({ entry, icon, hasFormula, onChange }: EntryRowProps) {
  const { name, description, synonyms, expression, path } = entry;
  return (
    <div className="grid items-start gap-x-4 gap-y-1 px-4 py-2 md:grid-cols-[220px_minmax(0,1fr)_minmax(0,1fr)]">
      <div className="flex min-w-0 items-center gap-2 pt-1">
        <span aria-hidden="true" className="text-faint [&_svg]:size-3.5">
          {icon}
        </span>
        <span className="truncate font-medium" title={name}>
          {name}
        </span>
      </div>
      <div className="min-w-0">
        <Inline
          label={t`What ${name} means`}
          value={description}
          placeholder={t`What it means`}
          onSave={onChange && ((next) => onChange(path, { description: next }))}
        />
        {hasFormula && (
          <Inline
            label={t`Formula of ${name}`}
            value={expression}
            placeholder={t`Formula`}
            mono
            onSave={onChange && ((next) => next !== "" && onChange(path, { expression: next }))}
          />
        )}
      </div>
      <Inline
        label={t`Other words for ${name}`}
        value={synonyms.join(", ")}
        placeholder={t`Other words, with commas between them`}
        onSave={
          onChange &&
          ((next) =>
            onChange(path, {
              synonyms: next
                .split(",")
                .map((each) => each.trim())
                .filter(Boolean),
            }))
        }
      />
    </div>
  );
}

interface InlineProps {
  label: string;
  value: string;
  placeholder: string;
  mono?: boolean;
  onSave: ((text: string) => void) | undefined;
}

/** Reads like text and is written into like a field. */
function Inline({ label, value, placeholder, mono = false, onSave }: InlineProps) {
  const [text, setText] = useState<string>();
  if (onSave === undefined)
    return (
      <p className={cx("px-1.5 py-1 text-soft [overflow-wrap:anywhere]", mono && "font-mono text-table")}>
        {value}
      </p>
    );
  return (
    <input
      aria-label={label}
      value={text ?? value}
      placeholder={placeholder}
      spellCheck={!mono}
      onChange={({ target }) => setText(target.value)}
      onBlur={() => {
        if (text !== undefined && text.trim() !== value) onSave(text.trim());
        setText(undefined);
      }}
      onKeyDown={({ key, currentTarget }) => {
        if (key === "Enter") currentTarget.blur();
        if (key === "Escape") setText(undefined);
      }}
      className={cx(
        "w-full rounded border border-transparent bg-transparent px-1.5 py-1 text-soft placeholder:text-faint hover:border-line focus:border-accent focus:bg-ground focus:text-ink focus:outline-none",
        mono && "font-mono text-table",
      )}
    />
  );
}
