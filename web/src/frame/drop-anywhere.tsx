import { FileUp } from "lucide-react";
import { lazy, Suspense, useEffect, useState } from "react";
import { useWorkspace } from "../api/hooks.ts";
import { t } from "../words/words.ts";

const BringIn = lazy(() =>
  import("../pages/data/bring-in.tsx").then(({ BringIn }) => ({ default: BringIn })),
);

const CHOSEN = "kenning:files";

/** Opens the sheet that brings files in, wherever one is. */
function bringIn(files: readonly File[]): void {
  if (files.length > 0) dispatchEvent(new CustomEvent(CHOSEN, { detail: files }));
}

export function chooseFiles(): void {
  const input = document.createElement("input");
  input.type = "file";
  input.multiple = true;
  input.addEventListener("change", () => bringIn([...(input.files ?? [])]));
  input.click();
}

/** A file may be dropped on any page. */
export function DropAnywhere() {
  const [isOver, setOver] = useState(false);
  const [files, setFiles] = useState<readonly File[]>([]);
  const { role } = useWorkspace();
  const may = role !== "viewer";
  useEffect(() => {
    if (!may) return;
    let depth = 0;
    const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes("Files") ?? false;
    const within = (change: number) => {
      depth = Math.max(0, depth + change);
      setOver(depth > 0);
    };
    const on = {
      dragenter: (event: DragEvent) => hasFiles(event) && within(1),
      dragleave: (event: DragEvent) => hasFiles(event) && within(-1),
      dragover: (event: DragEvent) => hasFiles(event) && event.preventDefault(),
      drop: (event: DragEvent) => {
        if (!hasFiles(event)) return;
        within(-depth);
        // A page may take them for itself.
        if (event.defaultPrevented) return;
        event.preventDefault();
        setFiles([...(event.dataTransfer?.files ?? [])]);
      },
      [CHOSEN]: (event: Event) => setFiles((event as CustomEvent<File[]>).detail),
    };
    const all = Object.entries(on) as [string, (event: Event) => void][];
    for (const [name, listener] of all) addEventListener(name, listener);
    return () => {
      for (const [name, listener] of all) removeEventListener(name, listener);
    };
  }, [may]);
  return (
    <>
      {isOver && (
        <div className="pointer-events-none fixed inset-3 z-50 grid place-items-center rounded-card border-2 border-accent border-dashed bg-tint/90">
          <p className="flex items-center gap-3 font-semibold text-lead text-accent">
            <FileUp aria-hidden="true" className="size-6" />{" "}
            {t`Drop it: you see what is in it before anything is kept.`}
          </p>
        </div>
      )}
      {files.length > 0 && (
        <Suspense>
          <BringIn files={files} onClose={() => setFiles([])} />
        </Suspense>
      )}
    </>
  );
}
