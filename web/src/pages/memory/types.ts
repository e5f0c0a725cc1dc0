export interface MemoryList {
  total: number;
  memories: {
    memory_id: string;
    title: string;
    excerpt: string;
    memory_type: string;
    tags: string[];
    source: string | null;
    valid_from: string;
    valid_to: string | null;
    created_at: string;
    pinned: boolean;
    recalls: number;
  }[];
  next_cursor: number | null;
}

export interface MemoryDetails {
  memory_id: string;
  title: string;
  content: string;
  memory_type: string;
  tags: string[];
  source: string | null;
  created_at: string;
  created_by: string | null;
  pinned: boolean;
  retracted_at: string | null;
  retraction_reason: string | null;
  recalls: number;
  versions: {
    memory_id: string;
    title: string;
    content: string;
    valid_from: string;
    valid_to: string | null;
    recorded_at: string;
    recorded_by: string | null;
    superseded_at: string | null;
    update_reason: string | null;
  }[];
}

export interface Relations {
  outgoing: { rel_type: string; to: string; inverse?: boolean }[];
  incoming: { rel_type: string; from: string; inverse?: boolean }[];
}
