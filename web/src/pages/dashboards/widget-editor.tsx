import { useDeferredValue, useState } from "react";
import { callTool } from "../../api/client.ts";
import { queries, refresh, useTool, useWorkspace } from "../../api/hooks.ts";
import type { DatasetDetails, DatasetList } from "../../api/tools.ts";
import { Button } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { SelectField, TextField } from "../../components/fields.tsx";
import { ErrorNote, Waiting } from "../../components/states.tsx";
import { told } from "../../components/toasts.tsx";
import { isNumeric } from "../../words/figures.ts";
import { t } from "../../words/words.ts";
import type { BoardDetails, BoardWidget, Draft, WidgetDetails } from "./types.ts";
import { WidgetPicture } from "./widget-picture.tsx";

const PREVIEW_PX = 260;
const DATES = /DATE|TIME/i;

interface EditorProps {
  board: BoardDetails;
  /** Null makes a new one. */
  widget: BoardWidget | null;
  onClose: () => void;
}

/** Says what a widget shows, with the drawing itself beside it. */
export function WidgetEditor({ board, widget, onClose }: EditorProps) {
  const asked = { asset_type: "widget", asset_id: widget?.widget_id ?? 0 };
  const { data, error } = useTool<{ details: WidgetDetails }>("get_details", asked, {
    enabled: widget !== null,
  });
  if (widget !== null && data === undefined) {
    return (
      <Dialog open side onClose={onClose} title={widget.name}>
        {error === null ? <Waiting /> : <ErrorNote error={error} />}
      </Dialog>
    );
  }
  return <Form board={board} widget={widget} before={data?.details} onClose={onClose} />;
}

function Form({ board, widget, before, onClose }: EditorProps & { before: WidgetDetails | undefined }) {
  const { slug } = useWorkspace();
  const [draft, setDraft] = useState<Draft>(() => draftOf(before));
  const [error, setError] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);
  const shown = useDeferredValue(draft);
  const change = (next: Partial<Draft>) => setDraft((now) => ({ ...now, ...next }));
  const isWhole = draft.dataset_id !== undefined && draft.name.trim() !== "";
  const save = async () => {
    setBusy(true);
    setError(null);
    try {
      if (widget === null) await callTool(slug, "create_widget", { ...draft, dashboard_id: board.id });
      else await callTool(slug, "update_widget", { ...draft, widget_id: widget.widget_id });
      await refresh(queries, slug, ["get_details", "preview_widget", "list_dashboards"]);
      told(t`“${draft.name}” is on the dashboard.`);
      onClose();
    } catch (problem) {
      setError(problem);
      setBusy(false);
    }
  };
  return (
    <Dialog
      open
      side
      onClose={onClose}
      title={widget === null ? t`New widget` : widget.name}
      footer={
        <>
          <Button onClick={onClose}>{t`Cancel`}</Button>
          <Button look="primary" disabled={!isWhole || isBusy} onClick={() => void save()}>
            {widget === null ? t`Add` : t`Save`}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        {error !== null && <ErrorNote error={error} />}
        <div className="rounded-card border border-line bg-card p-3">
          {shown.dataset_id === undefined ? (
            <p className="grid place-items-center text-soft" style={{ height: PREVIEW_PX }}>
              {t`Choose data, and see here what it becomes.`}
            </p>
          ) : (
            <WidgetPicture draft={shown} dashboardId={board.id} height={PREVIEW_PX} />
          )}
        </div>
        <TextField
          label={t`Name`}
          value={draft.name}
          onChange={({ target }) => change({ name: target.value })}
        />
        <Fields draft={draft} change={change} />
      </div>
    </Dialog>
  );
}

