import { CircleAlert, CircleCheck, LoaderCircle } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { callTool, uploadFile } from "../../api/client.ts";
import { queries, useTool, useWorkspace } from "../../api/hooks.ts";
import { Button } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { SelectField } from "../../components/fields.tsx";
import { bytes } from "../../words/figures.ts";
import { t } from "../../words/words.ts";
import type { KnowledgeBaseList } from "./types.ts";

const DOCUMENTS = /\.(pdf|docx?|pptx?|odt|odp|rtf|md|markdown|html?|epub|eml|msg|png|jpe?g|tiff?)$/i;

/** What is read and searched rather than counted. */
export function isDocument({ name }: File): boolean {
  return DOCUMENTS.test(name);
}

interface Item {
  file: File;
  state: "waits" | "sends" | "done" | "failed";
  note?: string;
}

interface Added {
  document_id: number;
  outcome: "new" | "version" | "same";
  error?: string;
}

/** A queue of files for a knowledge base, each with what became of it. */
export function AddDocuments({
  files,
  base,
  folder,
  onClose,
}: {
  files: readonly File[];
  base?: number | undefined;
  folder?: string | undefined;
  onClose: () => void;
}) {
  const { slug } = useWorkspace();
  const { data } = useTool<KnowledgeBaseList>("list_knowledge_bases", { limit: 100 });
  const [target, setTarget] = useState(base === undefined ? "" : `${base}`);
  const [items, setItems] = useState<Item[]>(() => files.map((file) => ({ file, state: "waits" })));
  const [isStarted, start] = useState(base !== undefined);
  const wasStarted = useRef(false);
  useEffect(() => {
    if (!isStarted || wasStarted.current) return;
    wasStarted.current = true;
    const change = (at: number, next: Partial<Item>) =>
      setItems((all) => all.map((each, index) => (index === at ? { ...each, ...next } : each)));
    const addAll = async () => {
      for (const [at, file] of files.entries()) {
        change(at, { state: "sends" });
        await add(slug, file, target, folder).then(
          ({ outcome, error }) =>
            change(
              at,
              error === undefined
                ? { state: "done", note: outcomeName(outcome) }
                : { state: "failed", note: error },
            ),
          (error: unknown) =>
            change(at, { state: "failed", note: error instanceof Error ? error.message : String(error) }),
        );
      }
      await queries.invalidateQueries({ queryKey: ["tool", slug] });
    };
    void addAll();
  }, [isStarted, files, slug, target, folder]);
  const isOver = items.every(({ state }) => state === "done" || state === "failed");
  return (
    <Dialog
      open
      onClose={onClose}
      title={t`Documents for the library`}
      about={t`They are read, searched and quoted; answers lead to the passage.`}
      footer={
        isStarted ? (
          <Button look={isOver ? "primary" : "plain"} onClick={onClose}>
            {isOver ? t`Done` : t`Hide`}
          </Button>
        ) : (
          <Button look="primary" onClick={() => start(true)}>
            {t`Add them`}
          </Button>
        )
      }
    >
      <div className="flex flex-col gap-4">
        {!isStarted && (
          <SelectField
            label={t`Knowledge base`}
            value={target}
            onChange={({ target: { value } }) => setTarget(value)}
          >
            <option value="">{t`Documents`}</option>
            {data?.items.map(({ knowledge_base_id: id, knowledge_base_name: name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </SelectField>
        )}
        <ul className="divide-y divide-line rounded-card border border-line" aria-live="polite">
          {items.map(({ file, state, note }) => (
            <li key={`${file.name} ${file.size}`} className="flex items-center gap-3 px-3 py-2">
              <StateIcon state={state} />
              <span className="min-w-0 flex-1">
                <span className="block truncate">{file.name}</span>
                {note !== undefined && <span className="block text-caption text-soft">{note}</span>}
              </span>
              <span className="shrink-0 text-caption text-faint">{bytes(file.size)}</span>
            </li>
          ))}
        </ul>
      </div>
    </Dialog>
  );
}

async function add(slug: string, file: File, base: string, folder: string | undefined): Promise<Added> {
  const handle = await uploadFile(slug, file);
  return callTool<Added>(slug, "add_document", {
    file_name: file.name,
    file_url: handle,
    ...(base !== "" && { knowledge_base_id: Number(base) }),
    ...(folder !== undefined && folder !== "" && { folder }),
  });
}

function outcomeName(outcome: Added["outcome"]): string {
  if (outcome === "version") return t`A new version of a document that was there`;
  return outcome === "same" ? t`Was there already` : t`Added`;
}

function StateIcon({ state }: Pick<Item, "state">) {
  if (state === "done") return <CircleCheck aria-label={t`Done`} className="size-4 shrink-0 text-good" />;
  if (state === "failed") return <CircleAlert aria-label={t`Failed`} className="size-4 shrink-0 text-bad" />;
  if (state === "sends")
    return <LoaderCircle aria-label={t`Under way`} className="size-4 shrink-0 animate-spin text-soft" />;
  return (
    <span role="img" aria-label={t`Waits`} className="size-4 shrink-0 rounded-full border border-edge" />
  );
}
