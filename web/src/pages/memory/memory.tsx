import { useNavigate } from "@tanstack/react-router";
import { Ellipsis, EyeOff, Pencil, Pin, PinOff, Trash2 } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import { callTool } from "../../api/client.ts";
import { queries, useTool, useWorkspace } from "../../api/hooks.ts";
import { BackLink } from "../../components/back-link.tsx";
import { Badge } from "../../components/badge.tsx";
import { Button, IconButton } from "../../components/button.tsx";
import { cx } from "../../components/classes.ts";
import { Dialog } from "../../components/dialog.tsx";
import { TextArea, TextField } from "../../components/fields.tsx";
import { Menu } from "../../components/menu.tsx";
import { Card, Page as PageFrame } from "../../components/page.tsx";
import { ErrorNote, Skeleton, Waiting } from "../../components/states.tsx";
import { told, toldError } from "../../components/toasts.tsx";
import { When } from "../../components/when.tsx";
import { day, number } from "../../words/figures.ts";
import { t } from "../../words/words.ts";
import type { MemoryDetails } from "./types.ts";

const Graph = lazy(() => import("./graph.tsx").then(({ Graph }) => ({ default: Graph })));

export function MemoryDetailsPage({ id }: { id: string }) {
  const { slug, role } = useWorkspace();
  const { data, error } = useTool<MemoryDetails>("get_memory", { memory_id: id });
  const [asked, ask] = useState<"correct" | "retract" | "erase" | null>(null);
  if (error)
    return (
      <PageFrame title={t`Memory`} above={<BackLink page="memory">{t`Memory`}</BackLink>}>
        <ErrorNote error={error} />
      </PageFrame>
    );
  if (data === undefined) return <Waiting className="mx-auto max-w-[1200px] px-8 py-10" />;
  const pin = async (isPinned: boolean) => {
    try {
      await callTool(slug, "change_memory", {
        memory_id: data.memory_id,
        action: isPinned ? "pin" : "unpin",
      });
      await queries.invalidateQueries({ queryKey: ["tool", slug] });
      told(isPinned ? t`Pinned: it comes first where it fits.` : t`Pinned no more.`);
    } catch (problem) {
      toldError(problem);
    }
  };
  return (
    <PageFrame
      title={data.title}
      above={<BackLink page="memory">{t`Memory`}</BackLink>}
      about={
        <>
          {[data.source, data.created_by].filter(Boolean).join(" · ")} · <When at={data.created_at} />
          {data.recalls > 0 && <> · {t`recalled ${number(data.recalls)} times`}</>}
        </>
      }
      actions={
        role !== "viewer" &&
        data.retracted_at === null && (
          <>
            <Button
              icon={data.pinned ? <PinOff className="size-4" /> : <Pin className="size-4" />}
              onClick={() => void pin(!data.pinned)}
            >
              {data.pinned ? t`Unpin` : t`Pin`}
            </Button>
            <Button icon={<Pencil className="size-4" />} onClick={() => ask("correct")}>
              {t`Correct`}
            </Button>
            <Menu
              trigger={
                <IconButton label={t`More`} className="border border-edge">
                  <Ellipsis className="size-4" />
                </IconButton>
              }
              entries={[
                { label: t`Retract`, icon: <EyeOff className="size-4" />, onSelect: () => ask("retract") },
                {
                  label: t`Erase for good`,
                  icon: <Trash2 className="size-4" />,
                  onSelect: () => ask("erase"),
                  danger: true,
                  apart: true,
                },
              ]}
            />
          </>
        )
      }
    >
      {data.retracted_at !== null && (
        <p className="rounded-card bg-warn-tint px-4 py-2 text-warn">
          {t`Retracted: it is not recalled any more.`} {data.retraction_reason}
        </p>
      )}
      <div className="grid gap-6 lg:grid-cols-[minmax(0,1fr)_380px]">
        <div className="flex min-w-0 flex-col gap-6">
          <Card className="p-5">
            <p className="max-w-[72ch] whitespace-pre-line text-lead">{data.content}</p>
            <p className="mt-3 flex flex-wrap gap-1.5">
              {data.pinned && <Badge tone="accent">{t`Pinned`}</Badge>}
              {data.tags.map((tag) => (
                <Badge key={tag}>{tag}</Badge>
              ))}
            </p>
          </Card>
          <section className="flex flex-col gap-2">
            <h2 className="font-semibold">{t`How it hangs together`}</h2>
            <Suspense fallback={<Skeleton className="h-[420px]" />}>
              <Graph id={data.memory_id} title={data.title} />
            </Suspense>
          </section>
        </div>
        <Timeline versions={data.versions} current={data.memory_id} />
      </div>
      {asked === "correct" && <Correct memory={data} onClose={() => ask(null)} />}
      {(asked === "retract" || asked === "erase") && (
        <End memory={data} way={asked} onClose={() => ask(null)} />
      )}
    </PageFrame>
  );
}

