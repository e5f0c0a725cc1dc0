import { Link } from "@tanstack/react-router";
import { ArrowLeft } from "lucide-react";
import type { ReactNode } from "react";
import { useWorkspace } from "../api/hooks.ts";

export function BackLink({ page, children }: { page: string; children: ReactNode }) {
  const { slug } = useWorkspace();
  return (
    <Link
      to="/w/$slug/$page"
      params={{ slug, page }}
      className="mb-1 inline-flex items-center gap-1 text-soft text-table hover:text-ink"
    >
      <ArrowLeft aria-hidden="true" className="size-3.5" /> {children}
    </Link>
  );
}
