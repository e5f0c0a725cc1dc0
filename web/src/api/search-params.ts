import { useNavigate, useSearch } from "@tanstack/react-router";
import { useCallback } from "react";

type Params = Record<string, string | undefined>;

/** What a page keeps in its address; what is empty is left out of it. */
export function useParamsInAddress(): [Params, (change: Params, isStep?: boolean) => void] {
  const search = useSearch({ strict: false }) as Params;
  const navigate = useNavigate();
  const set = useCallback(
    (change: Params, isStep = false) => {
      const next = (before: Params) =>
        Object.fromEntries(
          Object.entries({ ...before, ...change }).filter(([, value]) => value !== undefined && value !== ""),
        );
      void navigate({ to: ".", search: next as never, replace: !isStep });
    },
    [navigate],
  );
  return [search, set];
}
