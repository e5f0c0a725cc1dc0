export interface KnowledgeBaseList {
  total: number;
  items: {
    knowledge_base_id: number;
    knowledge_base_name: string;
    description: string | null;
    namespace_level: string;
    namespace_display_name: string;
    document_count: number;
    updated_at: string;
  }[];
}

export interface LibraryNode {
  node_id: string;
  raw_id: number;
  name: string;
  node_type: "folder" | "document";
  parent_id: number;
  index_status: string | null;
  file_extension: string | null;
  file_size: number | null;
  updated_at: string;
}

export interface Browsed {
  knowledge_base_id: number;
  knowledge_base_name: string;
  total_available: number;
  items: LibraryNode[];
}

export interface Passages {
  records: {
    content: string;
    title: string;
    score: number;
    knowledge_base_name: string;
    document_id: number;
    page?: number | null;
    section?: string;
  }[];
}

export interface DocumentText {
  document_id: number;
  knowledge_base_id: number;
  name: string;
  content: string;
  total_length: number;
  has_more: boolean;
  index_status: string;
}
