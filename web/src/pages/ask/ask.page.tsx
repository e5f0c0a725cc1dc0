import { Link } from "@tanstack/react-router";
import { History, MessageSquarePlus, Trash2 } from "lucide-react";
import { useCallback, useEffect, useRef, useState } from "react";
import type { Progress } from "../../api/client.ts";
import { queries, refresh, useTool, useWorkspace } from "../../api/hooks.ts";
import { useParamsInAddress } from "../../api/search-params.ts";
import type { ModelList } from "../../api/tools.ts";
import { IconButton } from "../../components/button.tsx";
import { cx } from "../../components/classes.ts";
import { Menu } from "../../components/menu.tsx";
import { useTitle } from "../../components/page.tsx";
import { ErrorNote, Waiting } from "../../components/states.tsx";
import { told } from "../../components/toasts.tsx";
import { When } from "../../components/when.tsx";
import { t } from "../../words/words.ts";
import type { Answer } from "./answer.ts";
import { AnswerView } from "./answer-view.tsx";
import { answerAgain, ask } from "./ask.ts";
import { phaseName } from "./chips.ts";
import { Composer } from "./composer.tsx";
import { useSuggestions } from "./suggestions.ts";
import { type KeptTurn, keepTurn, removeThread, useThread, useThreads } from "./threads.ts";

/** What happens to a turn while it is looked at; what is kept of it stands in its thread. */
interface Live {
  phases: string[];
  answer?: Answer;
  error?: unknown;
  stop?: () => void;
}

export function Page() {
  const { slug, role } = useWorkspace();
  const [{ thread: threadId, q, scope = "" }, setParams] = useParamsInAddress();
  const threads = useThreads();
  const { turns, title, error, isLoading } = useThread(threadId, threads);
  const [text, setText] = useState("");
  const { live, run } = useTurns(slug, role !== "viewer");
  useTitle(title ?? t`Ask`);

  const send = useCallback(
    (question: string, isFollowUp = true) => {
      const id = threadId ?? crypto.randomUUID();
      const before = isFollowUp ? turns.findLast(({ answer }) => answer !== null)?.answer : undefined;
      const turn = {
        id: crypto.randomUUID(),
        question,
        askedAt: new Date().toISOString(),
        scope,
        answer: null,
      };
      setText("");
      setParams({ thread: id, q: undefined }, threadId === undefined);
      void run(id, turn, before ?? undefined);
    },
    [threadId, turns, scope, setParams, run],
  );

  // A question in the address is asked once, in a thread of its own.
  const wasAsked = useRef<string>(undefined);
  useEffect(() => {
    if (q === undefined || q === "" || wasAsked.current === q) return;
    wasAsked.current = q;
    send(q, false);
  }, [q, send]);

  const last = turns.at(-1);
  const stop = last === undefined ? undefined : live.get(last.id)?.stop;
  const composer = (
    <Composer
      text={text}
      onChange={setText}
      onAsk={send}
      onStop={stop}
      autoFocus
      large={turns.length === 0}
      placeholder={turns.length === 0 ? t`Ask about your data, documents and memory …` : t`Follow up …`}
      below={<ScopeChoice scope={scope} onChoose={(next) => setParams({ scope: next })} />}
    />
  );
  return (
    <div className="flex h-full min-h-0">
      <ThreadList
        threads={threads}
        current={threadId}
        onRemove={(id) => id === threadId && setParams({ thread: undefined })}
      />
      <div className="flex min-w-0 flex-1 flex-col">
        {error !== null ? (
          <div className="mx-auto w-full max-w-[820px] px-4 py-8">
            <ErrorNote error={error} />
          </div>
        ) : isLoading ? (
          <Waiting className="mx-auto w-full max-w-[820px] px-4 py-8" />
        ) : turns.length === 0 ? (
          <Start composer={composer} onAsk={(question) => send(question, false)} threads={threads} />
        ) : (
          <>
            <h1 className="sr-only">{title}</h1>
            <Turns>
              {turns.map((turn) => (
                <Turn
                  key={turn.id}
                  turn={turn}
                  live={live.get(turn.id)}
                  onShow={() => void run(threadId ?? "", turn, undefined, true)}
                  onAsk={send}
                  onEdit={setText}
                />
              ))}
            </Turns>
            <div className="shrink-0 border-line border-t bg-ground px-4 py-3 md:px-8">
              <div className="mx-auto max-w-[820px]">{composer}</div>
            </div>
          </>
        )}
      </div>
    </div>
  );
}

