import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { callTool } from "../../api/client.ts";
import { queries, refresh, useTool, useWorkspace } from "../../api/hooks.ts";
import type { DashboardList } from "../../api/tools.ts";
import { Button } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { SelectField, TextField } from "../../components/fields.tsx";
import { ErrorNote } from "../../components/states.tsx";
import { told } from "../../components/toasts.tsx";
import { isNumeric } from "../../words/figures.ts";
import { t } from "../../words/words.ts";
import type { Answer } from "./answer.ts";

/** The rows of an answer become a widget, on a dashboard that there is or a new one. */
export function PinDialog({
  question,
  answer,
  onClose,
}: {
  question: string;
  answer: Answer;
  onClose: () => void;
}) {
  const { slug } = useWorkspace();
  const navigate = useNavigate();
  const dashboards = useTool<DashboardList>("list_dashboards", { limit: 100 });
  const [name, setName] = useState(
    (answer.reading ?? question).replace(/^./u, (first) => first.toUpperCase()).slice(0, 120),
  );
  const [target, setTarget] = useState("");
  const [title, setTitle] = useState("");
  const [error, setError] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);
  const save = async () => {
    setBusy(true);
    setError(null);
    try {
      const widget = { name: name.trim(), ...widgetOf(answer) };
      const id = await (target === ""
        ? onNew(slug, title.trim() || name.trim(), widget)
        : onExisting(slug, Number(target), widget));
      await refresh(queries, slug, ["list_dashboards"]);
      onClose();
      told(t`“${name}” is on the dashboard.`);
      void navigate({ to: "/w/$slug/$page/$id", params: { slug, page: "dashboards", id: `${id}` } });
    } catch (problem) {
      setError(problem);
      setBusy(false);
    }
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title={t`Add to a dashboard`}
      footer={
        <>
          <Button onClick={onClose}>{t`Cancel`}</Button>
          <Button look="primary" disabled={isBusy || name.trim() === ""} onClick={() => void save()}>
            {t`Add`}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <TextField label={t`Title`} value={name} onChange={({ target: { value } }) => setName(value)} />
        <SelectField
          label={t`Dashboard`}
          value={target}
          onChange={({ target: { value } }) => setTarget(value)}
        >
          <option value="">{t`A new one`}</option>
          {dashboards.data?.dashboards.map(({ id, name: label }) => (
            <option key={id} value={id}>
              {label}
            </option>
          ))}
        </SelectField>
        {target === "" && (
          <TextField
            label={t`Name of the new dashboard`}
            value={title}
            placeholder={name}
            onChange={({ target: { value } }) => setTitle(value)}
          />
        )}
        {error !== null && <ErrorNote error={error} />}
      </div>
    </Dialog>
  );
}

/** In one step, so that a widget that cannot be made leaves no empty dashboard behind. */
async function onNew(slug: string, name: string, widget: object): Promise<number> {
  const args = { name, widgets: [widget] };
  return (await callTool<{ dashboard_id: number }>(slug, "create_dashboard", args)).dashboard_id;
}

async function onExisting(slug: string, id: number, widget: object): Promise<number> {
  await callTool(slug, "create_widget", { ...widget, dashboard_id: id });
  return id;
}

const CHARTS: Record<string, string> = { bar: "column", line: "line", pie: "donut", scatter: "scatter" };

const GRAINS = ["day", "week", "month", "quarter", "year"];

/** The measures of the answer by its fields, so that the widget goes on with the rows that come. */
function widgetOf({ columns, lineage, model, chart, datasets, rows, sql }: Answer): object {
  const measures = lineage?.metrics.map(({ name }) => name) ?? [];
  const names = columns.map(({ name }) => name);
  const fields = names.filter((name) => !measures.includes(name));
  const isOneNumber = rows.length === 1 && fields.length === 0;
  const type = isOneNumber ? "singletext" : (CHARTS[chart?.type ?? ""] ?? "datagrid2");
  // A column called like a stretch of time is a date of the model, cut into such stretches.
  const grain = fields.find((name) => GRAINS.includes(name));
  const all = lineage?.filters ?? [];
  const date = all.find(({ value }) => /^\d{4}-\d{2}-\d{2}/.test(String([value].flat()[0])))?.field;
  const [x, group] = fields.map((name) => (name === grain ? (date ?? name) : name));
  const axes = { ...(x !== undefined && { x_axis: x }), ...(group !== undefined && { group_by: group }) };
  if (model !== null && measures.length > 0) {
    const filters = all.filter(({ field }) => !measures.includes(field));
    const options = { model, ...(grain !== undefined && { grain }), ...(filters.length > 0 && { filters }) };
    return { chart_type: type, ...axes, y_axis: measures, options };
  }
  const [dataset] = datasets;
  const numbers = columns.filter((each) => isNumeric(each.type)).map(({ name }) => name);
  const summed = summedIn(sql ?? "");
  const [first] = numbers.flatMap((name) => summed.get(name) ?? []);
  const own = numbers.flatMap((name) => {
    const measure = summed.get(name);
    if (measure === undefined) return [name];
    return measure.aggregate === first?.aggregate ? measure.field : [];
  });
  return {
    chart_type: type,
    ...(dataset !== undefined && { dataset_id: dataset.id }),
    ...(type !== "singletext" && names[0] !== undefined && { x_axis: names[0] }),
    y_axis: own,
    ...(first !== undefined && { options: { aggregate: first.aggregate } }),
  };
}

const SUMMED = /\b(sum|avg|count|min|max|median)\(\s*(\*|[^()]*?)\s*\)\s+as\s+("[^"]+"|\w+)/gi;
/** The last step gives the columns of the steps before it their names. */
const NAMED = /\b(\w+)\s+as\s+"([^"]+)"/gi;

/** What each column of an answer was made of: the widget sums up the field itself, by the rows of then. */
function summedIn(sql: string): Map<string, { aggregate: string; field: string[] }> {
  const plain = (name: string) => name.split(".").at(-1)?.trim().replaceAll('"', "") ?? name;
  const made = new Map(
    [...sql.matchAll(SUMMED)].map(([, by = "", what = "", alias = ""]) => {
      const isDistinct = /^distinct\s/i.test(what);
      const field = what === "*" ? [] : [plain(what.replace(/^distinct\s+/i, ""))];
      return [plain(alias), { aggregate: isDistinct ? "distinct" : by.toLowerCase(), field }] as const;
    }),
  );
  for (const [, inner = "", name = ""] of sql.matchAll(NAMED)) {
    const measure = made.get(inner);
    if (measure !== undefined) made.set(name, measure);
  }
  return made;
}
