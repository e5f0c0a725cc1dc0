import { useNavigate } from "@tanstack/react-router";
import { Ellipsis, Trash2 } from "lucide-react";
import { lazy, Suspense, useEffect, useMemo, useRef, useState } from "react";
import { callTool } from "../../api/client.ts";
import { queries, refresh, useTool, useWorkspace } from "../../api/hooks.ts";
import { useParamsInAddress } from "../../api/search-params.ts";
import { BackLink } from "../../components/back-link.tsx";
import { Badge } from "../../components/badge.tsx";
import { Button, IconButton } from "../../components/button.tsx";
import { Markdown } from "../../components/markdown.tsx";
import { Menu } from "../../components/menu.tsx";
import { Card, Page as PageFrame } from "../../components/page.tsx";
import { ErrorNote, Skeleton, Waiting } from "../../components/states.tsx";
import { Tabs } from "../../components/tabs.tsx";
import { told, toldError } from "../../components/toasts.tsx";
import { exactTime } from "../../words/figures.ts";
import { t } from "../../words/words.ts";
import { Requests, TestQuestions, Versions } from "./keeping.tsx";
import { Meanings } from "./meanings.tsx";
import { changed, modelIn } from "./source.ts";
import type { Problem, ReadModel, SavedModels } from "./types.ts";

const Diagram = lazy(() => import("./diagram.tsx").then((loaded) => ({ default: loaded.Diagram })));
const Query = lazy(() => import("./query.tsx").then((loaded) => ({ default: loaded.Query })));
const Editor = lazy(() =>
  import("../../components/editor.tsx").then((loaded) => ({ default: loaded.Editor })),
);

const MODELS = [
  "list_semantic_models",
  "list_model_drafts",
  "read_semantic_model",
  "list_verified_questions",
];

/** What a model knows, for those who ask by it and do not change it. */
export function ModelDigest({ name }: { name: string }) {
  const { data, error } = useTool<{ digest: string }>("get_semantic_model", { modelName: name });
  return (
    <PageFrame title={name} above={<BackLink page="models">{t`Models`}</BackLink>}>
      {error !== null && <ErrorNote error={error} />}
      {data === undefined && error === null && <Waiting rows={10} />}
      {data !== undefined && (
        <Card className="px-6 py-5">
          <Markdown text={data.digest} />
        </Card>
      )}
    </PageFrame>
  );
}

/** One model: its picture, what its names mean, and the file that both are. */
export function ModelPage({ name }: { name: string }) {
  const { slug, role } = useWorkspace();
  const [{ tab = "meanings" }, setParams] = useParamsInAddress();
  const [draft, setDraft] = useState<string>();
  const { data, error } = useTool<ReadModel>(
    "read_semantic_model",
    { modelName: name },
    draft === undefined ? {} : { refetchMs: WATCH_MS },
  );
  const [problems, setProblems] = useState<readonly Problem[]>([]);
  const [isBusy, setBusy] = useState(false);
  const source = draft ?? data?.source ?? "";
  const model = useMemo(() => modelIn(source), [source]);
  const isChanged = draft !== undefined && draft !== data?.source;
  useUnsaved(isChanged);
  const tables = useMemo(
    () =>
      Object.fromEntries(
        model?.datasets.map((each) => [each.name, each.fields.map((field) => field.name)]) ?? [],
      ),
    [model],
  );
  const other = useOtherDraft(data?.draft, isChanged);
  if (error)
    return (
      <PageFrame title={name} above={<BackLink page="models">{t`Models`}</BackLink>}>
        <ErrorNote error={error} />
      </PageFrame>
    );
  if (data === undefined) return <Waiting className="mx-auto max-w-[1200px] px-8 py-10" rows={10} />;
  const may = role !== "viewer" && data.source !== undefined;

  const save = async (): Promise<boolean> => {
    const { models } = await callTool<SavedModels>(slug, "save_semantic_model", { content: source });
    const found = models.flatMap((each) => each.problems);
    setProblems(found);
    await refresh(queries, slug, MODELS);
    setDraft(undefined);
    return !found.some(({ severity }) => severity === "error");
  };
  const publish = async () => {
    if (isChanged && !(await save())) {
      setParams({ tab: "file" });
      return;
    }
    const { version } = await callTool<{ version: number }>(slug, "publish_semantic_model", {
      modelName: name,
    });
    await queries.invalidateQueries({ queryKey: ["tool", slug] });
    told(t`Version ${version} is published: questions use it from now on.`);
  };
  const during = (work: () => Promise<unknown>) => {
    setBusy(true);
    work()
      .catch(toldError)
      .finally(() => setBusy(false));
  };
  const change = (path: (string | number)[], what: Parameters<typeof changed>[2]) =>
    setDraft((now) => changed(now ?? source, path, what));

  return (
    <PageFrame
      wide
      title={name}
      about={model?.description}
      above={<BackLink page="models">{t`Models`}</BackLink>}
      actions={
        <>
          <State data={data} isChanged={isChanged} />
          {may && (
            <>
              {isChanged && (
                <Button disabled={isBusy} look="quiet" onClick={() => setDraft(undefined)}>
                  {t`Discard`}
                </Button>
              )}
              <Button
                disabled={isBusy || !isChanged}
                onClick={() => during(async () => (await save()) && told(t`Saved as a draft: no problems.`))}
              >
                {t`Save and check`}
              </Button>
              <Button
                look="primary"
                disabled={isBusy || !(isChanged || data.has_draft)}
                onClick={() => during(publish)}
              >
                {t`Publish`}
              </Button>
              <More name={name} id={data.asset_id} />
            </>
          )}
        </>
      }
    >
      {other !== undefined && (
        <div
          role="alert"
          className="flex flex-wrap items-center gap-3 rounded-card bg-warn-tint px-4 py-2 text-warn"
        >
          <p className="min-w-0 flex-1">
            {t`${other} saved another draft while you were writing. Saving yours takes its place.`}
          </p>
          <Button small onClick={() => setDraft(undefined)}>
            {t`See theirs`}
          </Button>
        </div>
      )}
      {problems.length > 0 && <Problems problems={problems} />}
      <Tabs
        label={t`Parts of this model`}
        value={tab}
        onChange={(next) => setParams({ tab: next === "meanings" ? undefined : next })}
        tabs={[
          {
            id: "meanings",
            label: t`Meanings`,
            content:
              model === null ? <Broken /> : <Meanings model={model} onChange={may ? change : undefined} />,
          },
          {
            id: "diagram",
            label: t`Diagram`,
            content: (
              <Suspense fallback={<Skeleton className="h-[560px]" />}>
                {model === null ? <Broken /> : <Diagram model={model} />}
              </Suspense>
            ),
          },
          {
            id: "file",
            label: t`File`,
            content: (
              <Suspense fallback={<Skeleton className="h-[560px]" />}>
                <Editor
                  label={t`The file of this model`}
                  value={source}
                  onChange={may ? setDraft : undefined}
                  language="yaml"
                />
              </Suspense>
            ),
          },
          {
            id: "query",
            label: "SQL",
            content: (
              <Suspense fallback={<Skeleton className="h-48" />}>
                <Query model={name} first={model?.datasets[0]?.name ?? ""} tables={tables} />
              </Suspense>
            ),
          },
          { id: "tests", label: t`Test questions`, content: <TestQuestions model={name} /> },
          { id: "versions", label: t`Versions`, content: <Versions model={data} /> },
          ...(role === "admin"
            ? [{ id: "requests", label: t`Wishes`, content: <Requests model={name} /> }]
            : []),
        ]}
      />
    </PageFrame>
  );
}

