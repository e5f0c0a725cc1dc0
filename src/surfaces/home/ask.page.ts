import { html, raw } from "hono/html";
import type { Html } from "../oauth/pages/page.ts";
import type { Words } from "../oauth/pages/words.ts";

export const ASK_PATH = "/ask";
const MOST_COLUMNS = 20;

/** What ask_data answers, as far as it is shown. */
export interface DataAnswer {
  outcome: "answer" | "clarify" | "refuse";
  answer: string;
  query: string | null;
  fields: readonly { name: string }[];
  rows: readonly Record<string, unknown>[];
  totalRows: number;
  reading: string | null;
  notes: readonly string[];
  questions: readonly { question: string; suggestions: readonly string[] }[];
}

/** What ask_documents answers, as far as it is shown. */
export interface DocumentsAnswer {
  answer: string;
  status: "answered" | "uncertain" | "not_found";
  citations: readonly { document: string; page: number | null; section: string; quote: string }[];
}

export interface AskView {
  question: string;
  workspaces: readonly { slug: string; name: string }[];
  workspace: string;
  data: DataAnswer | null;
  documents: DocumentsAnswer | null;
  memories: readonly { title: string; content: string }[];
  /** Why one of the three could not answer. */
  problems: readonly string[];
}

export function askAddress(workspace: string, question: string): string {
  return `${ASK_PATH}?${new URLSearchParams({ workspace, q: question })}`;
}

export function askForm(
  t: Words,
  view: Pick<AskView, "workspaces" | "workspace"> & { isFirst: boolean },
): Html {
  return html`<form class="ask" method="get" action="${ASK_PATH}" role="search">
<label class="unseen" for="question">${t`Question`}</label>
<input id="question" name="q" type="text" required maxlength="1000" autocomplete="off" placeholder="${view.isFirst ? t`Ask about your data, documents and memory` : t`Ask another question`}">
${
  view.workspaces.length === 1
    ? html`<input type="hidden" name="workspace" value="${view.workspace}">`
    : html`<select name="workspace" aria-label="${t`Workspace`}">${view.workspaces.map(
        ({ slug, name }) =>
          html`<option value="${slug}"${slug === view.workspace ? raw(" selected") : ""}>${name}</option>`,
      )}</select>`
}
<button type="submit" class="primary">${t`Ask`}</button>
</form>`;
}

/** A question with its answer: from data if they have one, otherwise what documents and memory say. */
export function askPage(t: Words, view: AskView): Html {
  const { data, documents, memories, problems, question } = view;
  const isAnswered = data?.outcome === "answer" || documents?.status === "answered" || memories.length > 0;
  return html`<section class="hero"><h1>${question === "" ? t`Ask` : question}</h1>${askForm(t, { ...view, isFirst: question === "" })}</section>
${data === null ? "" : dataSection(t, view, data)}
${documents === null || documents.status === "not_found" ? "" : documentsSection(t, documents)}
${memories.length === 0 ? "" : memoriesSection(t, memories)}
${problems.map((problem) => html`<p class="problem" role="alert">${t.said(problem)}</p>`)}
${question === "" || isAnswered || data !== null ? "" : html`<p class="empty">${t`Nothing in this workspace answers that.`}</p>`}`;
}

function dataSection(t: Words, { question, workspace }: AskView, data: DataAnswer): Html {
  const { outcome, answer, query, reading, questions } = data;
  const notes = data.notes.filter((note) => !answer.includes(note));
  return html`<section class="answer" aria-labelledby="data">
<h2 id="data">${outcome === "answer" ? t`Answer` : t`Data`}</h2>
${prose(answer)}
${questions.map(
  (asked) => html`<p>${asked.question}</p>
<p class="choices">${asked.suggestions.map((each) => html`<a class="button" href="${askAddress(workspace, `${question} [${each}]`)}">${each}</a> `)}</p>`,
)}
${outcome === "answer" && data.rows.length > 0 ? tableOf(t, data) : ""}
${notes.length === 0 ? "" : html`<ul class="notes">${notes.map((note) => html`<li>${note}</li>`)}</ul>`}
${reading === null ? "" : html`<p class="hint">${t`Read as: ${reading}`}</p>`}
${query === null ? "" : html`<details><summary>SQL</summary><pre>${query}</pre></details>`}
</section>`;
}

