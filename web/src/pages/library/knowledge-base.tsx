import { useNavigate } from "@tanstack/react-router";
import {
  Ellipsis,
  FileText,
  FileUp,
  Folder,
  FolderInput,
  Pencil,
  RefreshCw,
  Share2,
  Trash2,
} from "lucide-react";
import { useEffect, useState } from "react";
import { callTool } from "../../api/client.ts";
import { queries, refresh, useTool, useWorkspace } from "../../api/hooks.ts";
import { useParamsInAddress } from "../../api/search-params.ts";
import { BackLink } from "../../components/back-link.tsx";
import { Badge } from "../../components/badge.tsx";
import { Button, IconButton } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { SearchField, SelectField, TextField } from "../../components/fields.tsx";
import { Menu } from "../../components/menu.tsx";
import { Page as PageFrame } from "../../components/page.tsx";
import { Empty, ErrorNote, Waiting } from "../../components/states.tsx";
import { told, toldError } from "../../components/toasts.tsx";
import { When } from "../../components/when.tsx";
import { bytes } from "../../words/figures.ts";
import { t } from "../../words/words.ts";
import { AddDocuments } from "./add-documents.tsx";
import { PassageList } from "./library.page.tsx";
import type { Browsed, LibraryNode } from "./types.ts";

const LISTED = 500;
/** While something is read, its state is asked for again. */
const WATCH_MS = 2_000;

export function KnowledgeBasePage({ id }: { id: number }) {
  const { role } = useWorkspace();
  const [{ q = "", folder = "0" }, setParams] = useParamsInAddress();
  const [adding, setAdding] = useState<readonly File[]>([]);
  const [isSharing, share] = useState(false);
  const [isReading, setReading] = useState(false);
  const { data, error, refetch } = useTool<Browsed>(
    "browse_knowledge_base",
    { knowledge_base_id: id, folder_id: Number(folder), limit: LISTED },
    { keep: true, ...(isReading && { refetchMs: WATCH_MS }) },
  );
  const isUnderWay = data?.items.some(({ index_status: status }) => isPending(status)) ?? false;
  useEffect(() => setReading(isUnderWay), [isUnderWay]);
  const folders = useTool<Browsed>("browse_knowledge_base", { knowledge_base_id: id, recursive: true });
  const path = pathTo(Number(folder), folders.data?.items ?? []);
  const may = role !== "viewer";
  const add = () => {
    const input = document.createElement("input");
    input.type = "file";
    input.multiple = true;
    input.addEventListener("change", () => setAdding([...(input.files ?? [])]));
    input.click();
  };
  return (
    <PageFrame
      title={data?.knowledge_base_name ?? t`Knowledge base`}
      above={<BackLink page="library">{t`Library`}</BackLink>}
      actions={
        may && (
          <>
            <Button icon={<Share2 className="size-4" />} onClick={() => share(true)}>
              {t`Share`}
            </Button>
            <Button look="primary" icon={<FileUp className="size-4" />} onClick={add}>
              {t`Add documents`}
            </Button>
          </>
        )
      }
    >
      <div className="flex flex-wrap items-center justify-between gap-3">
        <nav aria-label={t`Folders`} className="flex flex-wrap items-center gap-1 text-table">
          <Crumb
            name={t`All`}
            isLast={path.length === 0}
            onGo={() => setParams({ folder: undefined }, true)}
          />
          {path.map(({ raw_id: each, name }, at) => (
            <Crumb
              key={each}
              name={name}
              isLast={at === path.length - 1}
              onGo={() => setParams({ folder: `${each}` }, true)}
            />
          ))}
        </nav>
        <SearchField
          label={t`Search here`}
          value={q}
          onSearch={(next) => setParams({ q: next })}
          className="w-full sm:w-72"
        />
      </div>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: files may be dropped here; a button does the same */}
      <div
        onDrop={(event) => {
          if (!may || event.dataTransfer.files.length === 0) return;
          event.preventDefault();
          setAdding([...event.dataTransfer.files]);
        }}
      >
        {q !== "" ? (
          <PassageList query={q} base={id} />
        ) : error !== null ? (
          <ErrorNote error={error} retry={() => void refetch()} />
        ) : data === undefined ? (
          <Waiting />
        ) : data.items.length === 0 ? (
          <Empty
            icon={<FileUp className="size-5" />}
            title={t`Nothing is here yet`}
            action={
              may && (
                <Button look="primary" onClick={add}>
                  {t`Add documents`}
                </Button>
              )
            }
          >
            {t`Drop files here, or choose them. PDFs, office files, mails, web pages and pictures are read.`}
          </Empty>
        ) : (
          <ul
            aria-label={t`Documents`}
            className="divide-y divide-line rounded-card border border-line bg-card"
          >
            {data.items.map((node) => (
              <Node
                key={node.node_id}
                node={node}
                base={id}
                may={may}
                path={path}
                onOpenFolder={() => setParams({ folder: `${node.raw_id}` }, true)}
              />
            ))}
          </ul>
        )}
      </div>
      {adding.length > 0 && (
        <AddDocuments
          files={adding}
          base={id}
          folder={path.map(({ name }) => name).join("/")}
          onClose={() => {
            setAdding([]);
            void queries.invalidateQueries({ queryKey: ["tool"] });
          }}
        />
      )}
      {isSharing && <Share id={id} onClose={() => share(false)} />}
    </PageFrame>
  );
}

