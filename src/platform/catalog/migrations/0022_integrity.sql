CREATE TABLE "dataset_pushes" (
	"workspace_id" bigint NOT NULL,
	"user_id" bigint NOT NULL,
	"key" text NOT NULL,
	"fingerprint" text NOT NULL,
	"dataset_id" bigint NOT NULL,
	"version" integer NOT NULL,
	"pushed_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "dataset_pushes_workspace_id_user_id_key_pk" PRIMARY KEY("workspace_id","user_id","key")
);
--> statement-breakpoint
ALTER TABLE "home_stamp" ADD COLUMN "seen_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "home_stamp" ADD COLUMN "untrusted_proxy" text;--> statement-breakpoint
ALTER TABLE "dataset_parts" ADD COLUMN "sha256" text;--> statement-breakpoint
ALTER TABLE "audit_events" ADD COLUMN "token_id" bigint;--> statement-breakpoint
ALTER TABLE "audit_events" ADD COLUMN "application_id" text;--> statement-breakpoint
ALTER TABLE "audit_events" ADD COLUMN "address" text;--> statement-breakpoint
ALTER TABLE "audit_events" ADD COLUMN "datasets" bigint[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE "dataset_pushes" ADD CONSTRAINT "dataset_pushes_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "dataset_pushes" ADD CONSTRAINT "dataset_pushes_user_id_accounts_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "dataset_pushes" ADD CONSTRAINT "dataset_pushes_dataset_id_datasets_id_fk" FOREIGN KEY ("dataset_id") REFERENCES "public"."datasets"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "dataset_pushes_pushed_at" ON "dataset_pushes" USING btree ("pushed_at");--> statement-breakpoint
CREATE INDEX "audit_events_workspace_at" ON "audit_events" USING btree ("workspace_id","at");--> statement-breakpoint
CREATE INDEX "audit_events_token" ON "audit_events" USING btree ("token_id","id") WHERE "audit_events"."token_id" > 0;--> statement-breakpoint
CREATE INDEX "audit_events_application" ON "audit_events" USING btree ("application_id","id") WHERE "audit_events"."application_id" IS NOT NULL;--> statement-breakpoint
CREATE INDEX "audit_events_datasets" ON "audit_events" USING gin ("datasets") WHERE "audit_events"."datasets" <> '{}';