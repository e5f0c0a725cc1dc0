import { useInfiniteQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { Brain, Pin, Plus } from "lucide-react";
import { useState } from "react";
import { callTool } from "../../api/client.ts";
import { queries, useTool, useWorkspace } from "../../api/hooks.ts";
import { useParamsInAddress } from "../../api/search-params.ts";
import type { MemoryHits } from "../../api/tools.ts";
import { Badge } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { SearchField, SelectField, TextArea, TextField } from "../../components/fields.tsx";
import { LinkList, RowLink } from "../../components/list.tsx";
import { Page as PageFrame } from "../../components/page.tsx";
import { Empty, ErrorNote, Waiting } from "../../components/states.tsx";
import { told } from "../../components/toasts.tsx";
import { day, number } from "../../words/figures.ts";
import { t } from "../../words/words.ts";
import { MemoryDetailsPage } from "./memory.tsx";
import type { MemoryList } from "./types.ts";

export function Page() {
  const { id } = useParams({ strict: false }) as { id?: string };
  return id === undefined ? <MemoryPage /> : <MemoryDetailsPage id={id} />;
}

function MemoryPage() {
  const { role } = useWorkspace();
  const [{ q = "", as_of: asOf = "", known_at: knownAt = "", state = "" }, setParams] = useParamsInAddress();
  const [isAdding, add] = useState(false);
  return (
    <PageFrame
      title={t`Memory`}
      about={t`What people and agents asked to be kept: facts with their time, where they are from and how they hang together.`}
      actions={
        role !== "viewer" && (
          <Button look="primary" icon={<Plus className="size-4" />} onClick={() => add(true)}>
            {t`Keep something`}
          </Button>
        )
      }
    >
      <div className="grid items-end gap-3 sm:grid-cols-2 lg:grid-cols-[1fr_auto_auto_auto]">
        <SearchField
          label={t`What do you want to remember?`}
          value={q}
          onSearch={(next) => setParams({ q: next })}
          className="sm:col-span-2 lg:col-span-1"
        />
        <SelectField
          label={t`State`}
          value={state}
          disabled={q !== ""}
          onChange={({ target }) => setParams({ state: target.value })}
        >
          <option value="">{t`Holds now`}</option>
          <option value="pinned">{t`Pinned`}</option>
          <option value="ended">{t`Holds no more`}</option>
          <option value="retracted">{t`Retracted`}</option>
        </SelectField>
        <TextField
          label={t`As it was on`}
          type="date"
          value={asOf}
          onChange={({ target }) => setParams({ as_of: target.value })}
        />
        <TextField
          label={t`As known on`}
          type="date"
          value={knownAt}
          onChange={({ target }) => setParams({ known_at: target.value })}
        />
      </div>
      {(asOf !== "" || knownAt !== "") && q === "" && (
        <p className="text-soft">{t`Days hold for searches: write what you want to remember.`}</p>
      )}
      {q === "" ? (
        <AllMemories state={state} onAdd={() => add(true)} />
      ) : (
        <FoundMemories query={q} asOf={asOf} knownAt={knownAt} />
      )}
      {isAdding && <Keep onClose={() => add(false)} />}
    </PageFrame>
  );
}

const PAGE = 60;

function AllMemories({ state, onAdd }: { state: string; onAdd: () => void }) {
  const { slug, role } = useWorkspace();
  const { data, error, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery({
    queryKey: ["tool", slug, "list_memories", state],
    queryFn: ({ pageParam, signal }) =>
      callTool<MemoryList>(
        slug,
        "list_memories",
        { limit: PAGE, ...(state !== "" && { state }), ...(pageParam !== null && { cursor: pageParam }) },
        { signal },
      ),
    initialPageParam: null as number | null,
    getNextPageParam: ({ next_cursor: next }) => next ?? undefined,
  });
  if (error) return <ErrorNote error={error} />;
  if (data === undefined) return <Waiting />;
  const all = data.pages.flatMap(({ memories }) => memories);
  if (all.length === 0 && state !== "") return <p className="py-10 text-center text-soft">{t`None.`}</p>;
  if (all.length === 0)
    return (
      <Empty
        icon={<Brain className="size-5" />}
        title={t`Nothing is kept yet`}
        action={
          role !== "viewer" && (
            <Button look="primary" onClick={onAdd}>
              {t`Keep something`}
            </Button>
          )
        }
      >
        {t`Connected agents keep here what should not be forgotten: decisions, facts, who is responsible. Later facts take the place of earlier ones, and nothing is lost.`}
      </Empty>
    );
  return (
    <>
      <p className="text-soft text-table">{t`${number(data.pages[0]?.total ?? 0)} memories`}</p>
      <LinkList label={t`Memories`}>
        {all.map((memory) => (
          <RowLink
            key={memory.memory_id}
            slug={slug}
            page="memory"
            id={memory.memory_id}
            icon={memory.pinned ? <Pin /> : <Brain />}
            title={memory.title}
            about={memory.excerpt}
            end={
              <>
                <span className="block">{day(memory.valid_from)}</span>
                <span className="block text-caption text-faint">
                  {memory.tags.join(", ") || memory.source}
                </span>
              </>
            }
          />
        ))}
      </LinkList>
      {hasNextPage && (
        <Button className="self-center" disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          {t`More`}
        </Button>
      )}
    </>
  );
}

const MOST_HITS = 20;

function FoundMemories({ query, asOf, knownAt }: { query: string; asOf: string; knownAt: string }) {
  const { slug } = useWorkspace();
  const isAtTime = asOf !== "" || knownAt !== "";
  const times = {
    ...(asOf !== "" && { as_of: endOf(asOf) }),
    ...(knownAt !== "" && { known_at: endOf(knownAt) }),
  };
  const { data, error } = useTool<MemoryHits>(
    isAtTime ? "recall_at_time" : "recall",
    { query, k: MOST_HITS, ...(isAtTime && times) },
    { keep: true },
  );
  if (error) return <ErrorNote error={error} />;
  if (data === undefined) return <Waiting rows={4} />;
  if (data.hits.length === 0)
    return <p className="py-10 text-center text-soft">{t`Nothing that is kept fits “${query}”.`}</p>;
  return (
    <LinkList label={t`Memories`}>
      {data.hits.map(({ memory_id: id, title, content, source, valid_from: from, valid_to: to }) => (
        <RowLink
          key={id}
          slug={slug}
          page="memory"
          id={id}
          icon={<Brain />}
          title={title}
          about={<span className="line-clamp-2 whitespace-normal">{content}</span>}
          end={
            from === undefined ? (
              source
            ) : (
              <Badge tone={to == null ? "good" : "plain"}>
                {day(from)} – {to == null ? t`now` : day(to)}
              </Badge>
            )
          }
        />
      ))}
    </LinkList>
  );
}

function endOf(date: string): string {
  return new Date(`${date}T23:59:59`).toISOString();
}

interface Stored {
  memory_id: string;
  similar?: { memory_id: string; title: string; finding: string; why: string }[];
  advice?: string;
}

function Keep({ onClose }: { onClose: () => void }) {
  const { slug } = useWorkspace();
  const [title, setTitle] = useState("");
  const [content, setContent] = useState("");
  const [from, setFrom] = useState("");
  const [error, setError] = useState<unknown>(null);
  const save = async () => {
    try {
      const { similar = [] } = await callTool<Stored>(slug, "store_memory", {
        content: content.trim(),
        ...(title.trim() !== "" && { title: title.trim() }),
        ...(from !== "" && { valid_from: new Date(from).toISOString() }),
      });
      await queries.invalidateQueries({ queryKey: ["tool", slug] });
      told(similar[0] === undefined ? t`Kept.` : t`Kept. It is close to “${similar[0].title}”.`);
      onClose();
    } catch (problem) {
      setError(problem);
    }
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title={t`Keep something`}
      footer={
        <>
          <Button onClick={onClose}>{t`Cancel`}</Button>
          <Button look="primary" disabled={content.trim() === ""} onClick={() => void save()}>
            {t`Keep it`}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        {error !== null && <ErrorNote error={error} />}
        <TextArea
          label={t`What should be remembered`}
          rows={5}
          value={content}
          onChange={({ target }) => setContent(target.value)}
        />
        <TextField label={t`Title`} value={title} onChange={({ target }) => setTitle(target.value)} />
        <TextField
          label={t`Holds since`}
          type="date"
          value={from}
          onChange={({ target }) => setFrom(target.value)}
        />
      </div>
    </Dialog>
  );
}
