import { useNavigate, useParams } from "@tanstack/react-router";
import { Boxes, Plus } from "lucide-react";
import { useState } from "react";
import { callTool } from "../../api/client.ts";
import { queries, useTool, useWorkspace } from "../../api/hooks.ts";
import type { DatasetList, ModelList } from "../../api/tools.ts";
import { Badge } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { TextField } from "../../components/fields.tsx";
import { LinkList, RowLink } from "../../components/list.tsx";
import { Page as PageFrame, SectionTitle } from "../../components/page.tsx";
import { Empty, ErrorNote, Waiting } from "../../components/states.tsx";
import { When } from "../../components/when.tsx";
import { number } from "../../words/figures.ts";
import { t } from "../../words/words.ts";
import { ModelDigest, ModelPage } from "./model.tsx";
import type { Inferred } from "./types.ts";

export function Page() {
  const { id } = useParams({ strict: false }) as { id?: string };
  const { role } = useWorkspace();
  if (id === undefined) return <ModelsPage />;
  return role === "viewer" ? <ModelDigest key={id} name={id} /> : <ModelPage key={id} name={id} />;
}

function ModelsPage() {
  const { slug, role } = useWorkspace();
  const [isProposing, propose] = useState(false);
  const { data, error, refetch } = useTool<ModelList>("list_semantic_models");
  const may = role !== "viewer";
  return (
    <PageFrame
      title={t`Models`}
      about={t`What your columns mean: measures, names, and how tables belong together. Questions are answered by it.`}
      actions={
        may && (
          <Button look="primary" icon={<Plus className="size-4" />} onClick={() => propose(true)}>
            {t`Propose a model`}
          </Button>
        )
      }
    >
      {error !== null ? (
        <ErrorNote error={error} retry={() => void refetch()} />
      ) : data === undefined ? (
        <Waiting />
      ) : data.models.length === 0 ? (
        <Empty
          icon={<Boxes className="size-5" />}
          title={t`No model yet`}
          action={
            may && (
              <Button look="primary" onClick={() => propose(true)}>
                {t`Propose a model`}
              </Button>
            )
          }
        >
          {t`Questions work without one, too: what is missing is guessed. A model says once what is meant, so that everybody gets the same numbers. One is proposed from your rows; you check it.`}
        </Empty>
      ) : (
        <LinkList label={t`Models`}>
          {data.models.map(({ name, description, version }) => (
            <RowLink
              key={name}
              slug={slug}
              page="models"
              id={name}
              icon={<Boxes />}
              title={name}
              about={description ?? undefined}
              end={<Badge>{t`Version ${version}`}</Badge>}
            />
          ))}
        </LinkList>
      )}
      {may && <Drafts />}
      {isProposing && <Propose onClose={() => propose(false)} />}
    </PageFrame>
  );
}

interface DraftList {
  drafts: { name: string; version: number | null; saved_by: string | null; saved_at: string }[];
}

/** What was proposed or changed and waits for somebody to look at it. */
function Drafts() {
  const { slug } = useWorkspace();
  const { data } = useTool<DraftList>("list_model_drafts");
  if (data === undefined || data.drafts.length === 0) return null;
  return (
    <section className="flex flex-col gap-2" aria-label={t`Drafts`}>
      <SectionTitle>{t`Drafts`}</SectionTitle>
      <LinkList label={t`Drafts`}>
        {data.drafts.map(({ name, version, saved_by: who, saved_at: at }) => (
          <RowLink
            key={name}
            slug={slug}
            page="models"
            id={name}
            icon={<Boxes />}
            title={name}
            about={
              <>
                {who} · <When at={at} />
              </>
            }
            end={
              <Badge tone="warn">
                {version === null ? t`Never published` : t`Changed since version ${version}`}
              </Badge>
            }
          />
        ))}
      </LinkList>
    </section>
  );
}

