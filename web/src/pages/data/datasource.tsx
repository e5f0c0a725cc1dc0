import { RefreshCw } from "lucide-react";
import { useState } from "react";
import { callTool } from "../../api/client.ts";
import { queries, refresh, useTool, useWorkspace } from "../../api/hooks.ts";
import { Badge } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { SelectField, TextArea, TextField } from "../../components/fields.tsx";
import { ErrorNote, Waiting } from "../../components/states.tsx";
import { told } from "../../components/toasts.tsx";
import { When } from "../../components/when.tsx";
import { exactTime, number } from "../../words/figures.ts";
import { t } from "../../words/words.ts";

interface Browsed {
  total: number;
  tables?: { schema?: string; name: string; kind: string }[];
}

interface Opened {
  id: number;
  name: string;
  type: string;
}

/** Tables of a database, a query on them that becomes a dataset, and the queries that there are. */
export function Datasource({ datasource, onClose }: { datasource: Opened; onClose: () => void }) {
  const { slug } = useWorkspace();
  const { data, error } = useTool<Browsed>("browse_datasource", { datasource_id: datasource.id, limit: 200 });
  const [name, setName] = useState("");
  const [text, setText] = useState("");
  const [often, setOften] = useState<Often>("never");
  const [problem, setProblem] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);
  const run = async () => {
    setBusy(true);
    setProblem(null);
    try {
      const args = { datasource_id: datasource.id, name: name.trim(), query: text };
      const { query_id } = await callTool<{ query_id: number }>(slug, "create_query", args);
      if (often !== "never") await callTool(slug, "set_refresh", { query_id, ...RULES[often] });
      await queries.invalidateQueries({ queryKey: ["tool", slug] });
      told(t`The query runs; its rows become the dataset “${name.trim()}”.`);
      onClose();
    } catch (thrown) {
      setProblem(thrown);
      setBusy(false);
    }
  };
  return (
    <Dialog
      open
      side
      onClose={onClose}
      title={datasource.name}
      about={t`Choose a table or write a query: its rows become a dataset.`}
      footer={
        <Button
          look="primary"
          disabled={isBusy || name.trim() === "" || text.trim() === ""}
          onClick={() => void run()}
        >
          {t`Make a dataset of it`}
        </Button>
      }
    >
      <div className="flex flex-col gap-4">
        {problem !== null && <ErrorNote error={problem} />}
        <div className="grid grid-cols-[1fr_10rem] gap-3">
          <TextField
            label={t`Name of the dataset`}
            value={name}
            onChange={({ target }) => setName(target.value)}
          />
          <Schedule label={t`Keep fresh`} value={often} onChange={setOften} />
        </div>
        <TextArea
          label={t`Query`}
          rows={5}
          className="font-mono text-table"
          spellCheck={false}
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
        {error !== null && <ErrorNote error={error} />}
        {data === undefined && error === null && <Waiting />}
        {data !== undefined && (
          <section>
            <h3 className="mb-2 font-semibold">{t`${number(data.total)} tables`}</h3>
            <ul className="divide-y divide-line rounded-card border border-line">
              {data.tables?.map((table) => (
                <li key={`${table.schema}.${table.name}`}>
                  <button
                    type="button"
                    className="flex w-full justify-between gap-4 px-3 py-1.5 text-left text-table hover:bg-hover"
                    onClick={() => {
                      setName((now) => (now === "" ? table.name : now));
                      setText(allOf(datasource.type, table));
                    }}
                  >
                    <span className="truncate">{table.name}</span>
                    <span className="text-faint">{table.schema}</span>
                  </button>
                </li>
              ))}
            </ul>
          </section>
        )}
        <Queries datasource={datasource} />
      </div>
    </Dialog>
  );
}

/** All rows of a table, in the language of its database. */
function allOf(type: string, { schema, name }: { schema?: string; name: string }): string {
  const isPlain = /^[\w$-]+(\.[\w$-]+)*$/.test(name);
  if (type === "mongodb")
    return isPlain ? `db.${name}.find({})` : `db.getCollection(${JSON.stringify(name)}).find({})`;
  if (type === "elasticsearch" || type === "opensearch") return JSON.stringify({ index: name });
  return `SELECT * FROM ${[schema, name].filter(Boolean).join(".")}`;
}

