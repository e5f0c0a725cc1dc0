import { Link } from "@tanstack/react-router";
import { Check, Info, LayoutDashboard, Pencil, ThumbsDown, ThumbsUp, X } from "lucide-react";
import { lazy, type ReactNode, Suspense, useState } from "react";
import { callTool } from "../../api/client.ts";
import { useWorkspace } from "../../api/hooks.ts";
import { Button, IconButton } from "../../components/button.tsx";
import { Drawing } from "../../components/drawing.tsx";
import { Markdown } from "../../components/markdown.tsx";
import { type Tab, Tabs } from "../../components/tabs.tsx";
import { told, toldError } from "../../components/toasts.tsx";
import { cell, day, exactTime, isNumeric, number } from "../../words/figures.ts";
import { t } from "../../words/words.ts";
import type { Answer } from "./answer.ts";
import { chipsOf } from "./chips.ts";

const PinDialog = lazy(() => import("./pin-dialog.tsx").then(({ PinDialog }) => ({ default: PinDialog })));

interface AnswerViewProps {
  question: string;
  answer: Answer;
  onAsk: (question: string, isFollowUp?: boolean) => void;
  onEdit: (question: string) => void;
}

export function AnswerView({ question, answer, onAsk, onEdit }: AnswerViewProps) {
  return (
    <div className="flex min-w-0 flex-col gap-3.5">
      <Understood question={question} answer={answer} onAsk={onAsk} onEdit={onEdit} />
      {answer.outcome === "clarify" ? (
        <Clarify question={question} answer={answer} onAsk={onAsk} />
      ) : (
        <>
          <Told answer={answer} />
          <Details question={question} answer={answer} />
          {answer.caveats.length > 0 && (
            <ul className="flex flex-col gap-1 text-soft text-table">
              {answer.caveats.map((caveat) => (
                <li key={caveat} className="flex gap-2">
                  <Info aria-hidden="true" className="mt-0.5 size-3.5 shrink-0 text-warn" />
                  <span className="min-w-0">{caveat}</span>
                </li>
              ))}
            </ul>
          )}
          <Verdict question={question} answer={answer} />
        </>
      )}
    </div>
  );
}

