import { Play } from "lucide-react";
import { useMemo, useState } from "react";
import { ApiError, callTool } from "../../api/client.ts";
import { useWorkspace } from "../../api/hooks.ts";
import { Button } from "../../components/button.tsx";
import { Editor } from "../../components/editor.tsx";
import { ErrorNote } from "../../components/states.tsx";
import { cell, number } from "../../words/figures.ts";
import { t } from "../../words/words.ts";

interface Queried {
  columns: string[];
  rows: Record<string, unknown>[];
  rowCount: number;
  truncated?: true;
  note?: string;
}

const ROWS = 200;

/** SQL on the datasets of a model, with the rights of whoever writes it. */
export function Query({
  model,
  first,
  tables,
}: {
  model: string;
  first: string;
  tables: Readonly<Record<string, readonly string[]>>;
}) {
  const { slug } = useWorkspace();
  const [sql, setSql] = useState(() => `SELECT * FROM ${first} LIMIT 20`);
  const [result, setResult] = useState<Queried>();
  const [error, setError] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);
  const run = async () => {
    setBusy(true);
    setError(null);
    try {
      setResult(
        await callTool<Queried>(slug, "execute_query", { modelName: model, sql, limit: ROWS, store: false }),
      );
    } catch (problem) {
      setError(problem);
    }
    setBusy(false);
  };
  const problem = useMemo(() => placeOf(error, sql), [error, sql]);
  return (
    <div className="flex flex-col gap-3">
      <Editor
        label={t`SQL`}
        value={sql}
        onChange={(next) => {
          setSql(next);
          setError(null);
        }}
        language="sql"
        isLow
        tables={tables}
        problem={problem}
        onRun={() => void run()}
      />
      <div className="flex items-center gap-3">
        <Button
          look="primary"
          disabled={isBusy || sql.trim() === ""}
          icon={<Play className="size-3.5" />}
          onClick={() => void run()}
        >
          {isBusy ? t`Running …` : t`Run`}
        </Button>
        <span className="text-caption text-faint max-sm:hidden">
          {t`Ctrl Enter runs it; names are offered as you write.`}
        </span>
        {result !== undefined && error === null && (
          <span className="text-soft text-table">
            {result.truncated
              ? t`The first ${number(result.rows.length)} rows`
              : t`${number(result.rows.length)} rows`}
          </span>
        )}
      </div>
      {error !== null && <ErrorNote error={error} />}
      {result !== undefined && error === null && (
        <div
          className="max-h-[480px] overflow-auto rounded-card border border-line bg-card"
          tabIndex={0}
          role="region"
          aria-label={t`Rows`}
        >
          <table className="figures text-table">
            <thead className="sticky top-0 bg-sunken text-left">
              <tr>
                {result.columns.map((name) => (
                  <th key={name} scope="col" className="border-line border-b px-3 py-1.5 font-medium">
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {result.rows.map((row, at) => (
                <tr key={at} className="border-line border-b last:border-0">
                  {result.columns.map((name) => (
                    <td key={name} className="h-8 px-3 whitespace-nowrap">
                      {cell(row[name], /(^|_)id$/i.test(name) ? "ID" : "")}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </div>
  );
}

/** Where the server found the problem: it shows the line with a mark below it, or names what is not there. */
function placeOf(error: unknown, sql: string) {
  if (!(error instanceof ApiError)) return undefined;
  const [, line = "", shown = "", mark = ""] = /LINE (\d+): (.*)\n( *)\^/.exec(error.message) ?? [];
  const message = error.message.split("\n")[0] ?? "";
  if (line !== "") {
    const inLine = mark.length - `LINE ${line}: `.length;
    const start = shown.startsWith("…")
      ? (sql.split("\n")[Number(line) - 1] ?? "").indexOf(shown.slice(1, -1)) - 1
      : 0;
    return { line: Number(line), column: Math.max(1, start + inLine + 1), message };
  }
  const name = /no dataset "([^"]+)"/.exec(error.message)?.[1];
  const at = name === undefined ? -1 : sql.indexOf(name);
  if (at === -1) return undefined;
  const before = sql.slice(0, at).split("\n");
  return { line: before.length, column: (before.at(-1) ?? "").length + 1, message };
}