/** Runs questions; each turn knows its phases while it runs, and its answer afterwards. */
function useTurns(slug: string, mayAskModels: boolean) {
  const [live, setLive] = useState<ReadonlyMap<string, Live>>(new Map());
  const update = useCallback((id: string, change: (before: Live) => Live) => {
    setLive((all) => new Map(all).set(id, change(all.get(id) ?? { phases: [] })));
  }, []);
  const run = useCallback(
    async (threadId: string, turn: KeptTurn, before: KeptTurn["answer"] | undefined, isAgain = false) => {
      const abort = new AbortController();
      update(turn.id, () => ({ phases: [], stop: () => abort.abort() }));
      if (!isAgain) keepTurn(threadId, turn);
      const options = {
        signal: abort.signal,
        ...(!isAgain && { thread: threadId }),
        onProgress: ({ message = "" }: Progress) =>
          update(turn.id, (now) => ({
            ...now,
            phases: [...now.phases.filter((each) => each !== message), message],
          })),
      };
      try {
        const known = turn.answer?.source === "model" ? turn.answer.id : null;
        const question = {
          text: turn.question,
          before: before ?? undefined,
          scope: turn.scope,
          mayAskModels,
        };
        const answer = await (isAgain && known !== null
          ? answerAgain(slug, known, options)
          : ask(slug, question, options));
        update(turn.id, ({ phases }) => ({ phases, answer }));
        if (!isAgain)
          keepTurn(threadId, {
            ...turn,
            answer: { id: answer.id, source: answer.source, model: answer.model },
          });
        if (!isAgain) void refresh(queries, slug, ["list_threads"]);
      } catch (error) {
        if (abort.signal.aborted) update(turn.id, () => ({ phases: [], error: new Error(t`Stopped.`) }));
        else update(turn.id, ({ phases }) => ({ phases, error }));
      }
    },
    [slug, update, mayAskModels],
  );
  return { live, run };
}

function Turns({ children }: { children: React.ReactNode }) {
  const box = useRef<HTMLDivElement>(null);
  const count = Array.isArray(children) ? children.length : 0;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new question is brought into sight
  useEffect(() => {
    const all = box.current?.querySelectorAll<HTMLElement>("[data-turn]");
    all?.item(all.length - 1)?.scrollIntoView({ block: "start" });
  }, [count]);
  return (
    <div ref={box} className="min-h-0 flex-1 overflow-y-auto px-4 md:px-8">
      <div className="mx-auto flex max-w-[820px] flex-col gap-10 py-8">{children}</div>
    </div>
  );
}

interface TurnProps {
  turn: KeptTurn;
  live: Live | undefined;
  onShow: () => void;
  onAsk: (question: string, isFollowUp?: boolean) => void;
  onEdit: (question: string) => void;
}

function Turn({ turn, live, onShow, onAsk, onEdit }: TurnProps) {
  // A thread that is opened again shows its answers on the rows of now.
  const wasShown = useRef(false);
  useEffect(() => {
    if (live !== undefined || wasShown.current) return;
    wasShown.current = true;
    onShow();
  }, [live, onShow]);
  return (
    <article
      data-turn
      aria-busy={live?.answer === undefined && live?.error === undefined}
      className="flex min-w-0 flex-col gap-3.5 scroll-mt-4 [&:last-child:not(:first-child)]:min-h-[calc(100dvh-240px)]"
    >
      <header className="flex items-baseline justify-between gap-4">
        <h2 className="min-w-0 font-semibold text-lead [overflow-wrap:anywhere]">{turn.question}</h2>
        <span className="shrink-0 text-caption text-faint">
          <When at={turn.askedAt} />
        </span>
      </header>
      {live?.error !== undefined ? (
        <ErrorNote error={live.error} retry={onShow} />
      ) : live?.answer === undefined ? (
        <Phases phases={live?.phases ?? []} />
      ) : (
        <div aria-live="polite">
          <AnswerView question={turn.question} answer={live.answer} onAsk={onAsk} onEdit={onEdit} />
        </div>
      )}
    </article>
  );
}

/** What is being done, as it is done; it folds away with the answer. */
function Phases({ phases }: { phases: string[] }) {
  return (
    <ol role="status" className="flex flex-col gap-1.5 text-soft text-table">
      {(phases.length === 0 ? [t`Reading the question`] : phases.map(phaseName)).map((phase, at, all) => (
        <li key={phase} className="flex items-center gap-2">
          <span
            aria-hidden="true"
            className={cx(
              "size-1.5 rounded-full",
              at === all.length - 1 ? "animate-pulse bg-accent" : "bg-edge",
            )}
          />
          {phase}
        </li>
      ))}
    </ol>
  );
}

