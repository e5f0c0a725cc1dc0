import { useNavigate, useParams } from "@tanstack/react-router";
import { BookOpen, FileText, FileUp, Plus } from "lucide-react";
import { useState } from "react";
import { callTool } from "../../api/client.ts";
import { queries, refresh, useTool, useWorkspace } from "../../api/hooks.ts";
import { useParamsInAddress } from "../../api/search-params.ts";
import { Button } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { SearchField, TextField } from "../../components/fields.tsx";
import { LinkList, RowLink } from "../../components/list.tsx";
import { Page as PageFrame } from "../../components/page.tsx";
import { Empty, ErrorNote, Waiting } from "../../components/states.tsx";
import { When } from "../../components/when.tsx";
import { chooseFiles } from "../../frame/drop-anywhere.tsx";
import { number } from "../../words/figures.ts";
import { t } from "../../words/words.ts";
import { DocumentPage } from "./document.tsx";
import { KnowledgeBasePage } from "./knowledge-base.tsx";
import type { KnowledgeBaseList, Passages } from "./types.ts";

/** `/library`, a base by its id, or a document as `doc-<id>`. */
export function Page() {
  const { id } = useParams({ strict: false }) as { id?: string };
  if (id === undefined) return <LibraryPage />;
  const document = /^doc-(\d+)$/.exec(id)?.[1];
  return document === undefined ? (
    <KnowledgeBasePage id={Number(id)} />
  ) : (
    <DocumentPage id={Number(document)} />
  );
}

function LibraryPage() {
  const { role } = useWorkspace();
  const [{ q = "" }, setParams] = useParamsInAddress();
  const [isMaking, make] = useState(false);
  const may = role !== "viewer";
  return (
    <PageFrame
      title={t`Library`}
      about={t`Documents that are searched and quoted; each answer leads to its passage.`}
      actions={
        may && (
          <>
            <Button icon={<Plus className="size-4" />} onClick={() => make(true)}>
              {t`New knowledge base`}
            </Button>
            <Button look="primary" icon={<FileUp className="size-4" />} onClick={chooseFiles}>
              {t`Add documents`}
            </Button>
          </>
        )
      }
    >
      <SearchField
        label={t`Search in all documents`}
        value={q}
        onSearch={(next) => setParams({ q: next })}
        className="w-full max-w-[560px]"
      />
      {q === "" ? <Bases onMake={() => make(true)} /> : <PassageList query={q} />}
      {isMaking && <NewBase onClose={() => make(false)} />}
    </PageFrame>
  );
}

function Bases({ onMake }: { onMake: () => void }) {
  const { slug, role } = useWorkspace();
  const { data, error, refetch } = useTool<KnowledgeBaseList>("list_knowledge_bases", { limit: 100 });
  if (error) return <ErrorNote error={error} retry={() => void refetch()} />;
  if (data === undefined) return <Waiting />;
  if (data.total === 0)
    return (
      <Empty
        icon={<BookOpen className="size-5" />}
        title={t`No documents yet`}
        action={
          role !== "viewer" && (
            <>
              <Button onClick={onMake}>{t`New knowledge base`}</Button>
              <Button look="primary" icon={<FileUp className="size-4" />} onClick={chooseFiles}>
                {t`Add documents`}
              </Button>
            </>
          )
        }
      >
        {t`Drop PDFs, Word files, slides, mails or pictures anywhere. They are read and can be searched within seconds, and questions are answered with the passage beside the answer.`}
      </Empty>
    );
  return (
    <LinkList label={t`Knowledge bases`}>
      {data.items.map((base) => (
        <RowLink
          key={base.knowledge_base_id}
          slug={slug}
          page="library"
          id={base.knowledge_base_id}
          icon={<BookOpen />}
          title={base.knowledge_base_name}
          about={base.description ?? levelName(base.namespace_level)}
          end={
            <>
              <span className="block">
                {base.document_count === 1 ? t`1 document` : t`${number(base.document_count)} documents`}
              </span>
              <span className="block text-caption text-faint">
                <When at={base.updated_at} />
              </span>
            </>
          }
        />
      ))}
    </LinkList>
  );
}

function levelName(level: string): string {
  if (level === "personal") return t`Yours alone`;
  return level === "group" ? t`Of a group` : t`For everybody in the workspace`;
}

const MOST_PASSAGES = 12;

/** What fits a question best, by words and by meaning; each leads to its place. */
export function PassageList({ query, base }: { query: string; base?: number }) {
  const { slug } = useWorkspace();
  const args = {
    query,
    max_results: MOST_PASSAGES,
    explain: true,
    ...(base !== undefined && { knowledge_base_ids: [base] }),
  };
  const { data, error } = useTool<Passages>("search_documents", args, { keep: true });
  if (error) return <ErrorNote error={error} />;
  if (data === undefined) return <Waiting rows={4} />;
  if (data.records.length === 0)
    return <p className="py-10 text-center text-soft">{t`No passage fits “${query}”.`}</p>;
  return (
    <LinkList label={t`Passages`}>
      {data.records.map(({ document_id: id, title, content, section, page, knowledge_base_name: name }) => (
        <RowLink
          key={`${id} ${content.slice(0, 60)}`}
          slug={slug}
          page="library"
          id={`doc-${id}`}
          search={{ quote: quoteOf(content) }}
          icon={<FileText />}
          title={title}
          about={
            <span className="block whitespace-normal">
              <span className="line-clamp-2">{plainText(content)}</span>
              <span className="text-caption text-faint">
                {[name, section, typeof page === "number" ? t`page ${page}` : ""].filter(Boolean).join(" · ")}
              </span>
            </span>
          }
        />
      ))}
    </LinkList>
  );
}

function plainText(content: string): string {
  return content
    .replace(/^#+ .*$/gm, "")
    .replace(/[*_`|>#]/g, "")
    .replace(/\s+/g, " ")
    .trim();
}

const QUOTED = 240;

function quoteOf(content: string): string {
  return plainText(content).slice(0, QUOTED);
}

function NewBase({ onClose }: { onClose: () => void }) {
  const { slug } = useWorkspace();
  const navigate = useNavigate();
  const [name, setName] = useState("");
  const [description, setDescription] = useState("");
  const [isPersonal, setPersonal] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const save = async () => {
    try {
      const { knowledge_base_id: id } = await callTool<{ knowledge_base_id: number }>(
        slug,
        "create_knowledge_base",
        {
          name: name.trim(),
          ...(description.trim() !== "" && { description: description.trim() }),
          ...(isPersonal && { personal: true }),
        },
      );
      await refresh(queries, slug, ["list_knowledge_bases"]);
      onClose();
      void navigate({ to: "/w/$slug/$page/$id", params: { slug, page: "library", id: `${id}` } });
    } catch (problem) {
      setError(problem);
    }
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title={t`New knowledge base`}
      footer={
        <>
          <Button onClick={onClose}>{t`Cancel`}</Button>
          <Button look="primary" disabled={name.trim() === ""} onClick={() => void save()}>
            {t`Make it`}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        {error !== null && <ErrorNote error={error} />}
        <TextField label={t`Name`} value={name} onChange={({ target }) => setName(target.value)} />
        <TextField
          label={t`What is in it`}
          value={description}
          onChange={({ target }) => setDescription(target.value)}
        />
        <label className="flex items-center gap-2">
          <input
            type="checkbox"
            className="size-4 accent-accent"
            checked={isPersonal}
            onChange={({ target }) => setPersonal(target.checked)}
          />
          {t`For me alone`}
        </label>
      </div>
    </Dialog>
  );
}
