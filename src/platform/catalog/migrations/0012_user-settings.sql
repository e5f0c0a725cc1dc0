CREATE TABLE "user_settings" (
	"workspace_id" bigint NOT NULL,
	"account_id" bigint NOT NULL,
	"settings" jsonb NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "user_settings_workspace_id_account_id_pk" PRIMARY KEY("workspace_id","account_id")
);
--> statement-breakpoint
ALTER TABLE "user_settings" ADD CONSTRAINT "user_settings_member" FOREIGN KEY ("workspace_id","account_id") REFERENCES "public"."members"("workspace_id","account_id") ON DELETE cascade ON UPDATE no action;