import { Menu } from "@base-ui/react/menu";
import { cx } from "./classes.ts";
import type { MenuProps } from "./menu.tsx";

export function MenuPopup({
  trigger,
  entries,
  side = "bottom",
  isWanted,
}: MenuProps & { isWanted: boolean }) {
  return (
    <Menu.Root defaultOpen={isWanted}>
      <Menu.Trigger render={trigger} />
      <Menu.Portal>
        <Menu.Positioner sideOffset={6} side={side} align="start" className="z-50 outline-none">
          <Menu.Popup className="overlay max-h-[70vh] min-w-52 overflow-auto rounded-card border border-line bg-raised p-1 shadow-overlay outline-none">
            {entries.map(({ label, icon, onSelect, danger, apart, checked }, at) => (
              <div key={at}>
                {apart && <Menu.Separator className="my-1 h-px bg-line" />}
                <Menu.Item
                  onClick={onSelect}
                  className={cx(
                    "flex min-h-8 items-center gap-2.5 rounded-field px-2 text-table outline-none data-highlighted:bg-hover pointer-coarse:min-h-10",
                    danger && "text-bad",
                  )}
                >
                  <span
                    aria-hidden="true"
                    className={cx("grid size-4 place-items-center", !danger && "text-soft")}
                  >
                    {icon}
                  </span>
                  <span className="min-w-0 flex-1 truncate">{label}</span>
                  {checked && <span className="text-accent">✓</span>}
                </Menu.Item>
              </div>
            ))}
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}