/** A model from rows: what was guessed is shown with how sure it is, before anything is published. */
function Propose({ onClose }: { onClose: () => void }) {
  const { slug } = useWorkspace();
  const navigate = useNavigate();
  const datasets = useTool<DatasetList>("list_datasets", { limit: 200 });
  const [written, setName] = useState<string>();
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const name = written ?? nameOf(chosen[0] ?? datasets.data?.datasets[0]?.name ?? "");
  const [error, setError] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);
  const [found, setFound] = useState<Inferred>();
  const start = async () => {
    setBusy(true);
    setError(null);
    try {
      const args = { name: name.trim(), ...(chosen.length > 0 && { datasets: chosen }) };
      setFound(await callTool<Inferred>(slug, "infer_semantic_model", args));
      await queries.invalidateQueries({ queryKey: ["tool", slug] });
    } catch (problem) {
      setError(problem);
    }
    setBusy(false);
  };
  const open = () => {
    onClose();
    void navigate({ to: "/w/$slug/$page/$id", params: { slug, page: "models", id: found?.name ?? name } });
  };
  if (found !== undefined)
    return (
      <Dialog
        open
        wide
        onClose={onClose}
        title={t`What was understood`}
        about={t`Nothing is published yet. Look at what is only a guess first.`}
        footer={
          <Button look="primary" onClick={open}>
            {t`Check the model`}
          </Button>
        }
      >
        <Guesses found={found} />
      </Dialog>
    );
  return (
    <Dialog
      open
      onClose={onClose}
      title={t`Propose a model`}
      about={t`Names, measures and relations are read from your rows. You check them before anybody's questions use them.`}
      footer={
        <>
          <Button onClick={onClose}>{t`Cancel`}</Button>
          <Button look="primary" disabled={isBusy || name.trim() === ""} onClick={() => void start()}>
            {isBusy ? t`Reading the rows …` : t`Propose`}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        {error !== null && <ErrorNote error={error} />}
        <TextField
          label={t`Name`}
          hint={t`Small letters, digits and _.`}
          value={name}
          onChange={({ target }) => setName(target.value)}
        />
        <fieldset className="flex flex-col gap-1">
          <legend className="mb-1 font-medium text-table">{t`Datasets; all when none is chosen`}</legend>
          <div className="max-h-64 overflow-auto rounded-card border border-line">
            {datasets.data?.datasets.map((each) => (
              <label key={each.id} className="flex min-h-9 items-center gap-2.5 px-3 hover:bg-hover">
                <input
                  type="checkbox"
                  className="size-4 accent-accent"
                  checked={chosen.includes(each.name)}
                  onChange={({ target }) =>
                    setChosen(
                      target.checked ? [...chosen, each.name] : chosen.filter((other) => other !== each.name),
                    )
                  }
                />
                <span className="min-w-0 flex-1 truncate">{each.name}</span>
                {each.rows !== null && (
                  <span className="figures text-caption text-faint">{t`${number(each.rows)} rows`}</span>
                )}
              </label>
            ))}
          </div>
        </fieldset>
      </div>
    </Dialog>
  );
}

/** As models are called. */
function nameOf(dataset: string): string {
  return dataset
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "_")
    .replace(/^_+|_+$/g, "");
}

function Guesses({ found }: { found: Inferred }) {
  const order = ["guess", "likely", "sure"];
  const tones = { guess: "warn", likely: "plain", sure: "good" } as const;
  const names = { guess: t`a guess`, likely: t`likely`, sure: t`sure` };
  return (
    <ul className="divide-y divide-line">
      {found.guesses
        .toSorted((a, b) => order.indexOf(a.sure) - order.indexOf(b.sure))
        .map(({ about, guess, sure, why }) => (
          <li key={`${about} ${guess}`} className="flex items-start gap-3 py-2">
            <Badge tone={tones[sure]}>{names[sure]}</Badge>
            <span className="min-w-0">
              <span className="font-medium">{about}</span>: {guess}
              <span className="block text-soft text-table">{why}</span>
            </span>
          </li>
        ))}
    </ul>
  );
}
