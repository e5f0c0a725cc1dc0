import { sql } from "@codemirror/lang-sql";
import { yaml } from "@codemirror/lang-yaml";
import CodeMirror, { EditorView } from "@uiw/react-codemirror";
import { useLayoutEffect, useRef, useState } from "react";
import { createPortal } from "react-dom";
import { useIsDark } from "../frame/appearance.ts";

interface EditorProps {
  label: string;
  value: string;
  onChange: ((text: string) => void) | undefined;
  language: "yaml" | "sql";
  /** Low, for a statement rather than a file. */
  isLow?: boolean;
}

const LANGUAGES = { yaml, sql };

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
export function Editor({ label, value, onChange, language, isLow = false }: EditorProps) {
  const host = useRef<HTMLDivElement>(null);
  const [root, setRoot] = useState<ShadowRoot>();
  const isDark = useIsDark();
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
            extensions={[
              LANGUAGES[language](),
              theme,
              EditorView.contentAttributes.of({ "aria-label": label }),
            ]}
          />,
          root,
        )}
    </div>
  );
}
