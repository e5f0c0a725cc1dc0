CREATE TABLE "memory_mentions" (
	"workspace_id" bigint NOT NULL,
	"memory_id" bigint NOT NULL,
	"name" text NOT NULL,
	CONSTRAINT "memory_mentions_memory_id_name_pk" PRIMARY KEY("memory_id","name")
);
--> statement-breakpoint
CREATE TABLE "memory_shapes" (
	"workspace_id" bigint PRIMARY KEY NOT NULL,
	"turtle" text NOT NULL,
	"updated_by" bigint,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "memory_usage" (
	"memory_id" bigint PRIMARY KEY NOT NULL,
	"recalls" integer DEFAULT 0 NOT NULL,
	"last_recalled_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "memory_vectors" (
	"version_id" bigint NOT NULL,
	"fingerprint" text NOT NULL,
	"vector" "bytea" NOT NULL,
	CONSTRAINT "memory_vectors_version_id_fingerprint_pk" PRIMARY KEY("version_id","fingerprint")
);
--> statement-breakpoint
DROP INDEX "memories_workspace";--> statement-breakpoint
ALTER TABLE "memories" ADD COLUMN "retracted_by" bigint;--> statement-breakpoint
ALTER TABLE "memories" ADD COLUMN "retraction_reason" text;--> statement-breakpoint
ALTER TABLE "memory_versions" ADD COLUMN "ends" jsonb DEFAULT '[]'::jsonb NOT NULL;--> statement-breakpoint
ALTER TABLE "memory_mentions" ADD CONSTRAINT "memory_mentions_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "memory_mentions" ADD CONSTRAINT "memory_mentions_memory_id_memories_id_fk" FOREIGN KEY ("memory_id") REFERENCES "public"."memories"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "memory_shapes" ADD CONSTRAINT "memory_shapes_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "memory_shapes" ADD CONSTRAINT "memory_shapes_updated_by_accounts_id_fk" FOREIGN KEY ("updated_by") REFERENCES "public"."accounts"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "memory_usage" ADD CONSTRAINT "memory_usage_memory_id_memories_id_fk" FOREIGN KEY ("memory_id") REFERENCES "public"."memories"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "memory_vectors" ADD CONSTRAINT "memory_vectors_version_id_memory_versions_id_fk" FOREIGN KEY ("version_id") REFERENCES "public"."memory_versions"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "memory_mentions_name" ON "memory_mentions" USING btree ("workspace_id","name");--> statement-breakpoint
ALTER TABLE "memories" ADD CONSTRAINT "memories_retracted_by_accounts_id_fk" FOREIGN KEY ("retracted_by") REFERENCES "public"."accounts"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "memories_newest" ON "memories" USING btree ("workspace_id","id");--> statement-breakpoint
CREATE INDEX "memory_versions_title" ON "memory_versions" USING btree ("workspace_id",lower("title")) WHERE "memory_versions"."superseded_at" IS NULL AND "memory_versions"."title" IS NOT NULL;
--> statement-breakpoint
UPDATE "memory_versions" SET "ends" = jsonb_build_array(jsonb_build_object(
  'recordedAt', to_char("superseded_at" AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
  'validTo', to_char("valid_to" AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
  'way', 'superseded', 'reason', NULL, 'userId', NULL
)) WHERE "superseded_at" IS NOT NULL;
