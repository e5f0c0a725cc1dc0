import { PostgreSQL, sql } from "@codemirror/lang-sql";
import { yaml } from "@codemirror/lang-yaml";
import { linter } from "@codemirror/lint";
import CodeMirror, { EditorView, type Extension } from "@uiw/react-codemirror";
import { useLayoutEffect, useMemo, useRef, useState } from "react";
import { createPortal } from "react-dom";
import { useIsDark } from "../frame/appearance.ts";

interface EditorProps {
  label: string;
  value: string;
  onChange: ((text: string) => void) | undefined;
  language: "yaml" | "sql";
  /** Low, for a statement rather than a file. */
  isLow?: boolean;
  /** Tables with their columns, which are offered as one writes. */
  tables?: Readonly<Record<string, readonly string[]>> | undefined;
  /** What is wrong, from which line and column on, counted from 1. */
  problem?: { line: number; column: number; message: string } | undefined;
  onRun?: (() => void) | undefined;
}

function languageOf(language: EditorProps["language"], tables: EditorProps["tables"]): Extension {
  if (language === "yaml") return yaml();
  const schema = Object.fromEntries(
    Object.entries(tables ?? {}).map(([name, columns]) => [name, [...columns]]),
  );
  return sql({ dialect: PostgreSQL, schema, upperCaseKeywords: true });
}

/** A wavy line from where the server found the problem to the end of its word. */
function markOf({ line, column, message }: NonNullable<EditorProps["problem"]>): Extension {
  return linter(({ state: { doc } }) => {
    const { from, to, text } = doc.line(Math.min(Math.max(1, line), doc.lines));
    const start = Math.min(to, from + column - 1);
    const word = /^[\w".]+/.exec(text.slice(column - 1))?.[0].length ?? 1;
    return [{ from: start, to: Math.min(to, start + word), severity: "error", message }];
  });
}

const theme = EditorView.theme({
  // Stronger than the theme for the dark, which has a ground of its own.
  "&.cm-editor": { backgroundColor: "var(--color-card)", color: "var(--color-ink)", fontSize: "13px" },
  "&.cm-editor .cm-gutters": {
    backgroundColor: "var(--color-sunken)",
    color: "var(--color-faint)",
    borderRight: "1px solid var(--color-line)",
  },
  "&.cm-editor .cm-activeLine, &.cm-editor .cm-activeLineGutter": { backgroundColor: "transparent" },
  ".cm-scroller": { fontFamily: "var(--font-mono)" },
  "&.cm-focused": { outline: "none" },
});

/** Its styles are adopted by a tree of its own, as the page's policy allows no style elements. */
export function Editor({
  label,
  value,
  onChange,
  language,
  isLow = false,
  tables,
  problem,
  onRun,
}: EditorProps) {
  const host = useRef<HTMLDivElement>(null);
  const [root, setRoot] = useState<ShadowRoot>();
  const isDark = useIsDark();
  const extensions = useMemo(
    () => [
      languageOf(language, tables),
      theme,
      EditorView.contentAttributes.of({ "aria-label": label }),
      ...(problem === undefined ? [] : [markOf(problem)]),
    ],
    [language, tables, label, problem],
  );
  useLayoutEffect(() => {
    const element = host.current;
    if (element !== null) setRoot(element.shadowRoot ?? element.attachShadow({ mode: "open" }));
  }, []);
  return (
    <div ref={host} className="overflow-hidden rounded-card border border-line">
      {root !== undefined &&
        createPortal(
          <CodeMirror
            root={root}
            value={value}
            height={isLow ? "180px" : "min(680px, 70vh)"}
            theme={isDark ? "dark" : "light"}
            readOnly={onChange === undefined}
            onChange={(text) => onChange?.(text)}
            extensions={extensions}
            // What scrolls can be scrolled by the keys.
            onCreateEditor={({ scrollDOM }) => {
              scrollDOM.tabIndex = 0;
            }}
            onKeyDownCapture={(event) => {
              if (event.key !== "Enter" || !(event.metaKey || event.ctrlKey)) return;
              event.preventDefault();
              event.stopPropagation();
              onRun?.();
            }}
          />,
          root,
        )}
    </div>
  );
}
