CREATE TABLE "knowledge_bases" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "knowledge_bases_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"workspace_id" bigint NOT NULL,
	"name" text NOT NULL,
	"description" text,
	"level" text NOT NULL,
	"group_id" bigint,
	"owner_id" bigint,
	"created_by" bigint,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	"deleted_at" timestamp (3) with time zone,
	CONSTRAINT "knowledge_bases_group" CHECK (("knowledge_bases"."level" = 'group') = ("knowledge_bases"."group_id" IS NOT NULL))
);
--> statement-breakpoint
CREATE TABLE "knowledge_chunks" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "knowledge_chunks_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"document_id" bigint NOT NULL,
	"position" integer NOT NULL,
	"content" text NOT NULL,
	"title_path" text[] NOT NULL,
	"page" integer,
	"start" integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE "knowledge_documents" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "knowledge_documents_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"base_id" bigint NOT NULL,
	"folder_id" bigint DEFAULT 0 NOT NULL,
	"name" text NOT NULL,
	"extension" text NOT NULL,
	"mime_type" text NOT NULL,
	"bytes" bigint NOT NULL,
	"sha256" text NOT NULL,
	"blob_key" text NOT NULL,
	"source_type" text NOT NULL,
	"source_url" text,
	"version" integer DEFAULT 1 NOT NULL,
	"revision" integer DEFAULT 1 NOT NULL,
	"index_status" text NOT NULL,
	"index_error" text,
	"notes" text[] DEFAULT '{}' NOT NULL,
	"is_active" boolean DEFAULT true NOT NULL,
	"text_length" integer DEFAULT 0 NOT NULL,
	"pages" integer,
	"job_id" text,
	"created_by" bigint,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	"deleted_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "knowledge_folders" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "knowledge_folders_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"base_id" bigint NOT NULL,
	"parent_id" bigint DEFAULT 0 NOT NULL,
	"name" text NOT NULL,
	"created_by" bigint,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	"deleted_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "knowledge_grants" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "knowledge_grants_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"base_id" bigint NOT NULL,
	"account_id" bigint,
	"group_id" bigint,
	"may_edit" boolean NOT NULL,
	CONSTRAINT "knowledge_grants_one" CHECK (("knowledge_grants"."account_id" IS NULL) <> ("knowledge_grants"."group_id" IS NULL))
);
--> statement-breakpoint
CREATE TABLE "knowledge_texts" (
	"document_id" bigint PRIMARY KEY NOT NULL,
	"content" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "knowledge_versions" (
	"document_id" bigint NOT NULL,
	"version" integer NOT NULL,
	"mime_type" text NOT NULL,
	"bytes" bigint NOT NULL,
	"sha256" text NOT NULL,
	"blob_key" text NOT NULL,
	"replaced_by" bigint,
	"replaced_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "knowledge_versions_document_id_version_pk" PRIMARY KEY("document_id","version")
);
--> statement-breakpoint
ALTER TABLE "knowledge_bases" ADD CONSTRAINT "knowledge_bases_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "knowledge_bases" ADD CONSTRAINT "knowledge_bases_group_id_groups_id_fk" FOREIGN KEY ("group_id") REFERENCES "public"."groups"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "knowledge_bases" ADD CONSTRAINT "knowledge_bases_owner_id_accounts_id_fk" FOREIGN KEY ("owner_id") REFERENCES "public"."accounts"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "knowledge_bases" ADD CONSTRAINT "knowledge_bases_created_by_accounts_id_fk" FOREIGN KEY ("created_by") REFERENCES "public"."accounts"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "knowledge_chunks" ADD CONSTRAINT "knowledge_chunks_document_id_knowledge_documents_id_fk" FOREIGN KEY ("document_id") REFERENCES "public"."knowledge_documents"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "knowledge_documents" ADD CONSTRAINT "knowledge_documents_base_id_knowledge_bases_id_fk" FOREIGN KEY ("base_id") REFERENCES "public"."knowledge_bases"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "knowledge_documents" ADD CONSTRAINT "knowledge_documents_created_by_accounts_id_fk" FOREIGN KEY ("created_by") REFERENCES "public"."accounts"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "knowledge_folders" ADD CONSTRAINT "knowledge_folders_base_id_knowledge_bases_id_fk" FOREIGN KEY ("base_id") REFERENCES "public"."knowledge_bases"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "knowledge_folders" ADD CONSTRAINT "knowledge_folders_created_by_accounts_id_fk" FOREIGN KEY ("created_by") REFERENCES "public"."accounts"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "knowledge_grants" ADD CONSTRAINT "knowledge_grants_base_id_knowledge_bases_id_fk" FOREIGN KEY ("base_id") REFERENCES "public"."knowledge_bases"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "knowledge_grants" ADD CONSTRAINT "knowledge_grants_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "knowledge_grants" ADD CONSTRAINT "knowledge_grants_group_id_groups_id_fk" FOREIGN KEY ("group_id") REFERENCES "public"."groups"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "knowledge_texts" ADD CONSTRAINT "knowledge_texts_document_id_knowledge_documents_id_fk" FOREIGN KEY ("document_id") REFERENCES "public"."knowledge_documents"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "knowledge_versions" ADD CONSTRAINT "knowledge_versions_document_id_knowledge_documents_id_fk" FOREIGN KEY ("document_id") REFERENCES "public"."knowledge_documents"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "knowledge_versions" ADD CONSTRAINT "knowledge_versions_replaced_by_accounts_id_fk" FOREIGN KEY ("replaced_by") REFERENCES "public"."accounts"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "knowledge_bases_name" ON "knowledge_bases" USING btree ("workspace_id",(case "level" when 'personal' then "owner_id" when 'group' then -"group_id" else 0 end),lower("name")) WHERE "knowledge_bases"."deleted_at" IS NULL;--> statement-breakpoint
CREATE UNIQUE INDEX "knowledge_chunks_document" ON "knowledge_chunks" USING btree ("document_id","position");--> statement-breakpoint
CREATE UNIQUE INDEX "knowledge_documents_name" ON "knowledge_documents" USING btree ("base_id","folder_id",lower("name")) WHERE "knowledge_documents"."deleted_at" IS NULL;--> statement-breakpoint
CREATE INDEX "knowledge_documents_content" ON "knowledge_documents" USING btree ("base_id","sha256");--> statement-breakpoint
CREATE INDEX "knowledge_documents_blob" ON "knowledge_documents" USING btree ("blob_key");--> statement-breakpoint
CREATE INDEX "knowledge_documents_unfinished" ON "knowledge_documents" USING btree ("id") WHERE "knowledge_documents"."index_status" IN ('queued', 'pending_conversion', 'converting', 'indexing');--> statement-breakpoint
CREATE UNIQUE INDEX "knowledge_folders_name" ON "knowledge_folders" USING btree ("base_id","parent_id",lower("name")) WHERE "knowledge_folders"."deleted_at" IS NULL;--> statement-breakpoint
CREATE UNIQUE INDEX "knowledge_grants_account" ON "knowledge_grants" USING btree ("base_id","account_id");--> statement-breakpoint
CREATE UNIQUE INDEX "knowledge_grants_group" ON "knowledge_grants" USING btree ("base_id","group_id");--> statement-breakpoint
CREATE INDEX "knowledge_versions_blob" ON "knowledge_versions" USING btree ("blob_key");