/** What was held to be true when, the latest first. */
function Timeline({ versions, current }: { versions: MemoryDetails["versions"]; current: string }) {
  const all = versions.toSorted((a, b) => b.recorded_at.localeCompare(a.recorded_at));
  return (
    <section className="flex flex-col gap-2">
      <h2 className="font-semibold">{t`History`}</h2>
      <ol className="flex flex-col">
        {all.map((version) => (
          <li key={version.memory_id} className="relative border-line border-l pb-5 pl-5 last:pb-0">
            <span
              aria-hidden="true"
              className={cx(
                "absolute top-1.5 -left-[5px] size-2.5 rounded-full border-2 border-ground",
                version.memory_id === current ? "bg-accent" : "bg-edge",
              )}
            />
            <p className="text-caption text-soft">
              {day(version.valid_from)} – {version.valid_to === null ? t`now` : day(version.valid_to)}
            </p>
            <p className="font-medium">{version.title}</p>
            <p className="line-clamp-4 text-soft text-table">{version.content}</p>
            <p className="text-caption text-faint">
              {t`Recorded`} <When at={version.recorded_at} />
              {version.recorded_by !== null && ` · ${version.recorded_by}`}
              {version.update_reason !== null && ` · ${version.update_reason}`}
            </p>
          </li>
        ))}
      </ol>
    </section>
  );
}

function Correct({ memory, onClose }: { memory: MemoryDetails; onClose: () => void }) {
  const { slug } = useWorkspace();
  const navigate = useNavigate();
  const [title, setTitle] = useState(memory.title);
  const [content, setContent] = useState(memory.content);
  const [reason, setReason] = useState("");
  const [error, setError] = useState<unknown>(null);
  const save = async () => {
    try {
      const { new_memory_id: next } = await callTool<{ new_memory_id: string }>(slug, "update_fact", {
        target_id: memory.memory_id,
        new_title: title.trim(),
        new_content: content.trim(),
        ...(reason.trim() !== "" && { update_reason: reason.trim() }),
      });
      await queries.invalidateQueries({ queryKey: ["tool", slug] });
      onClose();
      told(t`Corrected; the former text stays in its history.`);
      void navigate({ to: "/w/$slug/$page/$id", params: { slug, page: "memory", id: next } });
    } catch (problem) {
      setError(problem);
    }
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title={t`Correct`}
      about={t`The new text takes the place of the old one, which stays in the history.`}
      footer={
        <>
          <Button onClick={onClose}>{t`Cancel`}</Button>
          <Button
            look="primary"
            disabled={content.trim() === "" || title.trim() === ""}
            onClick={() => void save()}
          >
            {t`Save`}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        {error !== null && <ErrorNote error={error} />}
        <TextField label={t`Title`} value={title} onChange={({ target }) => setTitle(target.value)} />
        <TextArea
          label={t`Text`}
          rows={6}
          value={content}
          onChange={({ target }) => setContent(target.value)}
        />
        <TextField label={t`Why`} value={reason} onChange={({ target }) => setReason(target.value)} />
      </div>
    </Dialog>
  );
}

function End({
  memory,
  way,
  onClose,
}: {
  memory: MemoryDetails;
  way: "retract" | "erase";
  onClose: () => void;
}) {
  const { slug } = useWorkspace();
  const navigate = useNavigate();
  const [reason, setReason] = useState("");
  const [error, setError] = useState<unknown>(null);
  const isErase = way === "erase";
  const run = async () => {
    try {
      const args = {
        memory_id: memory.memory_id,
        ...(!isErase && reason.trim() !== "" && { reason: reason.trim() }),
      };
      await callTool(slug, isErase ? "erase_memory" : "retract_memory", args);
      if (isErase) await navigate({ to: "/w/$slug/$page", params: { slug, page: "memory" } });
      await queries.invalidateQueries({ queryKey: ["tool", slug] });
      onClose();
      told(isErase ? t`Erased, with all its versions.` : t`Retracted: it is not recalled any more.`);
    } catch (problem) {
      setError(problem);
    }
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title={isErase ? t`Erase for good?` : t`Retract?`}
      about={
        isErase
          ? t`All versions and relations of “${memory.title}” go, and nobody can bring them back.`
          : t`“${memory.title}” was never true: it is not recalled any more, but stays to be looked at.`
      }
      footer={
        <>
          <Button onClick={onClose}>{t`Cancel`}</Button>
          <Button look="danger" onClick={() => void run()}>
            {isErase ? t`Erase` : t`Retract`}
          </Button>
        </>
      }
    >
      {error !== null && <ErrorNote error={error} />}
      {!isErase && (
        <TextField label={t`Why`} value={reason} onChange={({ target }) => setReason(target.value)} />
      )}
    </Dialog>
  );
}
