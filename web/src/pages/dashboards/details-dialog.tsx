import { Plus, Trash2 } from "lucide-react";
import { useState } from "react";
import { callTool } from "../../api/client.ts";
import { queries, refresh, useWorkspace } from "../../api/hooks.ts";
import { Button, IconButton } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { SelectField, TextArea, TextField } from "../../components/fields.tsx";
import { ErrorNote } from "../../components/states.tsx";
import { told } from "../../components/toasts.tsx";
import { t } from "../../words/words.ts";
import { useBoardColumns } from "./columns.ts";
import { useSaving } from "./sharing.tsx";
import type { BoardDetails, BoardFilter } from "./types.ts";

/** What a dashboard is called, where it is kept, and what viewers can filter it by. */
export function DetailsDialog({ board, onClose }: { board: BoardDetails; onClose: () => void }) {
  const { slug } = useWorkspace();
  const columns = useBoardColumns(board);
  const [name, setName] = useState(board.name);
  const [description, setDescription] = useState(board.description ?? "");
  const [folder, setFolder] = useState(board.settings.folder ?? "");
  const [filters, setFilters] = useState<readonly BoardFilter[]>(board.filters);
  const { error, isBusy, run } = useSaving(async () => {
    const { folder: _, ...settings } = board.settings;
    const path = folder.trim();
    await callTool(slug, "update_dashboard", {
      dashboard_id: board.id,
      ...{ name: name.trim(), description: description.trim() },
      filters: filters.filter(({ field, parameter }) => (field ?? parameter ?? "") !== ""),
      settings: { ...settings, ...(path !== "" && { folder: path }) },
    });
    await refresh(queries, slug, [
      "get_details",
      "list_dashboards",
      "list_dashboard_filters",
      "preview_widget",
    ]);
    told(t`Saved.`);
  }, onClose);
  const change = (at: number, next: Partial<BoardFilter>) =>
    setFilters(filters.map((each, i) => (i === at ? { ...each, ...next } : each)));
  return (
    <Dialog
      open
      onClose={onClose}
      title={t`About this dashboard`}
      footer={
        <>
          <Button onClick={onClose}>{t`Cancel`}</Button>
          <Button look="primary" disabled={isBusy || name.trim() === ""} onClick={run}>
            {t`Save`}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        {error !== null && <ErrorNote error={error} />}
        <TextField label={t`Name`} value={name} onChange={({ target }) => setName(target.value)} />
        <TextArea
          label={t`What it is for`}
          rows={2}
          value={description}
          onChange={({ target }) => setDescription(target.value)}
        />
        <TextField
          label={t`Folder`}
          value={folder}
          placeholder={t`Sales`}
          onChange={({ target }) => setFolder(target.value)}
        />
        <fieldset className="flex flex-col gap-2">
          <legend className="mb-2 font-medium text-table">{t`Filters for viewers`}</legend>
          {filters.map((filter, at) => (
            <div key={at} className="flex items-center gap-2">
              {filter.parameter === undefined ? (
                <div className="min-w-0 flex-1">
                  <SelectField
                    bare
                    label={t`Field`}
                    value={filter.field ?? ""}
                    onChange={({ target }) => change(at, { field: target.value })}
                  >
                    <option value="">{t`Choose a field`}</option>
                    {[...new Set([...columns, ...(filter.field === undefined ? [] : [filter.field])])].map(
                      (each) => (
                        <option key={each}>{each}</option>
                      ),
                    )}
                  </SelectField>
                </div>
              ) : (
                <code className="flex-1 font-mono text-table">{filter.parameter}</code>
              )}
              <div className="min-w-0 flex-1">
                <TextField
                  bare
                  label={t`Shown as`}
                  placeholder={t`Shown as`}
                  value={filter.label ?? ""}
                  onChange={({ target }) => change(at, { label: target.value })}
                />
              </div>
              <IconButton label={t`Remove`} onClick={() => setFilters(filters.filter((_, i) => i !== at))}>
                <Trash2 className="size-4" />
              </IconButton>
            </div>
          ))}
          <Button
            small
            className="self-start"
            icon={<Plus className="size-3.5" />}
            onClick={() => setFilters([...filters, { field: "", operator: "in" }])}
          >
            {t`Add a filter`}
          </Button>
        </fieldset>
      </div>
    </Dialog>
  );
}