function pathTo(folder: number, nodes: LibraryNode[]): LibraryNode[] {
  const found = nodes.find((each) => each.node_type === "folder" && each.raw_id === folder);
  return found === undefined ? [] : [...pathTo(found.parent_id, nodes), found];
}

function Crumb({ name, isLast, onGo }: { name: string; isLast: boolean; onGo: () => void }) {
  return (
    <>
      <button
        type="button"
        onClick={onGo}
        aria-current={isLast ? "true" : undefined}
        className="rounded px-1.5 py-0.5 text-soft hover:bg-hover aria-[current]:font-medium aria-[current]:text-ink"
      >
        {name}
      </button>
      {!isLast && (
        <span aria-hidden="true" className="text-faint">
          /
        </span>
      )}
    </>
  );
}

function isPending(status: string | null): boolean {
  return status !== null && !/^(success|indexed|ready|failed|error|inactive)$/i.test(status);
}

interface NodeProps {
  node: LibraryNode;
  base: number;
  may: boolean;
  path: LibraryNode[];
  onOpenFolder: () => void;
}

function Node({ node, base, may, path, onOpenFolder }: NodeProps) {
  const { slug } = useWorkspace();
  const navigate = useNavigate();
  const [asked, ask] = useState<"name" | "folder" | null>(null);
  const isFolder = node.node_type === "folder";
  const Icon = isFolder ? Folder : FileText;
  const open = () =>
    isFolder
      ? onOpenFolder()
      : void navigate({
          to: "/w/$slug/$page/$id",
          params: { slug, page: "library", id: `doc-${node.raw_id}` },
        });
  return (
    <li className="flex items-center gap-1 pr-2 hover:bg-hover">
      <button
        type="button"
        onClick={open}
        className="flex min-h-12 min-w-0 flex-1 items-center gap-3 px-4 py-2 text-left focus-visible:-outline-offset-2"
      >
        <Icon aria-hidden="true" className="size-4 shrink-0 text-soft" />
        <span className="min-w-0 flex-1 truncate font-medium">{node.name}</span>
        <Status status={node.index_status} />
        <span className="hidden w-20 shrink-0 text-right text-soft text-table sm:block">
          {node.file_size === null ? "" : bytes(node.file_size)}
        </span>
        <span className="hidden w-32 shrink-0 text-right text-soft text-table md:block">
          <When at={node.updated_at} />
        </span>
      </button>
      {may && (
        <Menu
          trigger={
            <IconButton label={t`More about ${node.name}`}>
              <Ellipsis className="size-4" />
            </IconButton>
          }
          entries={[
            { label: t`Rename`, icon: <Pencil className="size-4" />, onSelect: () => ask("name") },
            { label: t`Move`, icon: <FolderInput className="size-4" />, onSelect: () => ask("folder") },
            ...(isFolder
              ? []
              : [
                  {
                    label: t`Read again`,
                    icon: <RefreshCw className="size-4" />,
                    onSelect: () => void change(slug, node, base, { reread: true }, t`It is read again.`),
                  },
                ]),
            {
              label: t`Delete`,
              icon: <Trash2 className="size-4" />,
              onSelect: () => void remove(slug, node, base),
              danger: true,
              apart: true,
            },
          ]}
        />
      )}
      {asked !== null && (
        <ChangeDialog
          title={asked === "name" ? t`Rename “${node.name}”` : t`Move “${node.name}”`}
          label={asked === "name" ? t`Name` : t`Folder, such as reports/2026; empty for the top`}
          value={asked === "name" ? node.name : path.map(({ name }) => name).join("/")}
          onClose={() => ask(null)}
          onSave={(text) =>
            change(
              slug,
              node,
              base,
              asked === "name" ? { name: text } : isFolder ? { parent: text } : { folder: text },
              t`Changed.`,
            )
          }
        />
      )}
    </li>
  );
}