/** The usual ways to keep a dataset fresh. */
const RULES = {
  quarterly: { every: 15, unit: "minutes" },
  hourly: { every: 1, unit: "hours" },
  daily: { every: 1, unit: "days" },
  weekly: { every: 1, unit: "weeks" },
} as const;

type Often = keyof typeof RULES | "never";

function Schedule({
  label,
  value,
  onChange,
  bare = false,
}: {
  label: string;
  value: Often | "other";
  onChange: (often: Often) => void;
  bare?: boolean;
}) {
  return (
    <SelectField
      label={label}
      bare={bare}
      value={value}
      onChange={({ target }) => onChange(target.value as Often)}
    >
      <option value="never">{t`Only when asked`}</option>
      <option value="quarterly">{t`Every 15 minutes`}</option>
      <option value="hourly">{t`Every hour`}</option>
      <option value="daily">{t`Every day`}</option>
      <option value="weekly">{t`Every week`}</option>
      {value === "other" && <option value="other">{t`Otherwise`}</option>}
    </SelectField>
  );
}

interface Query {
  id: number;
  name: string;
  last_run: { status: string; error: string | null; finished_at: string | null } | null;
  refresh: { every: number; unit: string; next_run: string | null; problem: string | null } | null;
}

function oftenOf({ refresh: rule }: Query): Often | "other" {
  if (rule === null) return "never";
  const found = Object.entries(RULES).find(
    ([, { every, unit }]) => every === rule.every && unit === rule.unit,
  );
  return (found?.[0] as Often | undefined) ?? "other";
}

const WHILE_RUNNING_MS = 2_000;

/** The queries on a datasource: how the last run went, when the next one is, and running it now. */
function Queries({ datasource }: { datasource: Opened }) {
  const { slug, role } = useWorkspace();
  const [isRunning, setRunning] = useState(false);
  const [problem, setProblem] = useState<unknown>(null);
  const { data, error } = useTool<{ total: number; queries: Query[] }>(
    "list_queries",
    { datasource_id: datasource.id, limit: 100 },
    isRunning ? { refetchMs: WHILE_RUNNING_MS } : {},
  );
  const act = async (tool: string, args: object) => {
    setProblem(null);
    setRunning(true);
    try {
      await callTool(slug, tool, args);
      await refresh(queries, slug, ["list_queries", "list_datasets"]);
    } catch (thrown) {
      setProblem(thrown);
    }
    setRunning(false);
  };
  if (error) return <ErrorNote error={error} />;
  if (data === undefined || data.total === 0) return null;
  return (
    <section>
      <h3 className="mb-2 font-semibold">{t`Its queries`}</h3>
      {problem !== null && <ErrorNote error={problem} />}
      <ul className="divide-y divide-line rounded-card border border-line">
        {data.queries.map((query) => (
          <li key={query.id} className="flex items-center gap-3 px-3 py-2">
            <div className="min-w-0 flex-1">
              <p className="truncate font-medium">{query.name}</p>
              <State query={query} />
            </div>
            {role !== "viewer" && (
              <>
                <div className="w-36">
                  <Schedule
                    bare
                    label={t`Keep ${query.name} fresh`}
                    value={oftenOf(query)}
                    onChange={(often) =>
                      void act("set_refresh", {
                        query_id: query.id,
                        ...(often === "never" ? { every: 0 } : RULES[often]),
                      })
                    }
                  />
                </div>
                <Button
                  aria-label={t`Run ${query.name} now`}
                  disabled={isRunning}
                  onClick={() => void act("run", { query_id: query.id })}
                >
                  <RefreshCw aria-hidden="true" className="size-4" />
                </Button>
              </>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

function State({ query: { last_run: run, refresh: rule } }: { query: Query }) {
  const trouble = rule?.problem ?? (run?.status === "failed" ? run.error : null);
  return (
    <p className="text-caption text-soft">
      {run?.status === "failed" || rule?.problem ? (
        <Badge tone="bad">{t`failed`}</Badge>
      ) : (
        run !== null && run.finished_at !== null && <When at={run.finished_at} />
      )}
      {trouble !== null && <span className="block">{trouble}</span>}
      {rule !== null && rule.next_run !== null && <span>{t` · next ${exactTime(rule.next_run)}`}</span>}
    </p>
  );
}