/** The few signs of Markdown that answers are written with: bold, italic and lists. */
function prose(text: string): Html {
  const inline = (line: string) =>
    line
      .split(/\*\*(.+?)\*\*/)
      .map((part, i) =>
        i % 2 === 1
          ? html`<strong>${part}</strong>`
          : part
              .split(/(?<!\w)\*([^*]+)\*(?!\w)/)
              .map((each, j) => (j % 2 === 1 ? html`<em>${each}</em>` : each)),
      );
  const isItem = (line: string) => line.startsWith("- ");
  // Rows stand below as a table of their own.
  const lines = text.split("\n").filter((line) => line.trim() !== "" && !line.startsWith("|"));
  return html`${lines.map((line, i) => {
    if (!isItem(line)) return html`<p>${inline(line)}</p>`;
    const [before = "", after = ""] = [lines[i - 1], lines[i + 1]];
    return html`${raw(isItem(before) ? "" : "<ul>")}<li>${inline(line.slice(2))}</li>${raw(isItem(after) ? "" : "</ul>")}`;
  })}`;
}

function tableOf(t: Words, { fields, rows, totalRows }: DataAnswer): Html {
  const shown = fields.slice(0, MOST_COLUMNS);
  const hasParts = (name: string) => rows.some((row) => !Number.isInteger(row[name] ?? 0));
  const formats = new Map(
    shown.map(({ name }) => [
      name,
      { minimumFractionDigits: hasParts(name) ? 2 : 0, maximumFractionDigits: 2 },
    ]),
  );
  const cell = (value: unknown, name: string) =>
    typeof value === "number"
      ? value.toLocaleString(t.language, formats.get(name))
      : value === null
        ? "–"
        : String(value);
  const kind = (value: unknown) => (typeof value === "number" ? raw(' class="number"') : "");
  const left = fields.length - shown.length;
  return html`<div class="rows" tabindex="0" role="region" aria-label="${t`Rows`}"><table>
<thead><tr>${shown.map(({ name }) => html`<th scope="col"${kind(rows[0]?.[name])}>${name}</th>`)}</tr></thead>
<tbody>${rows.map((row) => html`<tr>${shown.map(({ name }) => html`<td${kind(row[name])}>${cell(row[name], name)}</td>`)}</tr>`)}</tbody>
</table></div>
${rows.length < totalRows ? html`<p class="hint">${t`The first ${rows.length} of ${totalRows} rows.`}</p>` : ""}
${left > 0 ? html`<p class="hint">${t`${left} more columns are not shown.`}</p>` : ""}`;
}

function documentsSection(t: Words, { answer, citations }: DocumentsAnswer): Html {
  return html`<section class="answer" aria-labelledby="documents">
<h2 id="documents">${t`From documents`}</h2>
<p>${answer}</p>
${citations.map(
  ({ document, page, section, quote }) =>
    html`<blockquote><p>${quote}</p><footer>${document}${page === null ? "" : html`, ${t`page ${page}`}`}${section === "" ? "" : ` · ${section}`}</footer></blockquote>`,
)}
</section>`;
}

function memoriesSection(t: Words, memories: AskView["memories"]): Html {
  return html`<section class="answer" aria-labelledby="memories">
<h2 id="memories">${t`From memory`}</h2>
<ul class="items">${memories.map(({ title, content }) => html`<li><div><h3>${title}</h3><p>${content}</p></div></li>`)}</ul>
</section>`;
}
