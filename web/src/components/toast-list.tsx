import { Toast } from "@base-ui/react/toast";
import { X } from "lucide-react";
import { useEffect } from "react";
import { t } from "../words/words.ts";
import type { Message } from "./toasts.tsx";

const manager = Toast.createToastManager();

/** Shows each message once, in the order that they come. */
export function ToastList({ messages, onShown }: { messages: readonly Message[]; onShown: () => void }) {
  useEffect(() => {
    if (messages.length === 0) return;
    for (const { undo, ...message } of messages) {
      const id: string = manager.add({
        ...message,
        ...(undo !== undefined && {
          actionProps: {
            children: t`Undo`,
            onClick: () => {
              manager.close(id);
              undo();
            },
          },
        }),
      });
    }
    onShown();
  }, [messages, onShown]);
  return (
    <Toast.Provider toastManager={manager} limit={3}>
      <Toast.Portal>
        <Toast.Viewport className="fixed right-4 bottom-20 z-[60] flex w-[min(380px,calc(100vw-2rem))] flex-col gap-2 md:bottom-4">
          <Shown />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  );
}

function Shown() {
  const { toasts } = Toast.useToastManager();
  return toasts.map((toast) => (
    <Toast.Root
      key={toast.id}
      toast={toast}
      className="overlay flex items-start gap-3 rounded-card border border-line bg-raised px-4 py-3 shadow-overlay"
    >
      <div className="min-w-0 flex-1">
        <Toast.Title
          className={`text-body [overflow-wrap:anywhere] ${toast.type === "error" ? "font-medium text-bad" : ""}`}
        />
        <Toast.Description className="text-caption text-soft [overflow-wrap:anywhere] empty:hidden" />
      </div>
      {toast.actionProps !== undefined && (
        <Toast.Action className="rounded-field px-2 font-semibold text-accent hover:bg-hover" />
      )}
      <Toast.Close aria-label={t`Close`} className="rounded p-1 text-soft hover:bg-hover">
        <X className="size-3.5" />
      </Toast.Close>
    </Toast.Root>
  ));
}