/** How the question was read, with what was kept or assumed; each can be taken out. */
function Understood({ question, answer, onAsk, onEdit }: AnswerViewProps) {
  const { chips, notes } = chipsOf(question, answer);
  if (answer.reading === null && notes.length === 0) return null;
  return (
    <div className="flex flex-col gap-1.5 rounded-card border border-line bg-sunken px-3 py-2 text-table">
      <div className="flex items-start justify-between gap-2">
        <p className="min-w-0 [overflow-wrap:anywhere]">
          <span className="text-faint">{t`Read as:`}</span> {answer.reading ?? question}
        </p>
        <button
          type="button"
          onClick={() => onEdit(question)}
          className="inline-flex shrink-0 items-center gap-1 rounded px-1 text-soft hover:bg-hover hover:text-ink"
        >
          <Pencil aria-hidden="true" className="size-3" /> {t`Change`}
        </button>
      </div>
      {(chips.length > 0 || notes.length > 0) && (
        <ul className="flex flex-wrap gap-1.5" aria-label={t`Kept or assumed`}>
          {chips.map(({ label, without }) => (
            <li
              key={label}
              className="inline-flex min-h-6 items-center gap-1 rounded-full border border-line bg-card pr-1 pl-2.5 text-caption"
            >
              {label}
              <button
                type="button"
                aria-label={without === null ? t`Change ${label}` : t`Ask again without ${label}`}
                title={without === null ? t`Change the question` : t`Ask again without it`}
                onClick={() => (without === null ? onEdit(question) : onAsk(without, false))}
                className="grid size-5 place-items-center rounded-full text-soft hover:bg-hover hover:text-ink"
              >
                {without === null ? <Pencil className="size-2.5" /> : <X className="size-3" />}
              </button>
            </li>
          ))}
          {notes.map((note) => (
            <li
              key={note}
              className="inline-flex min-h-6 items-center gap-1 rounded-2xl border border-line bg-card px-2.5 text-caption text-soft"
            >
              <Info aria-hidden="true" className="size-3 shrink-0" /> {note}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

const ASSUMED = /^(\*\*)?(Assumed|Angenommen):/;

/** The table of an answer has its own tab, and a list of figures is the chart beside it. */
function Told({ answer }: { answer: Answer }) {
  const { slug } = useWorkspace();
  // What was assumed stands in the chips, and hints that name tools are for agents.
  const all = answer.narrative.split(/\n{2,}/);
  const assumed = all.findIndex((block) => ASSUMED.test(block));
  const isOfAssumed = (at: number) =>
    at === assumed || (at === assumed + 1 && assumed !== -1 && (all[at] ?? "").startsWith("- "));
  const blocks = all.filter((block, at) => !isOfAssumed(at) && !block.includes("query_metrics"));
  const isPlainList = (block: string) => block.split("\n").every((line) => /^(\||- )/.test(line));
  const hasTable = answer.columns.length > 0 && answer.rows.length > 0;
  const prose = hasTable ? blocks.filter((block) => !isPlainList(block)) : blocks;
  const head = prose[0] ?? "";
  if (answer.source === "memory")
    return (
      <div className="flex flex-col gap-2">
        <p>{t`Data and documents know nothing of it; these memories may:`}</p>
        {answer.memories.map((memory) => (
          <Link
            key={memory.memory_id}
            to="/w/$slug/$page/$id"
            params={{ slug, page: "memory", id: memory.memory_id }}
            className="rounded-card border border-line bg-card px-4 py-3 hover:bg-hover"
          >
            <p className="font-medium">{memory.title}</p>
            <p className="line-clamp-3 text-soft">{memory.content}</p>
          </Link>
        ))}
      </div>
    );
  return (
    <div className="max-w-[72ch]">
      <Markdown text={head} className="text-lead" />
      {prose.length > 1 && <Markdown text={prose.slice(1).join("\n\n")} className="mt-2.5" />}
      {answer.citations.length > 0 && <Citations citations={answer.citations} />}
    </div>
  );
}

function Citations({ citations }: Pick<Answer, "citations">) {
  const { slug } = useWorkspace();
  return (
    <ol className="mt-3 flex flex-col gap-2" aria-label={t`Sources`}>
      {citations.map(({ document_id: id, document, page, section, quote }, at) => (
        <li key={`${id} ${quote}`}>
          <Link
            to="/w/$slug/$page/$id"
            params={{ slug, page: "library", id: `doc-${id}` }}
            search={{ quote } as never}
            className="block rounded-card border border-line bg-card px-4 py-2.5 hover:bg-hover"
          >
            <p className="flex flex-wrap gap-x-2 font-medium text-table">
              <span className="text-accent">{at + 1}</span> {document}
              <span className="font-normal text-soft">
                {[section, page === null ? "" : t`page ${page}`].filter(Boolean).join(" · ")}
              </span>
            </p>
            <p className="line-clamp-2 text-soft text-table">“{quote}”</p>
          </Link>
        </li>
      ))}
    </ol>
  );
}

function Details({ question, answer }: Pick<AnswerViewProps, "question" | "answer">) {
  const [tab, setTab] = useState("");
  const { chart, columns, rows, sql, lineage } = answer;
  const tabs: Tab[] = [];
  if (chart !== null)
    tabs.push({
      id: "chart",
      label: t`Chart`,
      content: <Drawing chart={chart} label={answer.reading ?? question} />,
    });
  if (columns.length > 0 && rows.length > 0)
    tabs.push({ id: "table", label: t`Table`, content: <AnswerTable answer={answer} /> });
  if (sql !== null) tabs.push({ id: "sql", label: "SQL", content: <Sql sql={sql} /> });
  if (lineage !== null)
    tabs.push({ id: "lineage", label: t`Where from`, content: <LineageView lineage={lineage} /> });
  if (tabs.length === 0) return null;
  return (
    <div className="rounded-card border border-line bg-card px-3 pt-1 pb-3">
      <Tabs tabs={tabs} value={tab} onChange={setTab} label={t`The answer in detail`} />
    </div>
  );
}

function AnswerTable({ answer: { columns, rows, rowCount } }: { answer: Answer }) {
  return (
    <>
      <div className="max-h-96 overflow-auto" tabIndex={0} role="region" aria-label={t`Rows of the answer`}>
        <table className="figures w-full text-table">
          <thead className="sticky top-0 bg-card">
            <tr>
              {columns.map(({ name, type }) => (
                <th
                  key={name}
                  scope="col"
                  className={`border-line border-b px-2 py-1.5 font-medium text-soft ${isNumeric(type) ? "text-right" : "text-left"}`}
                >
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row, at) => (
              <tr key={at} className="border-line border-b last:border-0">
                {columns.map(({ name, type }, column) => (
                  <td
                    key={name}
                    className={`h-8 px-2 whitespace-nowrap ${isNumeric(type) ? "text-right" : ""}`}
                  >
                    {cell(row[column], type)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {rowCount > rows.length && (
        <p className="pt-2 text-caption text-soft">{t`${number(rows.length)} of ${number(rowCount)} rows`}</p>
      )}
    </>
  );
}

function Sql({ sql }: { sql: string }) {
  const [isCopied, setCopied] = useState(false);
  return (
    <div className="relative">
      <pre className="max-h-96 overflow-auto rounded-field bg-sunken p-3 pr-20 font-mono text-table whitespace-pre-wrap [overflow-wrap:anywhere]">
        {broken(sql)}
      </pre>
      <div className="absolute top-2 right-2">
        <Button small onClick={() => void navigator.clipboard.writeText(sql).then(() => setCopied(true))}>
          {isCopied ? <Check className="size-3.5" /> : null} {isCopied ? t`Copied` : t`Copy`}
        </Button>
      </div>
    </div>
  );
}

/** A line for each clause. */
function broken(sql: string): string {
  return sql
    .replace(/ (?=(?:FROM|LEFT JOIN|JOIN|WHERE|GROUP BY|ORDER BY|LIMIT|HAVING|UNION)\b)/g, "\n")
    .replace(/\) (?=SELECT\b)/g, ")\n");
}

function LineageView({ lineage }: { lineage: NonNullable<Answer["lineage"]> }) {
  const facts: [string, ReactNode][] = [
    [t`Datasets`, lineage.datasets.map(({ name }) => name).join(", ")],
    [
      t`Measures`,
      lineage.metrics.map(({ name, definition }) => (
        <span key={name} className="block">
          {name} = <code className="font-mono text-caption">{definition}</code>
        </span>
      )),
    ],
    [
      t`Joined`,
      lineage.joins.map(({ left, right, on }) => `${left} → ${right} (${on.join(", ")})`).join("; "),
    ],
    [t`Period`, lineage.timeWindow && `${day(lineage.timeWindow.start)} – ${day(lineage.timeWindow.end)}`],
    [
      t`Only`,
      lineage.filters
        .map(({ field, operator, value }) => `${field} ${operator} ${JSON.stringify(value)}`)
        .join("; "),
    ],
    [t`One row for each`, lineage.grain],
    [
      t`As of`,
      lineage.freshness.map(({ dataset, refreshedAt }) => `${dataset}: ${exactTime(refreshedAt)}`).join("; "),
    ],
  ];
  return (
    <dl className="grid grid-cols-[auto_1fr] gap-x-6 gap-y-1.5 text-table">
      {facts
        .filter(
          ([, value]) => value !== undefined && value !== "" && !(Array.isArray(value) && value.length === 0),
        )
        .map(([name, value]) => (
          <div key={name} className="contents">
            <dt className="text-soft">{name}</dt>
            <dd className="min-w-0 [overflow-wrap:anywhere]">{value}</dd>
          </div>
        ))}
    </dl>
  );
}

function Clarify({ question, answer, onAsk }: Pick<AnswerViewProps, "question" | "answer" | "onAsk">) {
  const several = answer.questions.length > 1;
  return (
    <div className="flex flex-col gap-4">
      {answer.questions.map(({ question: asked, suggestions }) => (
        <fieldset key={asked} className="flex flex-col gap-2">
          <legend className="mb-2 font-medium text-lead">{asked}</legend>
          <div className="flex flex-wrap gap-2">
            {suggestions.map((suggestion) => (
              <Button
                key={suggestion}
                className="h-auto min-h-8 py-1 text-left whitespace-normal"
                onClick={() => onAsk(answered(question, asked, suggestion))}
              >
                {suggestion}
              </Button>
            ))}
          </div>
        </fieldset>
      ))}
      <p className="text-soft text-table">
        {several
          ? t`Each button asks again with that answer.`
          : t`Choose one, or say it in your own words below.`}{" "}
        <button
          type="button"
          className="font-medium text-accent hover:underline"
          onClick={() => onAsk("proceed anyway")}
        >
          {t`Answer as best you can`}
        </button>
      </p>
    </div>
  );
}

function answered(question: string, asked: string, suggestion: string): string {
  return `${question} [${asked.replace(/[?:]+$/, "")}: ${suggestion}]`;
}

/** What people think of an answer is used when the same is asked again. */
function Verdict({ question, answer }: Pick<AnswerViewProps, "question" | "answer">) {
  const { slug, role } = useWorkspace();
  const [mark, setMark] = useState(answer.mark);
  const [isPinning, pin] = useState(false);
  const { id } = answer;
  if (answer.outcome !== "answer" || answer.source === "documents" || answer.source === "memory") return null;
  const say = (next: "right" | "wrong" | "none") => {
    const before = mark;
    setMark(next === "none" ? null : next);
    callTool<{ verified: boolean; note?: string }>(slug, "mark_answer", { answer_id: id, mark: next }).then(
      ({ verified, note }) => {
        if (next === "right")
          told(verified ? t`Kept: this question is answered like this from now on.` : (note ?? t`Noted.`));
        if (next === "wrong") told(t`Noted as wrong. Say what you meant in a follow-up.`);
      },
      (error: unknown) => {
        setMark(before);
        toldError(error);
      },
    );
  };
  return (
    <div className="flex flex-wrap items-center gap-1">
      {answer.source === "model" && id !== null && (
        <>
          <IconButton
            label={t`Right`}
            aria-pressed={mark === "right"}
            onClick={() => say(mark === "right" ? "none" : "right")}
          >
            <ThumbsUp className="size-4" />
          </IconButton>
          <IconButton
            label={t`Wrong`}
            aria-pressed={mark === "wrong"}
            onClick={() => say(mark === "wrong" ? "none" : "wrong")}
          >
            <ThumbsDown className="size-4" />
          </IconButton>
        </>
      )}
      {role !== "viewer" && answer.columns.length > 0 && answer.rows.length > 0 && (
        <Button look="quiet" small icon={<LayoutDashboard className="size-3.5" />} onClick={() => pin(true)}>
          {t`Add to a dashboard`}
        </Button>
      )}
      <Suspense>
        {isPinning && <PinDialog question={question} answer={answer} onClose={() => pin(false)} />}
      </Suspense>
    </div>
  );
}
