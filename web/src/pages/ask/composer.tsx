import { ArrowUp, Square } from "lucide-react";
import { useEffect, useRef } from "react";
import { cx } from "../../components/classes.ts";
import { t } from "../../words/words.ts";

interface ComposerProps {
  text: string;
  onChange: (text: string) => void;
  onAsk: (text: string) => void;
  /** Given while an answer is under way. */
  onStop?: (() => void) | undefined;
  placeholder: string;
  autoFocus?: boolean;
  below?: React.ReactNode;
  large?: boolean;
}

/** One line that grows; Enter asks, Shift+Enter goes to the next line. */
export function Composer({
  text,
  onChange,
  onAsk,
  onStop,
  placeholder,
  autoFocus = false,
  below,
  large = false,
}: ComposerProps) {
  const box = useRef<HTMLTextAreaElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the height follows the text
  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    element.style.height = "auto";
    element.style.height = `${Math.min(element.scrollHeight, 200)}px`;
  }, [text]);
  useEffect(() => {
    if (autoFocus && matchMedia("(pointer: fine)").matches) box.current?.focus({ preventScroll: true });
  }, [autoFocus]);
  const send = () => {
    if (text.trim() !== "" && onStop === undefined) onAsk(text.trim());
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
      className="rounded-xl border border-edge bg-card transition-shadow duration-120 focus-within:border-accent focus-within:ring-1 focus-within:ring-accent"
    >
      <div className="flex items-end gap-2 p-2 pl-3.5">
        <textarea
          ref={box}
          data-ask-box
          aria-label={t`Your question`}
          rows={1}
          value={text}
          maxLength={2_000}
          placeholder={placeholder}
          onChange={({ target }) => onChange(target.value)}
          onKeyDown={(event) => {
            if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
            event.preventDefault();
            send();
          }}
          className={cx(
            "min-h-9 flex-1 resize-none bg-transparent py-1.5 outline-none focus-visible:outline-none pointer-coarse:text-[16px]",
            large && "text-lead",
          )}
        />
        {onStop === undefined ? (
          <button
            type="submit"
            aria-label={t`Ask`}
            disabled={text.trim() === ""}
            className="grid size-9 shrink-0 place-items-center rounded-lg bg-accent text-on-accent transition-opacity duration-120 disabled:opacity-35"
          >
            <ArrowUp className="size-4" />
          </button>
        ) : (
          <button
            type="button"
            aria-label={t`Stop`}
            onClick={onStop}
            className="grid size-9 shrink-0 place-items-center rounded-lg border border-edge"
          >
            <Square className="size-3.5 fill-current" />
          </button>
        )}
      </div>
      {below !== undefined && (
        <div className="flex flex-wrap items-center gap-2 border-line border-t px-3 py-1.5">{below}</div>
      )}
    </form>
  );
}
