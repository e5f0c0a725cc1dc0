import { useQuery } from "@tanstack/react-query";
import { Eye, Plus, ShieldCheck, Trash2 } from "lucide-react";
import { useDeferredValue, useState } from "react";
import { callTool } from "../../api/client.ts";
import { queries, useTool, useWorkspace } from "../../api/hooks.ts";
import type { Column } from "../../api/tools.ts";
import { Button, IconButton } from "../../components/button.tsx";
import { SelectField, TextField } from "../../components/fields.tsx";
import { Card } from "../../components/page.tsx";
import { Empty, ErrorNote, Waiting } from "../../components/states.tsx";
import { told } from "../../components/toasts.tsx";
import { cell, number } from "../../words/figures.ts";
import { t } from "../../words/words.ts";

type Role = "admin" | "contributor" | "viewer";

interface PolicyFilter {
  field: string;
  operator: string;
  value: unknown;
}

export interface Policy {
  name: string;
  roles?: Role[];
  groups?: number[];
  rows?: PolicyFilter[];
  hide?: string[];
}

interface PoliciesProps {
  id: number;
  columns: readonly Column[];
  policies: readonly Policy[];
}

/** Who sees which rows and columns, tried with a member's eyes before it holds. */
export function Policies({ id, columns, policies }: PoliciesProps) {
  const { slug } = useWorkspace();
  const [draft, setDraft] = useState<readonly Policy[]>(policies);
  const [error, setError] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);
  const isChanged = JSON.stringify(draft) !== JSON.stringify(policies);
  const whole = draft.map((policy) => ({
    ...policy,
    rows: policy.rows?.filter(({ field, value }) => field !== "" && value !== ""),
  }));
  const save = async () => {
    setBusy(true);
    setError(null);
    try {
      await callTool(slug, "set_dataset_policies", { dataset_id: id, policies: whole });
      await queries.invalidateQueries({ queryKey: ["tool", slug] });
      told(t`The policies hold from now on, on every path to these rows.`);
    } catch (problem) {
      setError(problem);
    }
    setBusy(false);
  };
  const add = () =>
    setDraft([
      ...draft,
      {
        name: t`Policy ${number(draft.length + 1)}`,
        roles: ["viewer"],
        rows: [{ field: "", operator: "=", value: "" }],
      },
    ]);
  const change = (at: number, next: Policy) => setDraft(draft.map((each, i) => (i === at ? next : each)));
  return (
    <div className="grid min-h-0 flex-1 items-start gap-6 overflow-auto lg:grid-cols-[minmax(0,1fr)_minmax(0,1fr)]">
      <div className="flex min-w-0 flex-col gap-3">
        {error !== null && <ErrorNote error={error} />}
        {draft.length === 0 ? (
          <Empty
            icon={<ShieldCheck className="size-5" />}
            title={t`Everybody sees everything`}
            action={
              <Button look="primary" icon={<Plus className="size-4" />} onClick={add}>
                {t`Add a policy`}
              </Button>
            }
          >
            {t`A policy takes away: it keeps rows to those that fit, or hides columns, for a role or for everybody. It holds in questions, dashboards, exports and for every AI client.`}
          </Empty>
        ) : (
          <>
            {draft.map((policy, at) => (
              <PolicyCard
                key={at}
                policy={policy}
                columns={columns}
                onChange={(next) => change(at, next)}
                onRemove={() => setDraft(draft.filter((_, i) => i !== at))}
              />
            ))}
            <Button className="self-start" icon={<Plus className="size-4" />} onClick={add}>
              {t`Add a policy`}
            </Button>
          </>
        )}
        {isChanged && (
          <div className="flex gap-2">
            <Button look="primary" disabled={isBusy} onClick={() => void save()}>
              {t`Save`}
            </Button>
            <Button look="quiet" onClick={() => setDraft(policies)}>
              {t`Discard`}
            </Button>
          </div>
        )}
      </div>
      <ViewAs id={id} policies={isChanged ? whole : undefined} />
    </div>
  );
}

interface PolicyCardProps {
  policy: Policy;
  columns: readonly Column[];
  onChange: (next: Policy) => void;
  onRemove: () => void;
}

