CREATE TABLE "retrieval_changes" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "retrieval_changes_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"kind" text NOT NULL,
	"workspace_id" bigint NOT NULL,
	"ids" bigint[] NOT NULL,
	"transaction" "xid8" DEFAULT pg_current_xact_id() NOT NULL,
	"at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE INDEX "retrieval_changes_transaction" ON "retrieval_changes" USING btree ("kind","workspace_id","transaction");--> statement-breakpoint
CREATE INDEX "retrieval_changes_at" ON "retrieval_changes" USING btree ("at");--> statement-breakpoint
-- Search in each server holds an index of these tables. Whoever changes a row that it is made of, by whatever path, logs
-- the keys of the entries in the same transaction; a search reads the log before it answers.
CREATE FUNCTION "log_memory_change"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO "retrieval_changes" ("kind", "workspace_id", "ids")
    SELECT 'memory', "workspace_id", array_agg("id") FROM "changed" GROUP BY "workspace_id";
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE TRIGGER "memory_versions_logged_insert" AFTER INSERT ON "memory_versions"
  REFERENCING NEW TABLE AS "changed" FOR EACH STATEMENT EXECUTE FUNCTION "log_memory_change"();
--> statement-breakpoint
CREATE TRIGGER "memory_versions_logged_delete" AFTER DELETE ON "memory_versions"
  REFERENCING OLD TABLE AS "changed" FOR EACH STATEMENT EXECUTE FUNCTION "log_memory_change"();
--> statement-breakpoint
-- Whatever a search knows of a memory gives its versions another revision.
CREATE FUNCTION "log_memory_revision"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO "retrieval_changes" ("kind", "workspace_id", "ids")
    SELECT 'memory', "after"."workspace_id", array_agg("id") FROM "after" JOIN "before" USING ("id")
    WHERE "after"."revision" <> "before"."revision" GROUP BY 2;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE TRIGGER "memory_versions_logged_update" AFTER UPDATE ON "memory_versions"
  REFERENCING OLD TABLE AS "before" NEW TABLE AS "after" FOR EACH STATEMENT EXECUTE FUNCTION "log_memory_revision"();
--> statement-breakpoint
CREATE FUNCTION "log_memory_vector"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO "retrieval_changes" ("kind", "workspace_id", "ids")
    SELECT 'memory', "version"."workspace_id", array_agg("version"."id")
    FROM "changed" JOIN "memory_versions" AS "version" ON "version"."id" = "changed"."version_id" GROUP BY 2;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE TRIGGER "memory_vectors_logged" AFTER INSERT ON "memory_vectors"
  REFERENCING NEW TABLE AS "changed" FOR EACH STATEMENT EXECUTE FUNCTION "log_memory_vector"();
--> statement-breakpoint
-- New pieces need no trigger: they come with another revision of their document.
CREATE FUNCTION "log_chunk_delete"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO "retrieval_changes" ("kind", "workspace_id", "ids")
    SELECT 'document', "base"."workspace_id", array_agg("changed"."id") FROM "changed"
    JOIN "knowledge_documents" AS "document" ON "document"."id" = "changed"."document_id"
    JOIN "knowledge_bases" AS "base" ON "base"."id" = "document"."base_id" GROUP BY 2;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE TRIGGER "knowledge_chunks_logged_delete" AFTER DELETE ON "knowledge_chunks"
  REFERENCING OLD TABLE AS "changed" FOR EACH STATEMENT EXECUTE FUNCTION "log_chunk_delete"();
--> statement-breakpoint
CREATE FUNCTION "log_document_change"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO "retrieval_changes" ("kind", "workspace_id", "ids")
    SELECT 'document', "base"."workspace_id", array_agg("chunk"."id")
    FROM "after" JOIN "before" USING ("id")
    JOIN "knowledge_bases" AS "base" ON "base"."id" = "after"."base_id"
    JOIN "knowledge_chunks" AS "chunk" ON "chunk"."document_id" = "after"."id"
    WHERE ("after"."revision", "after"."is_active", "after"."deleted_at", "after"."base_id")
      IS DISTINCT FROM ("before"."revision", "before"."is_active", "before"."deleted_at", "before"."base_id")
    GROUP BY 2;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE TRIGGER "knowledge_documents_logged" AFTER UPDATE ON "knowledge_documents"
  REFERENCING OLD TABLE AS "before" NEW TABLE AS "after" FOR EACH STATEMENT EXECUTE FUNCTION "log_document_change"();
--> statement-breakpoint
CREATE FUNCTION "log_base_change"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO "retrieval_changes" ("kind", "workspace_id", "ids")
    SELECT 'document', "after"."workspace_id", array_agg("chunk"."id")
    FROM "after" JOIN "before" USING ("id")
    JOIN "knowledge_documents" AS "document" ON "document"."base_id" = "after"."id"
    JOIN "knowledge_chunks" AS "chunk" ON "chunk"."document_id" = "document"."id"
    WHERE "after"."deleted_at" IS DISTINCT FROM "before"."deleted_at" GROUP BY 2;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE TRIGGER "knowledge_bases_logged" AFTER UPDATE ON "knowledge_bases"
  REFERENCING OLD TABLE AS "before" NEW TABLE AS "after" FOR EACH STATEMENT EXECUTE FUNCTION "log_base_change"();
--> statement-breakpoint
CREATE FUNCTION "log_chunk_vector"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO "retrieval_changes" ("kind", "workspace_id", "ids")
    SELECT 'document', "base"."workspace_id", array_agg("changed"."chunk_id") FROM "changed"
    JOIN "knowledge_chunks" AS "chunk" ON "chunk"."id" = "changed"."chunk_id"
    JOIN "knowledge_documents" AS "document" ON "document"."id" = "chunk"."document_id"
    JOIN "knowledge_bases" AS "base" ON "base"."id" = "document"."base_id" GROUP BY 2;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE TRIGGER "knowledge_vectors_logged" AFTER INSERT ON "knowledge_vectors"
  REFERENCING NEW TABLE AS "changed" FOR EACH STATEMENT EXECUTE FUNCTION "log_chunk_vector"();
