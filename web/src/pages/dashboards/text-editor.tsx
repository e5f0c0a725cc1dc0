import { useState } from "react";
import { callTool } from "../../api/client.ts";
import { queries, refresh, useTool, useWorkspace } from "../../api/hooks.ts";
import { Button } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { TextArea, TextField } from "../../components/fields.tsx";
import { Markdown } from "../../components/markdown.tsx";
import { ErrorNote, Waiting } from "../../components/states.tsx";
import { t } from "../../words/words.ts";
import { useSaving } from "./sharing.tsx";
import type { BoardDetails, BoardWidget, WidgetDetails } from "./types.ts";

interface TextEditorProps {
  board: BoardDetails;
  /** Null makes a new one. */
  widget: BoardWidget | null;
  onClose: () => void;
}

/** A card of text between the charts, as it will be read. */
export function TextEditor({ board, widget, onClose }: TextEditorProps) {
  const asked = { asset_type: "widget", asset_id: widget?.widget_id ?? 0 };
  const { data, error } = useTool<{ details: WidgetDetails }>("get_details", asked, {
    enabled: widget !== null,
  });
  if (widget !== null && data === undefined)
    return (
      <Dialog open side onClose={onClose} title={widget.name}>
        {error === null ? <Waiting /> : <ErrorNote error={error} />}
      </Dialog>
    );
  return <Form board={board} widget={widget} before={data?.details.text ?? ""} onClose={onClose} />;
}

function Form({ board, widget, before, onClose }: TextEditorProps & { before: string }) {
  const { slug } = useWorkspace();
  const [name, setName] = useState(widget?.name ?? "");
  const [text, setText] = useState(before);
  const { error, isBusy, run } = useSaving(async () => {
    const card = { name: name.trim(), options: { text } };
    if (widget === null)
      await callTool(slug, "create_widget", { ...card, chart_type: "text", dashboard_id: board.id });
    else await callTool(slug, "update_widget", { ...card, widget_id: widget.widget_id });
    await refresh(queries, slug, ["get_details", "preview_widget"]);
  }, onClose);
  return (
    <Dialog
      open
      side
      onClose={onClose}
      title={widget === null ? t`New text` : widget.name}
      footer={
        <>
          <Button onClick={onClose}>{t`Cancel`}</Button>
          <Button look="primary" disabled={isBusy || name.trim() === "" || text.trim() === ""} onClick={run}>
            {widget === null ? t`Add` : t`Save`}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        {error !== null && <ErrorNote error={error} />}
        <TextField label={t`Heading`} value={name} onChange={({ target }) => setName(target.value)} />
        <TextArea
          label={t`Text`}
          rows={8}
          value={text}
          maxLength={4_000}
          hint={t`**bold**, lists with - and headings with # are understood.`}
          onChange={({ target }) => setText(target.value)}
        />
        {text.trim() !== "" && (
          <div className="rounded-card border border-line bg-card p-4">
            <Markdown text={text} />
          </div>
        )}
      </div>
    </Dialog>
  );
}