function PolicyCard({ policy, columns, onChange, onRemove }: PolicyCardProps) {
  const { roles = [], rows = [], hide = [] } = policy;
  const setRow = (at: number, next: Partial<PolicyFilter>) =>
    onChange({ ...policy, rows: rows.map((each, i) => (i === at ? { ...each, ...next } : each)) });
  return (
    <Card className="flex flex-col gap-3 p-4">
      <div className="flex items-end gap-3">
        <div className="min-w-0 flex-1">
          <TextField
            label={t`Name`}
            value={policy.name}
            onChange={({ target }) => onChange({ ...policy, name: target.value })}
          />
        </div>
        <div className="min-w-0 flex-1">
          <SelectField
            label={t`For`}
            value={roles.join()}
            onChange={({ target }) => {
              const { roles: _, ...rest } = policy;
              const chosen = target.value === "" ? [] : (target.value.split(",") as Role[]);
              onChange({ ...rest, ...(chosen.length > 0 && { roles: chosen }) });
            }}
          >
            <option value="">{t`Everybody`}</option>
            <option value="viewer">{t`Viewers`}</option>
            <option value="viewer,contributor">{t`Viewers and contributors`}</option>
            {!["", "viewer", "viewer,contributor"].includes(roles.join()) && (
              <option value={roles.join()}>{roles.join(", ")}</option>
            )}
          </SelectField>
        </div>
        <IconButton label={t`Remove ${policy.name}`} onClick={onRemove}>
          <Trash2 className="size-4" />
        </IconButton>
      </div>
      <fieldset className="flex flex-col gap-2">
        <legend className="mb-1 font-medium text-table">{t`Only rows where`}</legend>
        {rows.map((row, at) => (
          <RowCondition key={at} row={row} columns={columns} onChange={(next) => setRow(at, next)}>
            <IconButton
              label={t`Remove`}
              onClick={() => onChange({ ...policy, rows: rows.filter((_, i) => i !== at) })}
            >
              <Trash2 className="size-4" />
            </IconButton>
          </RowCondition>
        ))}
        <Button
          small
          className="self-start"
          icon={<Plus className="size-3.5" />}
          onClick={() => onChange({ ...policy, rows: [...rows, { field: "", operator: "=", value: "" }] })}
        >
          {t`Add a condition`}
        </Button>
      </fieldset>
      <fieldset>
        <legend className="mb-1 font-medium text-table">{t`Hidden columns`}</legend>
        <div className="flex max-h-40 flex-wrap gap-1.5 overflow-auto">
          {columns.map(({ name }) => (
            <label
              key={name}
              className="inline-flex h-7 cursor-pointer items-center gap-1.5 rounded-full border border-line px-2.5 text-table has-checked:border-accent has-checked:bg-tint has-focus-visible:outline-2"
            >
              <input
                type="checkbox"
                className="size-3.5 accent-accent"
                checked={hide.includes(name)}
                onChange={({ target }) =>
                  onChange({
                    ...policy,
                    hide: target.checked ? [...hide, name] : hide.filter((each) => each !== name),
                  })
                }
              />
              {name}
            </label>
          ))}
        </div>
      </fieldset>
    </Card>
  );
}

const OPERATORS = ["=", "!=", ">", "<", ">=", "<=", "like"];

function RowCondition({
  row: { field, operator, value },
  columns,
  onChange,
  children,
}: {
  row: PolicyFilter;
  columns: readonly Column[];
  onChange: (next: Partial<PolicyFilter>) => void;
  children: React.ReactNode;
}) {
  const attribute = (value as { attribute?: string } | null)?.attribute;
  const isAttribute = typeof attribute === "string";
  const text = isAttribute ? attribute : Array.isArray(value) ? value.join(", ") : String(value ?? "");
  const type = columns.find(({ name }) => name === field)?.type ?? "";
  return (
    <div className="flex flex-wrap items-center gap-2">
      <div className="min-w-28 flex-1">
        <SelectField
          bare
          label={t`Field`}
          value={field}
          onChange={({ target }) => onChange({ field: target.value })}
        >
          <option value="">{t`Choose a field`}</option>
          {columns.map(({ name }) => (
            <option key={name}>{name}</option>
          ))}
        </SelectField>
      </div>
      <div className="w-18">
        <SelectField
          bare
          label={t`Comparison`}
          value={operator}
          onChange={({ target }) => onChange({ operator: target.value })}
        >
          {[...new Set([...OPERATORS, operator])].map((each) => (
            <option key={each}>{each}</option>
          ))}
        </SelectField>
      </div>
      <div className="w-36">
        <SelectField
          bare
          label={t`Compared with`}
          value={isAttribute ? "attribute" : "value"}
          onChange={({ target }) =>
            onChange({ value: target.value === "attribute" ? { attribute: text } : text })
          }
        >
          <option value="value">{t`the value`}</option>
          <option value="attribute">{t`their attribute`}</option>
        </SelectField>
      </div>
      <div className="min-w-28 flex-1">
        <TextField
          bare
          label={isAttribute ? t`Name of the attribute` : t`Value`}
          placeholder={isAttribute ? "region" : ""}
          value={text}
          onChange={({ target }) =>
            onChange({
              value: isAttribute ? { attribute: target.value } : comparedWith(target.value, type, operator),
            })
          }
        />
      </div>
      {children}
    </div>
  );
}

