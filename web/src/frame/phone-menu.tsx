import { Dialog } from "@base-ui/react/dialog";
import { t } from "../words/words.ts";
import { Entries, Mark } from "./sidebar.tsx";

/** On a phone all pages come from the side. */
export function PhoneMenu({ onClose }: { onClose: () => void }) {
  return (
    <Dialog.Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-40 bg-shade" />
        <Dialog.Popup className="fixed inset-y-0 left-0 z-50 flex w-72 max-w-[85vw] flex-col gap-0.5 border-line border-r bg-raised p-3 transition-transform duration-160 data-ending-style:-translate-x-full data-starting-style:-translate-x-full">
          <Dialog.Title className="mb-2 flex h-10 items-center gap-2.5 px-2.5 font-semibold">
            <Mark /> Kenning
          </Dialog.Title>
          <nav aria-label={t`All pages`} className="flex flex-col gap-0.5">
            <Entries onGo={onClose} />
          </nav>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