function Status({ status }: { status: string | null }) {
  if (status === null || /^(success|indexed|ready)$/i.test(status)) return null;
  if (/fail|error/i.test(status)) return <Badge tone="bad">{t`Could not be read`}</Badge>;
  return isPending(status) ? <Badge tone="warn">{t`Is being read`}</Badge> : <Badge>{t`Not searched`}</Badge>;
}

const STALE = ["browse_knowledge_base", "list_knowledge_bases", "read_document"];

async function change(
  slug: string,
  node: LibraryNode,
  base: number,
  args: object,
  done: string,
): Promise<void> {
  const isFolder = node.node_type === "folder";
  const target = isFolder
    ? { knowledge_base_id: base, folder_id: node.raw_id }
    : { document_id: node.raw_id };
  try {
    await callTool(slug, isFolder ? "change_folder" : "change_document", { ...target, ...args });
    await refresh(queries, slug, STALE);
    told(done);
  } catch (error) {
    toldError(error);
  }
}

async function remove(slug: string, node: LibraryNode, base: number): Promise<void> {
  const isFolder = node.node_type === "folder";
  try {
    if (isFolder)
      await callTool(slug, "change_folder", {
        knowledge_base_id: base,
        folder_id: node.raw_id,
        delete: true,
        confirm: true,
      });
    else await callTool(slug, "delete_document", { document_id: node.raw_id, confirm: true });
    await refresh(queries, slug, STALE);
    told(
      t`“${node.name}” is deleted.`,
      () => void change(slug, node, base, { restore: true }, t`It is back.`),
    );
  } catch (error) {
    toldError(error);
  }
}

function ChangeDialog({
  title,
  label,
  value,
  onSave,
  onClose,
}: {
  title: string;
  label: string;
  value: string;
  onSave: (text: string) => Promise<void>;
  onClose: () => void;
}) {
  const [text, setText] = useState(value);
  return (
    <Dialog
      open
      onClose={onClose}
      title={title}
      footer={
        <>
          <Button onClick={onClose}>{t`Cancel`}</Button>
          <Button look="primary" onClick={() => void onSave(text.trim()).then(onClose)}>
            {t`Save`}
          </Button>
        </>
      }
    >
      <TextField label={label} value={text} onChange={({ target }) => setText(target.value)} />
    </Dialog>
  );
}

interface Shared {
  name: string;
  shared_with: { email: string | null; group: string | null; access: string }[];
}

function Share({ id, onClose }: { id: number; onClose: () => void }) {
  const { slug } = useWorkspace();
  const { data, refetch, error: unread } = useTool<Shared>("share_knowledge_base", { knowledge_base_id: id });
  const [whom, setWhom] = useState("");
  const [access, setAccess] = useState("reader");
  const [error, setError] = useState<unknown>(null);
  const set = async (who: { email?: string; group?: string }, next: string) => {
    try {
      await callTool(slug, "share_knowledge_base", { knowledge_base_id: id, ...who, access: next });
      setWhom("");
      setError(null);
      await refetch();
    } catch (problem) {
      setError(problem);
    }
  };
  const target = whom.includes("@") ? { email: whom.trim() } : { group: whom.trim() };
  return (
    <Dialog
      open
      onClose={onClose}
      title={t`Share`}
      about={t`With a person by mail address, or with a group by its name.`}
    >
      <div className="flex flex-col gap-4">
        {(error ?? unread) !== null && <ErrorNote error={error ?? unread} />}
        <form
          className="flex items-end gap-2"
          onSubmit={(event) => {
            event.preventDefault();
            void set(target, access);
          }}
        >
          <div className="flex-1">
            <TextField
              label={t`Person or group`}
              value={whom}
              onChange={({ target: { value } }) => setWhom(value)}
            />
          </div>
          <SelectField label={t`May`} value={access} onChange={({ target: { value } }) => setAccess(value)}>
            <option value="reader">{t`read`}</option>
            <option value="editor">{t`change`}</option>
          </SelectField>
          <Button type="submit" look="primary" disabled={whom.trim() === ""}>
            {t`Share`}
          </Button>
        </form>
        <ul className="divide-y divide-line rounded-card border border-line empty:hidden">
          {data?.shared_with.map(({ email, group, access: given }) => (
            <li key={`${email} ${group}`} className="flex items-center justify-between gap-3 px-3 py-1.5">
              <span>{email ?? group}</span>
              <span className="flex items-center gap-2 text-soft text-table">
                {given === "editor" ? t`may change` : t`may read`}
                <Button
                  small
                  look="quiet"
                  onClick={() => void set(email === null ? { group: group ?? "" } : { email }, "none")}
                >
                  {t`Take back`}
                </Button>
              </span>
            </li>
          ))}
        </ul>
      </div>
    </Dialog>
  );
}
