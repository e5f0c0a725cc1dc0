import { useEffect } from "react";

const FOLLOWS_MS = 1_200;

/** Letters mean something only where nobody is writing. */
function isWriting(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable ||
      /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName) ||
      target.closest("[role=dialog],[role=menu]") !== null)
  );
}

/** `handle` is told "g h" for one key after the other, "mod+k" with Control or Command. It says whether it took the keys. */
export function useKeys(handle: (keys: string) => boolean): void {
  useEffect(() => {
    let first = "";
    let timer: ReturnType<typeof setTimeout> | undefined;
    const onKey = (event: KeyboardEvent) => {
      const isMod = event.metaKey || event.ctrlKey;
      if (event.altKey || event.defaultPrevented) return;
      if (isMod) {
        if (handle(`mod+${event.key.toLowerCase()}`)) event.preventDefault();
        return;
      }
      if (isWriting(event.composedPath()[0] ?? event.target)) return;
      const keys = first === "" ? event.key : `${first} ${event.key}`;
      clearTimeout(timer);
      first = event.key === "g" && first === "" ? "g" : "";
      if (first !== "") timer = setTimeout(() => (first = ""), FOLLOWS_MS);
      if (handle(keys)) event.preventDefault();
    };
    addEventListener("keydown", onKey);
    return () => {
      clearTimeout(timer);
      removeEventListener("keydown", onKey);
    };
  }, [handle]);
}