function comparedWith(text: string, type: string, operator: string): unknown {
  if (operator === "in" || operator === "between") return text.split(",").map((each) => each.trim());
  const isFigure = /INT|DOUBLE|FLOAT|DECIMAL/i.test(type) && /^-?\d+(\.\d+)?$/.test(text);
  return isFigure ? Number(text) : text;
}

interface Seen {
  columns: Column[];
  rows: Record<string, unknown>[];
  total_rows: number;
  all_rows: number;
  hidden_columns: string[];
}

/** What is left of the rows for one member. */
function ViewAs({ id, policies }: { id: number; policies: readonly Policy[] | undefined }) {
  const { slug } = useWorkspace();
  const members = useTool<{ members: { email: string; name: string; role: string }[] }>("list_members");
  const [email, setEmail] = useState("");
  const settled = useDeferredValue(policies);
  const first = members.data?.members.find(({ role }) => role !== "admin") ?? members.data?.members[0];
  const who = email === "" ? (first?.email ?? "") : email;
  const args = { dataset_id: id, email: who, ...(settled !== undefined && { policies: settled }) };
  const { data, error } = useQuery({
    queryKey: ["tool", slug, "preview_policies", args],
    queryFn: ({ signal }) => callTool<Seen>(slug, "preview_policies", args, { signal }),
    enabled: who !== "",
    retry: false,
    placeholderData: (before) => before,
  });
  return (
    <Card className="flex min-w-0 flex-col gap-3 p-4">
      <div className="flex flex-wrap items-end justify-between gap-3">
        <h2 className="flex items-center gap-2 font-semibold">
          <Eye aria-hidden="true" className="size-4 text-accent" /> {t`View as`}
        </h2>
        <div className="w-64 max-w-full">
          <SelectField bare label={t`View as`} value={who} onChange={({ target }) => setEmail(target.value)}>
            {members.data?.members.map(({ email: each, role }) => (
              <option key={each} value={each}>
                {each} ({roleName(role)})
              </option>
            ))}
          </SelectField>
        </div>
      </div>
      {error !== null ? (
        <ErrorNote error={error} />
      ) : data === undefined ? (
        <Waiting rows={4} />
      ) : (
        <>
          <p aria-live="polite">
            {data.total_rows === data.all_rows
              ? t`All ${number(data.all_rows)} rows`
              : t`${number(data.total_rows)} of ${number(data.all_rows)} rows`}
            {data.hidden_columns.length > 0 && (
              <span className="text-soft"> · {t`without ${data.hidden_columns.join(", ")}`}</span>
            )}
            {policies !== undefined && <span className="text-soft"> · {t`if you save`}</span>}
          </p>
          <div
            className="max-h-96 overflow-auto rounded-field border border-line"
            tabIndex={0}
            role="region"
            aria-label={t`Rows that they see`}
          >
            <table className="figures text-table">
              <thead className="sticky top-0 bg-sunken text-left">
                <tr>
                  {data.columns.map(({ name }) => (
                    <th key={name} scope="col" className="px-2 py-1.5 font-medium whitespace-nowrap">
                      {name}
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {data.rows.map((row, at) => (
                  <tr key={at} className="border-line border-t">
                    {data.columns.map(({ name, type }) => (
                      <td key={name} className="h-8 max-w-48 truncate px-2 whitespace-nowrap">
                        {cell(row[name], /(^|_)id$/i.test(name) ? "ID" : type)}
                      </td>
                    ))}
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        </>
      )}
    </Card>
  );
}

function roleName(role: string): string {
  return { admin: t`Admin`, contributor: t`Contributor`, viewer: t`Viewer` }[role] ?? role;
}
