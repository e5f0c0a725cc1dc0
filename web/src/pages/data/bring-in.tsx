import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Boxes, MessageSquareText, Table2 } from "lucide-react";
import { useEffect, useState } from "react";
import { callTool, type Progress, uploadFile } from "../../api/client.ts";
import { queries, useWorkspace } from "../../api/hooks.ts";
import type { Column, ImportResult } from "../../api/tools.ts";
import { Badge } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { cx } from "../../components/classes.ts";
import { Dialog } from "../../components/dialog.tsx";
import { SelectField, TextField } from "../../components/fields.tsx";
import { ErrorNote, Waiting } from "../../components/states.tsx";
import { told, toldError } from "../../components/toasts.tsx";
import { bytes, cell, isNumeric, number, typeName } from "../../words/figures.ts";
import { t } from "../../words/words.ts";
import { questionOf } from "../ask/suggestions.ts";
import { AddDocuments, isDocument } from "../library/add-documents.tsx";

/** Files that were dropped or chosen: tables become datasets one after the other, documents go to the library. */
export function BringIn({ files, onClose }: { files: readonly File[]; onClose: () => void }) {
  const [at, setAt] = useState(0);
  const documents = files.filter(isDocument);
  const tables = files.filter((file) => !isDocument(file));
  const file = tables[at];
  const next = () => (at + 1 < tables.length || documents.length > 0 ? setAt(at + 1) : onClose());
  if (file === undefined) return <AddDocuments files={documents} onClose={onClose} />;
  return (
    <BringInTable
      key={`${at} ${file.name}`}
      file={file}
      more={tables.length - at - 1}
      onNext={next}
      onClose={onClose}
    />
  );
}

interface Reading {
  decimal: string;
  date_format: string;
  header: string;
  sheet: string;
  types: Record<string, string>;
}

interface Preview {
  columns: Column[];
  rows: Record<string, unknown>[];
  rows_read: number;
  rows_rejected: number;
  notes: string[];
}

/** Of a larger text its beginning is looked at, which is there at once. */
const HEAD_BYTES = 512 * 1024;
const SETTLES_MS = 350;

