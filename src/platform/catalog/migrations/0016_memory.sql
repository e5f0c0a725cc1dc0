CREATE TABLE "memory_versions" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "memory_versions_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"workspace_id" bigint NOT NULL,
	"memory_id" bigint NOT NULL,
	"key" text NOT NULL,
	"version" integer DEFAULT 1 NOT NULL,
	"title" text,
	"content" text NOT NULL,
	"valid_from" timestamp (3) with time zone NOT NULL,
	"valid_to" timestamp (3) with time zone,
	"stated_valid_to" timestamp (3) with time zone,
	"recorded_at" timestamp (3) with time zone NOT NULL,
	"superseded_at" timestamp (3) with time zone,
	"update_reason" text,
	"created_by" bigint,
	"revision" integer DEFAULT 1 NOT NULL,
	CONSTRAINT "memory_versions_period" CHECK ("memory_versions"."valid_to" IS NULL OR "memory_versions"."valid_to" >= "memory_versions"."valid_from")
);
--> statement-breakpoint
INSERT INTO "memory_versions" ("workspace_id", "memory_id", "key", "content", "valid_from", "recorded_at")
  SELECT "workspace_id", "id", 'memory_' || "id", "content", "created_at", "created_at" FROM "memories";
--> statement-breakpoint
ALTER TABLE "memory_chunks" DISABLE ROW LEVEL SECURITY;--> statement-breakpoint
DROP TABLE "memory_chunks" CASCADE;--> statement-breakpoint
ALTER TABLE "memories" ALTER COLUMN "created_at" SET DATA TYPE timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "memories" ALTER COLUMN "created_at" SET DEFAULT now();--> statement-breakpoint
ALTER TABLE "memory_relations" ALTER COLUMN "created_at" SET DATA TYPE timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "memory_relations" ALTER COLUMN "created_at" SET DEFAULT now();--> statement-breakpoint
ALTER TABLE "memories" ADD COLUMN "kind" text DEFAULT 'memory' NOT NULL;--> statement-breakpoint
ALTER TABLE "memories" ADD COLUMN "type" text DEFAULT 'semantic' NOT NULL;--> statement-breakpoint
ALTER TABLE "memories" ADD COLUMN "tags" text[] DEFAULT '{}'::text[] NOT NULL;--> statement-breakpoint
ALTER TABLE "memories" ADD COLUMN "source" text;--> statement-breakpoint
ALTER TABLE "memories" ADD COLUMN "is_pinned" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "memories" ADD COLUMN "retracted_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "memories" ADD COLUMN "created_by" bigint;--> statement-breakpoint
ALTER TABLE "memory_relations" ADD COLUMN "is_inverse" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "memory_relations" ADD COLUMN "from_version_id" bigint;--> statement-breakpoint
ALTER TABLE "memory_relations" ADD COLUMN "to_version_id" bigint;--> statement-breakpoint
ALTER TABLE "memory_relations" ADD COLUMN "created_by" bigint;--> statement-breakpoint
ALTER TABLE "memory_relations" ADD COLUMN "ended_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "memory_versions" ADD CONSTRAINT "memory_versions_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "memory_versions" ADD CONSTRAINT "memory_versions_memory_id_memories_id_fk" FOREIGN KEY ("memory_id") REFERENCES "public"."memories"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "memory_versions" ADD CONSTRAINT "memory_versions_created_by_accounts_id_fk" FOREIGN KEY ("created_by") REFERENCES "public"."accounts"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "memory_versions_key" ON "memory_versions" USING btree ("workspace_id","key");--> statement-breakpoint
CREATE UNIQUE INDEX "memory_versions_open" ON "memory_versions" USING btree ("memory_id") WHERE "memory_versions"."superseded_at" IS NULL;--> statement-breakpoint
CREATE UNIQUE INDEX "memory_versions_number" ON "memory_versions" USING btree ("memory_id","version");--> statement-breakpoint
CREATE INDEX "memory_versions_workspace" ON "memory_versions" USING btree ("workspace_id","id");--> statement-breakpoint
ALTER TABLE "memories" ADD CONSTRAINT "memories_created_by_accounts_id_fk" FOREIGN KEY ("created_by") REFERENCES "public"."accounts"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "memory_relations" ADD CONSTRAINT "memory_relations_from_version_id_memory_versions_id_fk" FOREIGN KEY ("from_version_id") REFERENCES "public"."memory_versions"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "memory_relations" ADD CONSTRAINT "memory_relations_to_version_id_memory_versions_id_fk" FOREIGN KEY ("to_version_id") REFERENCES "public"."memory_versions"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "memory_relations" ADD CONSTRAINT "memory_relations_created_by_accounts_id_fk" FOREIGN KEY ("created_by") REFERENCES "public"."accounts"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "memory_relations_to" ON "memory_relations" USING btree ("to_id");--> statement-breakpoint
CREATE UNIQUE INDEX "memory_relations_open" ON "memory_relations" USING btree ("from_id","to_id","type",coalesce("from_version_id", 0)) WHERE "memory_relations"."ended_at" IS NULL;--> statement-breakpoint
ALTER TABLE "memories" DROP COLUMN "content";