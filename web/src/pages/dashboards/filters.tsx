import { Popover } from "@base-ui/react/popover";
import { ChevronDown } from "lucide-react";
import { useState } from "react";
import { useTool } from "../../api/hooks.ts";
import { Button } from "../../components/button.tsx";
import { SelectField, TextField } from "../../components/fields.tsx";
import { t } from "../../words/words.ts";
import type { BoardDetails, BoardFilter } from "./types.ts";

type OnChange = (change: Record<string, string | undefined>) => void;

interface Choices {
  name: string;
  label: string;
  operator: string;
  options: string[] | null;
  is_date: boolean;
}

export function filterName({ parameter, field }: BoardFilter): string {
  return parameter ?? field ?? "";
}

/** What viewers can set; it stands in the address, so that a link shows the same. */
export function Filters({
  board: { id, filters },
  params,
  onChange,
}: {
  board: BoardDetails;
  params: Record<string, string | undefined>;
  onChange: OnChange;
}) {
  const { data } = useTool<{ filters: Choices[] }>(
    "list_dashboard_filters",
    { dashboard_id: id },
    { enabled: filters.length > 0 },
  );
  if (filters.length === 0) return null;
  const isSet = filters.some((filter) => params[`f.${filterName(filter)}`]);
  const clear = () =>
    onChange(Object.fromEntries(filters.map((each) => [`f.${filterName(each)}`, undefined])));
  return (
    <div className="flex flex-wrap items-end gap-3">
      {filters.map((filter) => {
        const name = filterName(filter);
        const choices = data?.filters.find((each) => each.name === name);
        return (
          <div key={name} className="w-44 max-w-full">
            <Filter
              key={params[`f.${name}`] ?? ""}
              filter={filter}
              choices={choices}
              value={params[`f.${name}`] ?? ""}
              onChange={(value) => onChange({ [`f.${name}`]: value })}
            />
          </div>
        );
      })}
      {isSet && <Button look="quiet" onClick={clear}>{t`Clear`}</Button>}
    </div>
  );
}

interface FilterProps {
  filter: BoardFilter;
  choices: Choices | undefined;
  value: string;
  onChange: (value: string) => void;
}

function Filter({ filter, choices, value, onChange }: FilterProps) {
  const label = choices?.label ?? filter.label ?? filterName(filter);
  const first = filter.value ?? null;
  const all = first === null ? t`All` : [first].flat().join(", ");
  const options = choices?.options ?? null;
  if (options !== null && filter.operator === "in")
    return <Several label={label} all={all} options={options} value={value} onChange={onChange} />;
  if (options !== null)
    return (
      <SelectField label={label} value={value} onChange={({ target }) => onChange(target.value)}>
        <option value="">{all}</option>
        {[...new Set([...options, ...(value === "" ? [] : [value])])].map((option) => (
          <option key={option}>{option}</option>
        ))}
      </SelectField>
    );
  const type = choices?.is_date ? "date" : "text";
  if (filter.operator === "between") return <Between {...{ label, type, value, onChange }} />;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onChange(String(new FormData(event.currentTarget).get("value") ?? ""));
      }}
    >
      <TextField
        label={label}
        name="value"
        type={type}
        defaultValue={value}
        placeholder={all}
        onBlur={({ target }) => target.value !== value && target.form?.requestSubmit()}
      />
    </form>
  );
}

function Between({
  label,
  type,
  value,
  onChange,
}: Pick<FilterProps, "value" | "onChange"> & { label: string; type: string }) {
  const [from = "", to = ""] = value.split(",");
  const [ends, setEnds] = useState([from, to]);
  const save = () => ends.every((each) => each !== "") && onChange(ends.join(","));
  return (
    <fieldset className="flex flex-col gap-1">
      <legend className="mb-1 font-medium text-table">{label}</legend>
      {[t`${label}, from`, t`${label}, to`].map((name, at) => (
        <TextField
          key={name}
          bare
          label={name}
          type={type}
          value={ends[at]}
          onChange={({ target }) => setEnds(ends.map((each, i) => (i === at ? target.value : each)))}
          onBlur={save}
        />
      ))}
    </fieldset>
  );
}

const SEARCHED_FROM = 8;

/** Several values of a list, applied when it is closed. */
function Several({
  label,
  all,
  options,
  value,
  onChange,
}: Pick<FilterProps, "value" | "onChange"> & { label: string; all: string; options: readonly string[] }) {
  const before = value === "" ? [] : value.split(",");
  const [chosen, choose] = useState<readonly string[]>(before);
  const [text, setText] = useState("");
  const said =
    chosen.length === 0 ? all : chosen.length <= 2 ? chosen.join(", ") : t`${chosen.length} chosen`;
  const shown = [...new Set([...options, ...before])].filter((each) =>
    each.toLowerCase().includes(text.trim().toLowerCase()),
  );
  const toggle = (option: string, isOn: boolean) =>
    choose(isOn ? [...chosen, option] : chosen.filter((each) => each !== option));
  return (
    <Popover.Root onOpenChange={(isOpen) => !isOpen && chosen.join() !== value && onChange(chosen.join())}>
      <div className="flex flex-col gap-1">
        <span aria-hidden="true" className="font-medium text-table">
          {label}
        </span>
        <Popover.Trigger
          aria-label={`${label}: ${said}`}
          className="flex h-8 w-full items-center justify-between gap-2 rounded-field border border-edge bg-card px-2.5 text-left text-body hover:bg-hover pointer-coarse:min-h-10"
        >
          <span className="min-w-0 truncate">{said}</span>
          <ChevronDown aria-hidden="true" className="size-3.5 shrink-0 text-soft" />
        </Popover.Trigger>
      </div>
      <Popover.Portal>
        <Popover.Positioner sideOffset={6} align="start" className="z-50">
          <Popover.Popup
            aria-label={label}
            className="overlay flex max-h-80 w-60 flex-col gap-1 rounded-card border border-line bg-raised p-2 shadow-overlay outline-none"
          >
            {options.length > SEARCHED_FROM && (
              <TextField
                bare
                label={t`Search ${label}`}
                placeholder={t`Search`}
                value={text}
                onChange={({ target }) => setText(target.value)}
              />
            )}
            <div className="min-h-0 overflow-y-auto">
              {shown.map((option) => (
                <label
                  key={option}
                  className="flex min-h-8 items-center gap-2.5 rounded-field px-2 hover:bg-hover pointer-coarse:min-h-10"
                >
                  <input
                    type="checkbox"
                    className="size-4 shrink-0 accent-accent"
                    checked={chosen.includes(option)}
                    onChange={({ target }) => toggle(option, target.checked)}
                  />
                  <span className="min-w-0 truncate">{option}</span>
                </label>
              ))}
            </div>
            {chosen.length > 0 && (
              <Button small look="quiet" className="self-start" onClick={() => choose([])}>
                {t`Clear`}
              </Button>
            )}
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  );
}
