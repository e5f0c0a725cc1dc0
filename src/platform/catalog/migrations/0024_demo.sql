CREATE TABLE "demos" (
	"workspace_id" bigint PRIMARY KEY NOT NULL,
	"owner_id" bigint NOT NULL,
	"anchor_day" integer NOT NULL,
	"through_day" integer NOT NULL,
	"step" integer DEFAULT 0 NOT NULL,
	"error" text
);
--> statement-breakpoint
ALTER TABLE "demos" ADD CONSTRAINT "demos_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "demos" ADD CONSTRAINT "demos_owner_id_accounts_id_fk" FOREIGN KEY ("owner_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;