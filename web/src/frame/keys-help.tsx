import { Dialog } from "../components/dialog.tsx";
import { t } from "../words/words.ts";
import { pages } from "./pages.tsx";

export function KeysHelp({ onClose }: { onClose: () => void }) {
  const all: [string, string][] = [
    ["⌘ K", t`Search everything, run something`],
    ["/", t`Ask a question`],
    ["f", t`Search in this list`],
    ["j k", t`Down and up in a list`],
    ["Enter", t`Open`],
    ["?", t`These keys`],
    ...pages().map(({ key, name }): [string, string] => [`g ${key}`, t`Go to ${name}`]),
  ];
  return (
    <Dialog open onClose={onClose} title={t`Keys`}>
      <dl className="grid grid-cols-[auto_1fr] items-center gap-x-6 gap-y-2">
        {all.map(([keys, what]) => (
          <div key={keys} className="contents">
            <dt className="flex gap-1">
              {keys.split(" ").map((key) => (
                <kbd
                  key={key}
                  className="min-w-6 rounded border border-edge bg-sunken px-1.5 text-center font-sans text-caption"
                >
                  {key}
                </kbd>
              ))}
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
