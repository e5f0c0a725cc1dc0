import { Tabs as Base } from "@base-ui/react/tabs";
import type { ReactNode } from "react";

export interface Tab {
  id: string;
  label: ReactNode;
  content: ReactNode;
}

/** Only the panel that is looked at is made. */
export function Tabs({
  tabs,
  value,
  onChange,
  label,
}: {
  tabs: Tab[];
  value: string;
  onChange: (id: string) => void;
  label: string;
}) {
  const current = tabs.some(({ id }) => id === value) ? value : (tabs[0]?.id ?? "");
  return (
    <Base.Root
      value={current}
      onValueChange={(next) => onChange(String(next))}
      className="flex min-w-0 flex-col gap-3"
    >
      <Base.List aria-label={label} className="flex gap-1 overflow-x-auto border-line border-b">
        {tabs.map(({ id, label: name }) => (
          <Base.Tab
            key={id}
            value={id}
            className="-mb-px h-8 border-transparent border-b-2 px-2.5 font-medium text-soft text-table whitespace-nowrap hover:text-ink data-active:border-accent data-active:text-ink pointer-coarse:h-10"
          >
            {name}
          </Base.Tab>
        ))}
      </Base.List>
      {tabs.map(({ id, content }) => (
        <Base.Panel key={id} value={id} className="min-w-0 outline-none">
          {content}
        </Base.Panel>
      ))}
    </Base.Root>
  );
}