/** What the server reads in a file, by the same detection as the import, and again with each choice. */
function usePreview(file: File, reading: Reading) {
  const { slug } = useWorkspace();
  const isPart = /\.(csv|tsv|txt|ndjson|jsonl)$/i.test(file.name) && file.size > HEAD_BYTES;
  const [settled, settle] = useState(reading);
  useEffect(() => {
    const timer = setTimeout(() => settle(reading), SETTLES_MS);
    return () => clearTimeout(timer);
  }, [reading]);
  const id = `${file.name} ${file.size} ${file.lastModified}`;
  const sent = useQuery({
    queryKey: ["sent", slug, id],
    queryFn: async () => uploadFile(slug, isPart ? await headOf(file) : file),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  const options = optionsOf(settled);
  const preview = useQuery({
    queryKey: ["preview_file", slug, sent.data, options],
    queryFn: ({ signal }) =>
      callTool<Preview>(slug, "preview_file", { file_url: sent.data, options }, { signal }),
    enabled: sent.data !== undefined,
    placeholderData: keepPreviousData,
    retry: false,
  });
  return {
    preview: preview.data,
    error: sent.error ?? preview.error,
    isPart,
    /** Of the whole file. */
    handle: isPart ? undefined : sent.data,
  };
}

/** Without the line that it ends in the middle of. */
async function headOf(file: File): Promise<File> {
  const bytes = new Uint8Array(await file.slice(0, HEAD_BYTES).arrayBuffer());
  const end = bytes.lastIndexOf(10);
  return new File([bytes.slice(0, end === -1 ? undefined : end + 1)], file.name);
}

type State =
  | { is: "asking" }
  | { is: "working"; progress: Progress }
  | { is: "failed"; error: unknown }
  | { is: "done"; result: ImportResult };

function BringInTable({
  file,
  more,
  onNext,
  onClose,
}: {
  file: File;
  more: number;
  onNext: () => void;
  onClose: () => void;
}) {
  const { slug } = useWorkspace();
  const [name, setName] = useState(nameOf(file.name));
  const [reading, setReading] = useState<Reading>(AS_DETECTED);
  const [state, setState] = useState<State>({ is: "asking" });
  const { preview, error, isPart, handle: known } = usePreview(file, reading);
  const start = async () => {
    setState({ is: "working", progress: { progress: 0, total: 1, message: "upload" } });
    try {
      const handle = known ?? (await uploadFile(slug, file));
      const options = optionsOf(reading);
      const result = await callTool<ImportResult>(
        slug,
        "import_file",
        { dataset_name: name.trim(), file_url: handle, ...(Object.keys(options).length > 0 && { options }) },
        { onProgress: (progress) => setState({ is: "working", progress }) },
      );
      await queries.invalidateQueries({ queryKey: ["tool", slug] });
      setState({ is: "done", result });
    } catch (error) {
      setState({ is: "failed", error });
    }
  };
  if (state.is === "done")
    return (
      <Arrived
        result={state.result}
        more={more}
        onNext={onNext}
        onAgain={() => setState({ is: "asking" })}
        onClose={onClose}
      />
    );
  const isBusy = state.is === "working";
  return (
    <Dialog
      open
      side
      onClose={onClose}
      title={file.name}
      about={t`${bytes(file.size)}. Nothing is kept until you say so.`}
      footer={
        <>
          <Button onClick={onClose}>{isBusy ? t`Hide` : t`Cancel`}</Button>
          <Button look="primary" disabled={isBusy || name.trim() === ""} onClick={() => void start()}>
            {t`Bring it in`}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-5">
        {state.is === "failed" && <ErrorNote error={state.error} />}
        {state.is === "working" && <Working progress={state.progress} />}
        <TextField
          label={t`Name of the dataset`}
          hint={t`A dataset of this name that there is gets these rows; its former rows can be brought back for 30 days.`}
          value={name}
          onChange={({ target }) => setName(target.value)}
        />
        {error !== null && state.is === "asking" && <ErrorNote error={error} />}
        {preview === undefined && error === null && <Waiting rows={5} />}
        {preview !== undefined && <PreviewTable {...{ preview, isPart, reading }} onChange={setReading} />}
        {(preview !== undefined || error !== null) && (
          <div className="grid gap-4 sm:grid-cols-3">
            <SelectField
              label={t`Decimal sign`}
              value={reading.decimal}
              onChange={({ target }) => setReading({ ...reading, decimal: target.value })}
            >
              <option value="">{t`Detect`}</option>
              <option value=".">1,234.5</option>
              <option value=",">1.234,5</option>
            </SelectField>
            <SelectField
              label={t`Order of dates`}
              value={reading.date_format}
              onChange={({ target }) => setReading({ ...reading, date_format: target.value })}
            >
              <option value="">{t`Detect`}</option>
              <option value="DD/MM/YYYY">{t`Day/month/year`}</option>
              <option value="MM/DD/YYYY">{t`Month/day/year`}</option>
              <option value="DD.MM.YYYY">{t`Day.month.year`}</option>
              <option value="YYYY-MM-DD">{t`Year-month-day`}</option>
            </SelectField>
            <SelectField
              label={t`First line`}
              value={reading.header}
              onChange={({ target }) => setReading({ ...reading, header: target.value })}
            >
              <option value="">{t`Detect`}</option>
              <option value="true">{t`Has the names`}</option>
              <option value="false">{t`Is a row`}</option>
            </SelectField>
            {/\.(xlsx?|xlsm|xlsb|ods)$/i.test(file.name) && (
              <TextField
                label={t`Sheet`}
                placeholder={t`The first`}
                value={reading.sheet}
                onChange={({ target }) => setReading({ ...reading, sheet: target.value })}
              />
            )}
          </div>
        )}
      </div>
    </Dialog>
  );
}

const AS_DETECTED: Reading = { decimal: "", date_format: "", header: "", sheet: "", types: {} };

function optionsOf({ decimal, date_format, header, sheet, types }: Reading): object {
  const chosen = Object.fromEntries(Object.entries(types).filter(([, type]) => type !== ""));
  return {
    ...(decimal !== "" && { decimal }),
    ...(date_format !== "" && { date_format }),
    ...(header !== "" && { header: header === "true" }),
    ...(sheet.trim() !== "" && { sheet: sheet.trim() }),
    ...(Object.keys(chosen).length > 0 && { types: chosen }),
  };
}

function nameOf(file: string): string {
  return file
    .replace(/\.[^.]+(\.gz)?$/, "")
    .replace(/[^\p{L}\p{N}_ -]+/gu, " ")
    .trim()
    .slice(0, 100);
}

function Working({ progress: { progress, total = 1, message = "" } }: { progress: Progress }) {
  const percent = Math.round((progress / (total || 1)) * 100);
  return (
    <div role="status" className="flex flex-col gap-1.5">
      <p className="text-table">
        {message === "upload" ? t`Sending the file …` : t`Reading the rows …`} {percent > 0 && `${percent} %`}
      </p>
      <div className="h-1 overflow-hidden rounded-full bg-hover">
        <div
          className="h-full bg-accent transition-[width] duration-160"
          style={{ width: `${Math.max(4, percent)}%` }}
        />
      </div>
    </div>
  );
}

const TYPES = ["VARCHAR", "BIGINT", "DOUBLE", "DATE", "TIMESTAMP", "BOOLEAN"];

function PreviewTable({
  preview: { columns, rows, rows_read: count, rows_rejected: rejected, notes },
  isPart,
  reading,
  onChange,
}: {
  preview: Preview;
  isPart: boolean;
  reading: Reading;
  onChange: (next: Reading) => void;
}) {
  return (
    <div className="flex flex-col gap-1.5">
      <p className="text-soft text-table">
        {isPart
          ? t`The beginning as it would be read. A type can be set where detection is wrong.`
          : t`${number(count)} rows as they would be read. A type can be set where detection is wrong.`}
      </p>
      <div
        className="max-h-80 overflow-auto rounded-card border border-line"
        tabIndex={0}
        role="region"
        aria-label={t`Preview`}
      >
        <table className="figures text-table">
          <thead className="sticky top-0 bg-sunken text-left">
            <tr>
              {columns.map(({ name, type }) => (
                <th key={name} scope="col" className="border-line border-b px-2 py-1.5 align-top font-medium">
                  <span className="block max-w-48 truncate">{name}</span>
                  <select
                    aria-label={t`Type of ${name}`}
                    value={reading.types[name] ?? ""}
                    onChange={({ target }) =>
                      onChange({ ...reading, types: { ...reading.types, [name]: target.value } })
                    }
                    className="mt-1 rounded border border-line bg-card px-1 py-0.5 font-normal text-caption text-soft"
                  >
                    <option value="">{typeName(type)}</option>
                    {TYPES.map((each) => (
                      <option key={each} value={each}>
                        {typeName(each)}
                      </option>
                    ))}
                  </select>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row, at) => (
              <tr key={at} className="border-line border-b last:border-0">
                {columns.map(({ name, type }) => (
                  <td
                    key={name}
                    className={cx(
                      "h-8 max-w-56 truncate px-2 whitespace-nowrap",
                      isNumeric(type) && "text-right",
                    )}
                  >
                    {row[name] === null ? (
                      <span className="text-faint">–</span>
                    ) : (
                      cell(row[name], /(^|_)id$/i.test(name) ? "ID" : type)
                    )}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {rejected > 0 && (
        <p className="text-caption text-warn">{t`${number(rejected)} rows could not be read.`}</p>
      )}
      {notes.map((note) => (
        <p key={note} className="text-caption text-soft">
          {forPeople(note)}
        </p>
      ))}
    </div>
  );
}

/** What became of the file, and what to do with it. */
function Arrived({
  result,
  more,
  onNext,
  onAgain,
  onClose,
}: {
  result: ImportResult;
  more: number;
  onNext: () => void;
  onAgain: () => void;
  onClose: () => void;
}) {
  const { slug } = useWorkspace();
  const navigate = useNavigate();
  const questions = questionOf(result.dataset_name, result.columns);
  const go = (page: string, search: Record<string, string>, id?: string) => {
    onClose();
    void navigate(
      id === undefined
        ? { to: "/w/$slug/$page", params: { slug, page }, search: search as never }
        : { to: "/w/$slug/$page/$id", params: { slug, page, id }, search: search as never },
    );
  };
  const infer = async () => {
    try {
      const { name } = await callTool<{ name: string }>(slug, "infer_semantic_model", {
        name:
          result.dataset_name
            .toLowerCase()
            .replace(/[^a-z0-9]+/g, "_")
            .replace(/^_+|_+$/g, "") || "model",
        datasets: [result.dataset_name],
      });
      told(t`A model is proposed: see what was understood, then publish it.`);
      go("models", {}, name);
    } catch (error) {
      toldError(error);
    }
  };
  return (
    <Dialog
      open
      side
      onClose={onClose}
      title={result.dataset_name}
      about={t`${number(result.rows_read)} rows are in.`}
      footer={
        <>
          {more > 0 && <Button onClick={onNext}>{t`Next file`}</Button>}
          <Button
            look="primary"
            icon={<Table2 className="size-4" />}
            onClick={() => go("data", {}, `${result.dataset_id}`)}
          >
            {t`Look at the rows`}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-6">
        {questions.length > 0 && (
          <section className="flex flex-col gap-2">
            <h3 className="font-semibold">{t`Ask about it`}</h3>
            {questions.map((question) => (
              <button
                key={question}
                type="button"
                onClick={() => go("ask", { q: question })}
                className="flex items-center gap-2.5 rounded-card border border-line bg-card px-3 py-2 text-left hover:bg-hover"
              >
                <MessageSquareText aria-hidden="true" className="size-4 shrink-0 text-accent" /> {question}
              </button>
            ))}
          </section>
        )}
        <section className="flex flex-col gap-2">
          <h3 className="font-semibold">{t`What was read`}</h3>
          <div className="flex flex-wrap gap-1.5">
            {result.columns.map(({ name, type }) => (
              <Badge key={name}>
                <span className="text-ink">{name}</span> {typeName(type)}
              </Badge>
            ))}
          </div>
        </section>
        {(result.notes.length > 0 || result.rows_rejected > 0) && (
          <section className="flex flex-col gap-2">
            <h3 className="font-semibold">{t`Worth knowing`}</h3>
            <ul className="flex list-disc flex-col gap-1 pl-5 text-soft">
              {result.rows_rejected > 0 && (
                <li>{t`${number(result.rows_rejected)} rows could not be read.`}</li>
              )}
              {result.rejected.slice(0, 5).map(({ line, reason }) => (
                <li key={line}>{t`Line ${line}: ${reason}`}</li>
              ))}
              {result.notes.map((note) => (
                <li key={note}>{forPeople(note)}</li>
              ))}
            </ul>
          </section>
        )}
        <p className="text-soft text-table">
          {t`Something was read wrongly?`}{" "}
          <button type="button" onClick={onAgain} className="font-medium text-accent hover:underline">
            {t`Set how it is read, and bring it in again`}
          </button>
        </p>
        <section className="flex flex-col items-start gap-2">
          <h3 className="font-semibold">{t`See the model`}</h3>
          <p className="text-soft">{t`A model says what columns mean. One is proposed from the rows; you check it before anybody's questions use it.`}</p>
          <Button icon={<Boxes className="size-4" />} onClick={() => void infer()}>
            {t`Propose a model`}
          </Button>
        </section>
      </div>
    </Dialog>
  );
}

/** Whoever calls the tool sets an option; here a form does. */
function forPeople(note: string): string {
  return note.replace(
    /\s*(?:If that is wrong|To change that)[^.]*import again with options\.\w+ (?:"[^"]*"|\S+)\.?/i,
    "",
  );
}
