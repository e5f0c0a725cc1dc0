import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Download, MessageSquareText } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { callTool } from "../../api/client.ts";
import { useWorkspace } from "../../api/hooks.ts";
import { useParamsInAddress } from "../../api/search-params.ts";
import type { DocumentsAnswer } from "../../api/tools.ts";
import { BackLink } from "../../components/back-link.tsx";
import { Button } from "../../components/button.tsx";
import { Markdown } from "../../components/markdown.tsx";
import { Card, Page as PageFrame } from "../../components/page.tsx";
import { ErrorNote, Waiting } from "../../components/states.tsx";
import { toldError } from "../../components/toasts.tsx";
import { number } from "../../words/figures.ts";
import { t } from "../../words/words.ts";
import { Composer } from "../ask/composer.tsx";
import { showQuote } from "./quote.ts";
import type { DocumentText } from "./types.ts";

const PART_CHARACTERS = 20_000;
/** So many parts are read by themselves to find a quoted passage. */
const SEARCHED_PARTS = 20;

/** The text of a document, opened at the passage that an answer quotes. */
export function DocumentPage({ id }: { id: number }) {
  const { slug } = useWorkspace();
  const [{ quote }] = useParamsInAddress();
  const text = useRef<HTMLDivElement>(null);
  const [isFound, setFound] = useState<boolean>();
  const { data, error, fetchNextPage, hasNextPage, isFetchingNextPage } = useInfiniteQuery({
    queryKey: ["tool", slug, "read_document", id],
    queryFn: ({ pageParam, signal }) =>
      callTool<DocumentText>(
        slug,
        "read_document",
        { document_id: id, offset: pageParam, limit: PART_CHARACTERS },
        { signal },
      ),
    initialPageParam: 0,
    getNextPageParam: (last, all) => (last.has_more ? all.length * PART_CHARACTERS : undefined),
  });
  const parts = data?.pages.length ?? 0;
  useEffect(() => {
    if (quote === undefined || text.current === null || parts === 0 || isFound) return;
    if (showQuote(text.current, quote)) setFound(true);
    else if (hasNextPage && parts < SEARCHED_PARTS) void fetchNextPage();
    else setFound(false);
  }, [quote, parts, isFound, hasNextPage, fetchNextPage]);
  const [first] = data?.pages ?? [];
  if (error)
    return (
      <PageFrame title={t`Document`} above={<BackLink page="library">{t`Library`}</BackLink>}>
        <ErrorNote error={error} />
      </PageFrame>
    );
  if (first === undefined) return <Waiting className="mx-auto max-w-[860px] px-8 py-10" rows={12} />;
  const whole = (data?.pages ?? []).map(({ content }) => content).join("");
  return (
    <PageFrame
      title={first.name}
      about={t`${number(first.total_length)} characters`}
      above={
        <Link
          to="/w/$slug/$page/$id"
          params={{ slug, page: "library", id: `${first.knowledge_base_id}` }}
          className="mb-1 inline-flex items-center gap-1 text-soft text-table hover:text-ink"
        >
          ← {t`Its knowledge base`}
        </Link>
      }
      actions={
        <Button icon={<Download className="size-4" />} onClick={() => void download(slug, id)}>
          {t`The original`}
        </Button>
      }
    >
      {isFound === false && (
        <p className="text-soft">{t`The quoted passage is not in this version of the document.`}</p>
      )}
      <div className="grid gap-6 lg:grid-cols-[minmax(0,1fr)_320px]">
        <Card className="px-6 py-6 md:px-10">
          <div ref={text} className="mx-auto max-w-[72ch]">
            <Markdown text={whole} />
          </div>
          {hasNextPage && (
            <div className="pt-6 text-center">
              <Button disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
                {t`Read on`}
              </Button>
            </div>
          )}
        </Card>
        <AskHere id={id} onQuote={(passage) => text.current !== null && showQuote(text.current, passage)} />
      </div>
    </PageFrame>
  );
}

/** A question to this document alone. */
function AskHere({ id, onQuote }: { id: number; onQuote: (quote: string) => void }) {
  const { slug } = useWorkspace();
  const [text, setText] = useState("");
  const [asked, setAsked] = useState<{ question: string; answer?: DocumentsAnswer; error?: unknown }>();
  const ask = (question: string) => {
    setAsked({ question });
    setText("");
    callTool<DocumentsAnswer>(slug, "ask_documents", { question, document_ids: [id] }).then(
      (answer) => setAsked({ question, answer }),
      (error: unknown) => setAsked({ question, error }),
    );
  };
  return (
    <aside className="flex flex-col gap-3 lg:sticky lg:top-4 lg:self-start" aria-label={t`Ask this document`}>
      <h2 className="flex items-center gap-2 font-semibold">
        <MessageSquareText aria-hidden="true" className="size-4 text-accent" /> {t`Ask this document`}
      </h2>
      <Composer text={text} onChange={setText} onAsk={ask} placeholder={t`What does it say about …`} />
      {asked !== undefined && (
        <div className="flex flex-col gap-2" aria-live="polite">
          <p className="font-medium">{asked.question}</p>
          {asked.error !== undefined && <ErrorNote error={asked.error} />}
          {asked.error === undefined && asked.answer === undefined && <Waiting rows={3} />}
          {asked.answer !== undefined && (
            <>
              <Markdown text={asked.answer.answer} />
              {asked.answer.citations.map(({ quote, section }) => (
                <button
                  key={quote}
                  type="button"
                  onClick={() => onQuote(quote)}
                  className="rounded-card border border-line bg-card px-3 py-2 text-left text-soft text-table hover:bg-hover"
                >
                  <span className="line-clamp-3">“{quote}”</span>
                  <span className="text-caption text-faint">{section}</span>
                </button>
              ))}
            </>
          )}
        </div>
      )}
    </aside>
  );
}

interface OriginalFile {
  resource_url: string;
  headers: Record<string, string>;
  file_name: string;
}

async function download(slug: string, id: number): Promise<void> {
  try {
    const file = await callTool<OriginalFile>(slug, "download_document", { document_id: id });
    const { pathname, search } = new URL(file.resource_url, location.href);
    const response = await fetch(pathname + search, { headers: file.headers });
    if (!response.ok) throw new Error(t`The file could not be fetched (${response.status}).`);
    const link = document.createElement("a");
    link.href = URL.createObjectURL(await response.blob());
    link.download = file.file_name;
    link.click();
  } catch (error) {
    toldError(error);
  }
}