function Start({
  composer,
  onAsk,
  threads,
}: {
  composer: React.ReactNode;
  onAsk: (question: string) => void;
  threads: ReturnType<typeof useThreads>;
}) {
  const { slug } = useWorkspace();
  const suggestions = useSuggestions();
  return (
    <div className="min-h-0 flex-1 overflow-y-auto px-4 md:px-8">
      <div className="mx-auto flex max-w-[720px] flex-col gap-6 pt-[12vh] pb-10">
        <div className="text-center">
          <h1 className="font-semibold text-[24px] leading-8 tracking-[-0.015em]">{t`What would you like to know?`}</h1>
          <p className="mt-1 text-soft">{t`Ask in your own words. Every answer shows what it was read as, its query and its sources.`}</p>
        </div>
        {composer}
        {suggestions.length > 0 && (
          <ul aria-label={t`Questions to begin with`} className="grid gap-2 sm:grid-cols-2">
            {suggestions.map((question) => (
              <li key={question}>
                <button
                  type="button"
                  onClick={() => onAsk(question)}
                  className="h-full w-full rounded-card border border-line bg-card px-3.5 py-2.5 text-left text-table transition-colors duration-120 hover:border-edge hover:bg-hover"
                >
                  {question}
                </button>
              </li>
            ))}
          </ul>
        )}
        {threads.length > 0 && (
          <section className="flex flex-col gap-1 lg:hidden" aria-label={t`Earlier`}>
            <h2 className="px-1 font-medium text-soft text-table">{t`Earlier`}</h2>
            {threads.slice(0, 6).map(({ thread_id: id, title, used_at: changedAt }) => (
              <Link
                key={id}
                to="/w/$slug/$page"
                params={{ slug, page: "ask" }}
                search={{ thread: id } as never}
                className="flex justify-between gap-4 rounded-field px-2 py-2 hover:bg-hover"
              >
                <span className="truncate">{title}</span>
                <span className="text-caption text-faint">
                  <When at={changedAt} />
                </span>
              </Link>
            ))}
          </section>
        )}
      </div>
    </div>
  );
}

function ScopeChoice({ scope, onChoose }: { scope: string; onChoose: (scope: string | undefined) => void }) {
  const { data } = useTool<ModelList>("list_semantic_models");
  const names = [
    { value: "", label: t`Everything` },
    ...(data?.models ?? []).map(({ name }) => ({ value: name, label: t`Data: ${name}` })),
    { value: "documents", label: t`Documents` },
  ];
  const chosen = names.find(({ value }) => value === scope) ?? names[0];
  return (
    <Menu
      side="top"
      entries={names.map(({ value, label }) => ({
        label,
        checked: value === scope,
        onSelect: () => onChoose(value === "" ? undefined : value),
      }))}
      trigger={
        <button
          type="button"
          className="rounded px-1.5 py-0.5 text-caption text-soft hover:bg-hover hover:text-ink"
        >
          {t`Asks: ${chosen?.label ?? ""}`} ▾
        </button>
      }
    />
  );
}

function ThreadList({
  threads,
  current,
  onRemove,
}: {
  threads: ReturnType<typeof useThreads>;
  current: string | undefined;
  onRemove: (id: string) => void;
}) {
  const { slug, role } = useWorkspace();
  if (threads.length === 0) return null;
  return (
    <aside
      aria-label={t`Earlier questions`}
      className="hidden w-60 shrink-0 flex-col gap-1 overflow-y-auto border-line border-r px-2 py-3 lg:flex"
    >
      <div className="flex items-center justify-between px-2 pb-1">
        <span
          className="flex items-center gap-1.5 font-medium text-soft text-table"
          title={t`Also what your AI clients asked for you.`}
        >
          <History aria-hidden="true" className="size-3.5" /> {t`Earlier`}
        </span>
        <Link
          to="/w/$slug/$page"
          params={{ slug, page: "ask" }}
          search={{} as never}
          aria-label={t`New question`}
          title={t`New question`}
          className="rounded p-1 text-soft hover:bg-hover hover:text-ink"
        >
          <MessageSquarePlus className="size-4" />
        </Link>
      </div>
      {threads.map(({ thread_id: id, title }) => (
        <div
          key={id}
          className={cx(
            "group flex items-center rounded-field",
            id === current ? "bg-hover" : "hover:bg-hover",
          )}
        >
          <Link
            to="/w/$slug/$page"
            params={{ slug, page: "ask" }}
            search={{ thread: id } as never}
            aria-current={id === current ? "page" : undefined}
            className="min-w-0 flex-1 truncate px-2 py-1.5 text-table"
          >
            {title}
          </Link>
          {role !== "viewer" && (
            <IconButton
              label={t`Remove “${title}”`}
              className="size-7 opacity-0 focus-visible:opacity-100 group-hover:opacity-100"
              onClick={() => {
                const undo = removeThread(slug, id);
                onRemove(id);
                told(t`The thread is removed.`, undo);
              }}
            >
              <Trash2 className="size-3.5" />
            </IconButton>
          )}
        </div>
      ))}
    </aside>
  );
}
