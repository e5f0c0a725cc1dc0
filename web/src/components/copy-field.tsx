import { Check, Copy } from "lucide-react";
import { useState } from "react";
import { t } from "../words/words.ts";
import { IconButton } from "./button.tsx";
import { toldError } from "./toasts.tsx";

/** A text that is there to be taken elsewhere. */
export function CopyField({ label, text }: { label: string; text: string }) {
  const [isCopied, setCopied] = useState(false);
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <span className="font-medium text-table">{label}</span>
      <div className="flex items-start gap-1 rounded-field border border-line bg-sunken py-1 pr-1 pl-2.5">
        <pre className="min-w-0 flex-1 overflow-x-auto whitespace-pre-wrap py-1 font-mono text-caption [overflow-wrap:anywhere]">
          {text}
        </pre>
        <IconButton
          label={t`Copy`}
          onClick={() => void navigator.clipboard.writeText(text).then(() => setCopied(true), toldError)}
        >
          {isCopied ? <Check className="size-4" /> : <Copy className="size-4" />}
        </IconButton>
      </div>
    </div>
  );
}