const WATCH_MS = 8_000;

/** Who has saved a draft since one began to write. */
function useOtherDraft(draft: ReadModel["draft"], isChanged: boolean): string | undefined {
  const begun = useRef<string>(undefined);
  const savedAt = draft?.saved_at ?? "";
  useEffect(() => {
    if (!isChanged) begun.current = undefined;
    else begun.current ??= savedAt;
  }, [isChanged, savedAt]);
  const isOther = isChanged && begun.current !== undefined && begun.current !== savedAt;
  return isOther ? (draft?.saved_by ?? t`Somebody`) : undefined;
}

function Broken() {
  return (
    <p className="py-8 text-center text-soft">{t`The file is not whole yet: see where it breaks under “File”.`}</p>
  );
}

function State({ data, isChanged }: { data: ReadModel; isChanged: boolean }) {
  const published = data.versions.find((each) => each.published);
  if (isChanged) return <Badge tone="warn">{t`Not saved`}</Badge>;
  if (data.has_draft)
    return (
      <span title={data.draft && `${data.draft.saved_by ?? ""} ${exactTime(data.draft.saved_at)}`}>
        <Badge tone="warn">{t`Draft`}</Badge>
      </span>
    );
  return published === undefined ? null : (
    <Badge tone="good">{t`Version ${published.version} is published`}</Badge>
  );
}

function Problems({ problems }: { problems: readonly Problem[] }) {
  return (
    <ul role="alert" className="flex flex-col gap-1 rounded-card border border-line bg-warn-tint px-4 py-3">
      {problems.map(({ severity, message, hint, path, line }) => (
        <li key={`${path} ${message}`} className="flex items-start gap-2">
          <Badge tone={severity === "error" ? "bad" : "warn"}>
            {severity === "error" ? t`error` : t`warning`}
          </Badge>
          <span className="min-w-0">
            {message} {hint !== undefined && <span className="text-soft">{hint}</span>}{" "}
            <span className="text-caption text-faint">{line === undefined ? path : t`line ${line}`}</span>
          </span>
        </li>
      ))}
    </ul>
  );
}

function More({ name, id }: { name: string; id: number }) {
  const { slug } = useWorkspace();
  const navigate = useNavigate();
  const asset = { asset_type: "semantic_model", asset_id: id };
  const remove = async () => {
    try {
      await callTool(slug, "delete_asset", { ...asset, confirm: true });
      await navigate({ to: "/w/$slug/$page", params: { slug, page: "models" } });
      await refresh(queries, slug, MODELS);
      told(t`“${name}” is deleted.`, () => {
        callTool(slug, "restore_asset", asset).then(() => refresh(queries, slug, MODELS), toldError);
      });
    } catch (error) {
      toldError(error);
    }
  };
  return (
    <Menu
      trigger={
        <IconButton label={t`More`} className="border border-edge">
          <Ellipsis className="size-4" />
        </IconButton>
      }
      entries={[
        {
          label: t`Delete`,
          icon: <Trash2 className="size-4" />,
          onSelect: () => void remove(),
          danger: true,
        },
      ]}
    />
  );
}

/** A window with changes is not closed without asking. */
function useUnsaved(isChanged: boolean): void {
  useEffect(() => {
    if (!isChanged) return;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener("beforeunload", ask);
    return () => removeEventListener("beforeunload", ask);
  }, [isChanged]);
}
