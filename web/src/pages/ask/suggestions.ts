import { useTool, useWorkspace } from "../../api/hooks.ts";
import type { DatasetList, ModelList } from "../../api/tools.ts";
import { isNumeric } from "../../words/figures.ts";
import { t } from "../../words/words.ts";

interface Verified {
  questions: { question: string }[];
}

const MOST = 4;

/** Questions that somebody found answered rightly; before there are any, some made of the columns that there are. */
export function useSuggestions(): string[] {
  const { role } = useWorkspace();
  const models = useTool<ModelList>("list_semantic_models");
  const model = models.data?.models[0]?.name;
  const verified = useTool<Verified>(
    "list_verified_questions",
    { model, limit: MOST },
    { enabled: model !== undefined && role !== "viewer" },
  );
  const datasets = useTool<DatasetList>("list_datasets", { columns: true, limit: 20 });
  const asked = verified.data?.questions.map(({ question }) => question) ?? [];
  const made = (datasets.data?.datasets ?? []).flatMap(({ name, columns = [] }) =>
    questionOf(name, columns).slice(0, 1),
  );
  return [...new Set([...asked, ...made])].slice(0, MOST);
}

/** Up to three questions about a table: a sum by a name, along time, and how many. */
export function questionOf(name: string, columns: readonly { name: string; type: string }[]): string[] {
  const words = (column: string) => column.replaceAll("_", " ");
  const isKey = (column: string) => /(^|_)id$|^id_/i.test(column);
  const numeric = columns.find((each) => isNumeric(each.type) && !isKey(each.name));
  // A name of its own for each row groups nothing.
  const text = columns.find(
    (each) =>
      /VARCHAR|TEXT/i.test(each.type) &&
      !isKey(each.name) &&
      !/^(name|title|e-?mail|phone|text|comment|note)s?$/i.test(each.name),
  );
  const date = columns.find((each) => /DATE|TIMESTAMP/i.test(each.type));
  return [
    ...(numeric && text ? [t`Total ${words(numeric.name)} by ${words(text.name)}`] : []),
    ...(numeric && date ? [t`Total ${words(numeric.name)} by month`] : []),
    ...(text ? [t`How many ${words(name)} by ${words(text.name)}?`] : []),
    ...(text === undefined && numeric === undefined ? [t`How many ${words(name)} are there?`] : []),
  ].slice(0, 3);
}
