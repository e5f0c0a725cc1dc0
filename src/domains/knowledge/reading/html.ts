import { Parser } from "htmlparser2";
import { MarkdownWriter } from "./markdown-writer.ts";

const SKIPPED = new Set([
  "title",
  "script",
  "style",
  "noscript",
  "template",
  "svg",
  "math",
  "head",
  "iframe",
  "object",
  "select",
  "nav",
]);
const BLOCKS = new Set(
  "address article aside blockquote body dd details div dl dt fieldset figcaption figure footer form header hr html main ol p section summary ul".split(
    " ",
  ),
);

/** The text of a page with its headings, lists and tables. Nothing in it is run, fetched or looked up. */
export function htmlToMarkdown(html: string): string {
  const writer = new MarkdownWriter();
  let skipped = 0;
  let verbatim: string | undefined;
  let title = "";
  let inTitle = false;
  const parser = new Parser(
    {
      onopentag(name) {
        if (name === "title") inTitle = true;
        if (SKIPPED.has(name)) skipped += 1;
        if (skipped > 0 || verbatim !== undefined) return;
        if (BLOCKS.has(name) || /^h[1-6]$/.test(name)) writer.endParagraph();
        else if (name === "br") writer.text("\n");
        else if (name === "li") {
          writer.endParagraph();
          writer.listItem();
        } else if (name === "pre") verbatim = "";
        else if (name === "table") writer.beginTable();
        else if (name === "tr") writer.beginRow();
        else if (name === "td" || name === "th") writer.beginCell();
      },
      ontext(text) {
        if (inTitle) title += text;
        if (skipped > 0) return;
        if (verbatim !== undefined) verbatim += text;
        else writer.text(text.replace(/\s+/g, " "));
      },
      onclosetag(name) {
        if (name === "title") inTitle = false;
        if (SKIPPED.has(name)) skipped = Math.max(0, skipped - 1);
        if (skipped > 0) return;
        const level = /^h([1-6])$/.exec(name)?.[1];
        if (name === "pre") {
          writer.verbatim(verbatim ?? "");
          verbatim = undefined;
        } else if (verbatim !== undefined) return;
        else if (level !== undefined) writer.endParagraph(Number(level));
        else if (BLOCKS.has(name) || name === "li") writer.endParagraph();
        else if (name === "td" || name === "th") writer.endCell();
        else if (name === "tr") writer.endRow();
        else if (name === "table") writer.endTable();
      },
    },
    { decodeEntities: true, lowerCaseTags: true },
  );
  parser.write(html);
  parser.end();
  const body = writer.take();
  const heading = title.replace(/\s+/g, " ").trim();
  return heading === "" || /^# /.test(body) ? body : `# ${heading}\n\n${body}`;
}