function Fields({ draft, change }: { draft: Draft; change: (next: Partial<Draft>) => void }) {
  const datasets = useTool<DatasetList>("list_datasets", { limit: 200 });
  const asked = { asset_type: "dataset", asset_id: draft.dataset_id ?? 0 };
  const details = useTool<DatasetDetails>("get_details", asked, { enabled: draft.dataset_id !== undefined });
  const columns = details.data?.details.columns ?? [];
  const numbers = columns.filter(({ type }) => isNumeric(type));
  const isTable = draft.chart_type === "datagrid2";
  const isNumber = draft.chart_type === "singletext" || draft.chart_type === "gauge";
  const hasDate = DATES.test(columns.find(({ name }) => name === draft.x_axis)?.type ?? "");
  const option = (name: "aggregate" | "grain", value: string) => {
    const { [name]: _, ...rest } = draft.options;
    change({ options: value === "" ? rest : { ...rest, [name]: value } });
  };
  return (
    <>
      <SelectField
        label={t`Data`}
        value={draft.dataset_id ?? ""}
        onChange={({ target }) => {
          const found = datasets.data?.datasets.find(({ id }) => `${id}` === target.value);
          change({
            ...(found !== undefined && { dataset_id: found.id }),
            ...(draft.name === "" && found !== undefined && { name: found.name }),
            x_axis: "",
            y_axis: [],
            group_by: "",
          });
        }}
      >
        <option value="">{t`Choose a dataset`}</option>
        {datasets.data?.datasets.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </SelectField>
      <SelectField
        label={t`Shown as`}
        value={draft.chart_type}
        onChange={({ target }) => change({ chart_type: target.value })}
      >
        {chartTypes().map(([id, name]) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </SelectField>
      {!isNumber && (
        <SelectField
          label={isTable ? t`Rows by` : t`Along the axis`}
          value={draft.x_axis}
          onChange={({ target }) => change({ x_axis: target.value })}
        >
          <option value="">{t`Nothing`}</option>
          {columns.map(({ name }) => (
            <option key={name}>{name}</option>
          ))}
        </SelectField>
      )}
      <SelectField
        label={t`Figures`}
        value={draft.y_axis[0] ?? ""}
        onChange={({ target }) => change({ y_axis: target.value === "" ? [] : [target.value] })}
      >
        <option value="">{t`Number of rows`}</option>
        {numbers.map(({ name }) => (
          <option key={name}>{name}</option>
        ))}
      </SelectField>
      <div className="grid grid-cols-2 gap-3">
        <SelectField
          label={t`Summed up by`}
          value={draft.options.aggregate ?? ""}
          onChange={({ target }) => option("aggregate", target.value)}
        >
          {aggregates().map(([id, name]) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </SelectField>
        {hasDate ? (
          <SelectField
            label={t`Steps of time`}
            value={draft.options.grain ?? ""}
            onChange={({ target }) => option("grain", target.value)}
          >
            {grains().map(([id, name]) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </SelectField>
        ) : (
          <TextField
            label={t`Only the largest`}
            inputMode="numeric"
            placeholder={t`All`}
            value={draft.options.top ?? ""}
            onChange={({ target }) => {
              const top = Number(target.value);
              const { top: _, ...rest } = draft.options;
              change({ options: Number.isInteger(top) && top > 0 ? { ...rest, top } : rest });
            }}
          />
        )}
      </div>
      {!isNumber && !isTable && (
        <SelectField
          label={t`Coloured by`}
          value={draft.group_by}
          onChange={({ target }) => change({ group_by: target.value })}
        >
          <option value="">{t`Nothing`}</option>
          {columns.map(({ name }) => (
            <option key={name}>{name}</option>
          ))}
        </SelectField>
      )}
    </>
  );
}

function draftOf(before: WidgetDetails | undefined): Draft {
  const { name = "", chart_type = "column", dataset_id, x_axis, y_axis = [], group_by } = before ?? {};
  const { aggregate, grain, top, filters = [] } = before ?? {};
  const options = {
    ...(aggregate !== undefined && { aggregate }),
    ...(grain !== undefined && { grain }),
    ...(top !== undefined && { top }),
    ...(filters.length > 0 && { filters }),
  };
  return {
    name,
    chart_type,
    ...(dataset_id != null && { dataset_id }),
    x_axis: x_axis ?? "",
    y_axis,
    group_by: group_by ?? "",
    options,
  };
}

type Named = readonly (readonly [id: string, name: string])[];

function chartTypes(): Named {
  return [
    ["column", t`Columns`],
    ["line", t`Line`],
    ["bar", t`Bars`],
    ["area", t`Area`],
    ["pie", t`Pie`],
    ["donut", t`Ring`],
    ["singletext", t`One number`],
    ["datagrid2", t`Table`],
    ["scatter", t`Points`],
    ["heatmap", t`Heat map`],
    ["funnel", t`Funnel`],
    ["treemap", t`Tree map`],
    ["gauge", t`Gauge`],
  ];
}

function aggregates(): Named {
  return [
    ["", t`What suits it`],
    ["sum", t`Sum`],
    ["avg", t`Average`],
    ["count", t`Count`],
    ["distinct", t`Different values`],
    ["min", t`Smallest`],
    ["max", t`Largest`],
    ["median", t`Median`],
  ];
}

function grains(): Named {
  return [
    ["", t`What suits it`],
    ["day", t`Days`],
    ["week", t`Weeks`],
    ["month", t`Months`],
    ["quarter", t`Quarters`],
    ["year", t`Years`],
  ];
}
