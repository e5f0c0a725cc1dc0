import { Fragment, type ReactNode } from "react";
import { cx } from "./classes.ts";

/** The little Markdown that answers are written in: paragraphs, lists, tables, bold, italic and code. */
export function Markdown({ text, className }: { text: string; className?: string }) {
  const blocks = text.trim().split(/\n{2,}/);
  return (
    <div className={cx("flex flex-col gap-2.5", className)}>
      {blocks.map((block, at) => (
        <Block key={at} text={block} />
      ))}
    </div>
  );
}

function Block({ text }: { text: string }) {
  const lines = text.split("\n");
  if (lines.length > 1 && lines.every((line) => line.startsWith("|"))) return <Table lines={lines} />;
  const [, marks = "", heading] = /^(#{1,6}) (.+)$/.exec(lines[0] ?? "") ?? [];
  if (heading !== undefined)
    return (
      <>
        {marks.length === 1 ? (
          <h2 className="pt-1 font-semibold text-lead">{inline(heading)}</h2>
        ) : (
          <h3 className="pt-1 font-semibold">{inline(heading)}</h3>
        )}
        {lines.length > 1 && <Block text={lines.slice(1).join("\n")} />}
      </>
    );
  const at = lines.findIndex((line) => /^[-*] /.test(line));
  if (at !== -1 && lines.slice(at).every((line) => /^([-*] | {2})/.test(line)))
    return (
      <>
        {at > 0 && <Block text={lines.slice(0, at).join("\n")} />}
        <ul className="flex list-disc flex-col gap-0.5 pl-5 marker:text-faint">
          {lines.slice(at).map((line) => (
            <li key={line}>{inline(line.replace(/^[-*] /, ""))}</li>
          ))}
        </ul>
      </>
    );
  const quote = lines.every((line) => line.startsWith(">"));
  if (quote)
    return (
      <p className="border-line border-l-2 pl-3 text-soft">
        {inline(lines.map((line) => line.replace(/^> ?/, "")).join(" "))}
      </p>
    );
  return <p className="whitespace-pre-line">{inline(text)}</p>;
}

function Table({ lines }: { lines: string[] }) {
  const cellsOf = (line: string) =>
    line
      .split(/(?<!\\)\|/)
      .slice(1, -1)
      .map((each) => each.trim().replaceAll("\\|", "|"));
  const [head = "", rule = "", ...body] = lines;
  const isRight = cellsOf(rule).map((each) => each.endsWith(":"));
  return (
    <div className="overflow-x-auto">
      <table className="figures text-table">
        <thead>
          <tr className="border-line border-b text-left text-soft">
            {cellsOf(head).map((name, at) => (
              <th key={name} className={cx("py-1 pr-6 font-medium", isRight[at] && "text-right")}>
                {inline(name)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {body.map((line) => (
            <tr key={line} className="border-line border-b last:border-0">
              {cellsOf(line).map((value, at) => (
                <td key={at} className={cx("py-1 pr-6", isRight[at] && "text-right")}>
                  {inline(value)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function inline(text: string): ReactNode[] {
  const parts = text.split(/(\*\*.+?\*\*|`[^`]+`|\*[^*\s][^*]*\*)/);
  return parts.map((part, at) => {
    const key = `${at}`;
    if (part.startsWith("**") && part.length > 4)
      return (
        <strong key={key} className="font-semibold">
          {part.slice(2, -2)}
        </strong>
      );
    if (part.startsWith("`") && part.length > 2)
      return (
        <code key={key} className="rounded bg-hover px-1 font-mono text-[0.92em]">
          {part.slice(1, -1)}
        </code>
      );
    if (/^\*[^*]+\*$/.test(part))
      return (
        <em key={key} className="text-soft not-italic">
          {part.slice(1, -1)}
        </em>
      );
    return <Fragment key={key}>{part.replace(/\\([\\`*_{}[\]()#+\-.!|<>])/g, "$1")}</Fragment>;
  });
}
