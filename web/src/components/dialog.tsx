import { Dialog as Base } from "@base-ui/react/dialog";
import { X } from "lucide-react";
import type { ReactNode } from "react";
import { t } from "../words/words.ts";
import { IconButton } from "./button.tsx";
import { cx } from "./classes.ts";

const BACKDROP =
  "fixed inset-0 z-40 bg-shade transition-opacity duration-140 data-ending-style:opacity-0 data-starting-style:opacity-0";

interface DialogProps {
  open: boolean;
  onClose: () => void;
  title: string;
  about?: ReactNode;
  /** A sheet comes from the side and leaves the page in sight. */
  side?: boolean;
  wide?: boolean;
  footer?: ReactNode;
  children: ReactNode;
}

export function Dialog({
  open,
  onClose,
  title,
  about,
  side = false,
  wide = false,
  footer,
  children,
}: DialogProps) {
  const shape = side
    ? "right-0 inset-y-0 h-full w-full max-w-[560px] border-l data-starting-style:translate-x-6 data-ending-style:translate-x-6 data-starting-style:opacity-0 data-ending-style:opacity-0 transition duration-160"
    : cx(
        "left-1/2 top-[10vh] max-h-[80vh] w-[calc(100vw-2rem)] -translate-x-1/2 rounded-card border transition duration-140 data-starting-style:opacity-0 data-ending-style:opacity-0",
        wide ? "max-w-[820px]" : "max-w-[480px]",
      );
  return (
    <Base.Root open={open} onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Base.Portal>
        <Base.Backdrop className={BACKDROP} />
        <Base.Popup
          className={cx("fixed z-50 flex flex-col border-line bg-raised shadow-overlay outline-none", shape)}
        >
          <div className="flex items-start justify-between gap-4 border-line border-b px-5 py-3.5">
            <div className="min-w-0">
              <Base.Title className="font-semibold text-lead">{title}</Base.Title>
              {about !== undefined && <Base.Description className="text-soft">{about}</Base.Description>}
            </div>
            <Base.Close
              render={
                <IconButton label={t`Close`}>
                  <X className="size-4" />
                </IconButton>
              }
            />
          </div>
          <div className="min-h-0 flex-1 overflow-auto px-5 py-4">{children}</div>
          {footer !== undefined && (
            <div className="flex flex-wrap justify-end gap-2 border-line border-t px-5 py-3">{footer}</div>
          )}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}
