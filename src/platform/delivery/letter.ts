/** What a mail says, of which its HTML and its plain text are made alike. */
export interface Letter {
  title: string;
  /** What it is about, and of when. */
  when: string;
  paragraphs: readonly string[];
  list?: { title: string; items: readonly string[] } | undefined;
  table?: { columns: readonly string[]; rows: readonly (readonly string[])[]; more: number } | undefined;
  pictures?: readonly { cid: string; name: string }[];
  link: { label: string; url: string };
  /** Small print. */
  notes: readonly string[];
}

/** Where the HTML has the way to unsubscribe, which differs from recipient to recipient. */
const FOOT = "<!--foot-->";
const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
const CELL = "padding:6px 12px 6px 0;border-bottom:1px solid #d8dce3;text-align:left;vertical-align:top";
/** Many clients take styles of elements alone; those that know dark mode take these too. */
const STYLE = `:root{color-scheme:light dark}
@media(prefers-color-scheme:dark){.page{background:#16181d!important;color:#e8eaee!important}.soft,.soft a{color:#a3abb8!important}.cell{border-color:#3a3f49!important}}`;

export function textOf({ paragraphs, when, list, table, link, notes }: Letter): string {
  const blocks = [
    ...paragraphs,
    ...(list === undefined ? [] : [[list.title, ...list.items.map((item) => `• ${item}`)].join("\n")]),
    ...(table === undefined ? [] : [tableText(table)]),
    `${link.label}: ${link.url}`,
    [when, ...notes].join("\n"),
  ];
  return blocks.join("\n\n");
}

export function htmlOf({ title, when, paragraphs, list, table, pictures, link, notes }: Letter): string {
  const soft = 'class="soft" style="margin:0 0 16px;font-size:13px;color:#5b6472"';
  const button =
    "display:inline-block;padding:10px 18px;border-radius:6px;background:#306ce2;color:#ffffff;text-decoration:none;font-weight:600";
  return `<!doctype html><html><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark"><title>${escaped(title)}</title><style>${STYLE}</style></head>
<body class="page" style="margin:0;background:#ffffff;color:#1d2129">
<div style="max-width:680px;margin:0 auto;padding:24px;font:15px/1.5 system-ui,-apple-system,'Segoe UI',Arial,sans-serif">
<h1 style="margin:0 0 4px;font-size:21px;line-height:1.3">${escaped(title)}</h1>
<p ${soft}>${escaped(when)}</p>
${paragraphs.map((text) => `<p style="margin:0 0 16px">${lines(text)}</p>`).join("\n")}
${list === undefined ? "" : listHtml(list)}
${table === undefined ? "" : tableHtml(table)}
<p style="margin:24px 0"><a href="${escaped(link.url)}" style="${button}">${escaped(link.label)}</a></p>
${(pictures ?? []).map(({ cid, name }) => `<p style="margin:0 0 16px"><img src="cid:${escaped(cid)}" alt="${escaped(name)}" style="max-width:100%;height:auto"></p>`).join("\n")}
${notes.map((note) => `<p ${soft}>${lines(note)}</p>`).join("\n")}
${FOOT}
</div></body></html>`;
}

/** With how to get no more of them, which is each recipient's own. */
export function withUnsubscribe(text: string, html: string, url: string): { text: string; html: string } {
  const foot = `<p class="soft" style="margin:24px 0 0;font-size:12px;color:#5b6472">You get this because somebody chose your address. <a href="${escaped(url)}" style="color:#5b6472">Unsubscribe</a></p>`;
  // As a function: signs such as $& of the address are no orders.
  return { text: `${text}\n\nUnsubscribe: ${url}`, html: html.replace(FOOT, () => foot) };
}

function listHtml({ title, items }: NonNullable<Letter["list"]>): string {
  const rows = items.map((item) => `<li style="margin:0 0 6px">${escaped(item)}</li>`);
  return `<h2 style="margin:0 0 8px;font-size:16px">${escaped(title)}</h2>
<ul style="margin:0 0 16px;padding-left:20px">${rows.join("")}</ul>`;
}

function tableHtml({ columns, rows, more }: NonNullable<Letter["table"]>): string {
  const row = (tag: "th" | "td", values: readonly string[]) =>
    `<tr>${values.map((value) => `<${tag} class="cell" style="${CELL}">${escaped(value)}</${tag}>`).join("")}</tr>`;
  const body = rows.map((values) => row("td", values)).join("\n");
  const rest = more === 0 ? "" : `<p style="margin:0 0 16px">… ${more} more</p>`;
  return `<div style="overflow-x:auto"><table style="border-collapse:collapse;margin:0 0 16px;font-size:14px">
${row("th", columns)}
${body}</table></div>${rest}`;
}

function tableText({ columns, rows, more }: NonNullable<Letter["table"]>): string {
  const all = [columns, ...rows].map((values) => values.join(" | "));
  return [...all, ...(more === 0 ? [] : [`… ${more} more`])].join("\n");
}

function lines(text: string): string {
  return escaped(text).replaceAll("\n", "<br>");
}

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (sign) => ENTITIES[sign] ?? sign);
}
