export interface Problem {
  severity: "error" | "warning";
  message: string;
  hint?: string;
  path: string;
  line?: number;
}

export interface ReadModel {
  name: string;
  asset_id: number;
  source?: string;
  diff?: string;
  has_draft: boolean;
  draft?: { saved_by: string | null; saved_at: string };
  versions: { version: number; published_at: string; published: boolean }[];
}

export interface SavedModels {
  models: {
    name: string;
    state: "draft" | "published";
    version: number | null;
    draft?: { saved_by: string | null; saved_at: string };
    note?: string;
    problems: Problem[];
  }[];
}

export interface Guess {
  about: string;
  guess: string;
  sure: "sure" | "likely" | "guess";
  why: string;
}

export interface Inferred {
  name: string;
  note?: string;
  guesses: Guess[];
  problems: Problem[];
}
