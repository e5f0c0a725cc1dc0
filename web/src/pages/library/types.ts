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
