CREATE TABLE "improvement_requests" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "improvement_requests_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"workspace_id" bigint NOT NULL,
	"model_id" bigint NOT NULL,
	"title" text NOT NULL,
	"description" text NOT NULL,
	"state" text NOT NULL,
	"resolution" text,
	"requested_by" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"closed_by" bigint,
	"closed_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "model_settings" (
	"workspace_id" bigint PRIMARY KEY NOT NULL,
	"items_per_page" integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE "semantic_model_versions" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "semantic_model_versions_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"model_id" bigint NOT NULL,
	"version" integer NOT NULL,
	"document" jsonb NOT NULL,
	"warnings" jsonb NOT NULL,
	"published_by" bigint,
	"published_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "semantic_model_versions_number" UNIQUE("model_id","version")
);
--> statement-breakpoint
CREATE TABLE "semantic_models" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "semantic_models_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"uuid" uuid DEFAULT gen_random_uuid() NOT NULL,
	"workspace_id" bigint NOT NULL,
	"name" text NOT NULL,
	"draft" jsonb,
	"drafted_by" bigint,
	"drafted_at" timestamp (3) with time zone,
	"published_version" integer,
	"created_by" bigint,
	"created_at" timestamp (3) with time zone NOT NULL,
	"deleted_at" timestamp (3) with time zone,
	CONSTRAINT "semantic_models_uuid_unique" UNIQUE("uuid")
);
--> statement-breakpoint
CREATE TABLE "stored_queries" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"workspace_id" bigint NOT NULL,
	"model_id" bigint NOT NULL,
	"owner_id" bigint,
	"name" text,
	"sql" text NOT NULL,
	"params" jsonb NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"ran_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "improvement_requests" ADD CONSTRAINT "improvement_requests_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "improvement_requests" ADD CONSTRAINT "improvement_requests_model_id_semantic_models_id_fk" FOREIGN KEY ("model_id") REFERENCES "public"."semantic_models"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "improvement_requests" ADD CONSTRAINT "improvement_requests_closed_by_accounts_id_fk" FOREIGN KEY ("closed_by") REFERENCES "public"."accounts"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "model_settings" ADD CONSTRAINT "model_settings_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "semantic_model_versions" ADD CONSTRAINT "semantic_model_versions_model_id_semantic_models_id_fk" FOREIGN KEY ("model_id") REFERENCES "public"."semantic_models"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "semantic_model_versions" ADD CONSTRAINT "semantic_model_versions_published_by_accounts_id_fk" FOREIGN KEY ("published_by") REFERENCES "public"."accounts"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "semantic_models" ADD CONSTRAINT "semantic_models_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "semantic_models" ADD CONSTRAINT "semantic_models_drafted_by_accounts_id_fk" FOREIGN KEY ("drafted_by") REFERENCES "public"."accounts"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "semantic_models" ADD CONSTRAINT "semantic_models_created_by_accounts_id_fk" FOREIGN KEY ("created_by") REFERENCES "public"."accounts"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "stored_queries" ADD CONSTRAINT "stored_queries_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "stored_queries" ADD CONSTRAINT "stored_queries_model_id_semantic_models_id_fk" FOREIGN KEY ("model_id") REFERENCES "public"."semantic_models"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "stored_queries" ADD CONSTRAINT "stored_queries_owner_id_accounts_id_fk" FOREIGN KEY ("owner_id") REFERENCES "public"."accounts"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "improvement_requests_workspace" ON "improvement_requests" USING btree ("workspace_id","created_at");--> statement-breakpoint
CREATE UNIQUE INDEX "semantic_models_name" ON "semantic_models" USING btree ("workspace_id",lower("name")) WHERE "semantic_models"."deleted_at" IS NULL;--> statement-breakpoint
CREATE INDEX "stored_queries_owner" ON "stored_queries" USING btree ("workspace_id","owner_id","ran_at");