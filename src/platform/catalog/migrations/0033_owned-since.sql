ALTER TABLE "alerts" ADD COLUMN "owned_since" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "alerts" ADD COLUMN "webhooks_by" bigint;--> statement-breakpoint
ALTER TABLE "reports" ADD COLUMN "owned_since" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "reports" ADD COLUMN "webhooks_by" bigint;--> statement-breakpoint
ALTER TABLE "alerts" ADD CONSTRAINT "alerts_webhooks_by_accounts_id_fk" FOREIGN KEY ("webhooks_by") REFERENCES "public"."accounts"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "reports" ADD CONSTRAINT "reports_webhooks_by_accounts_id_fk" FOREIGN KEY ("webhooks_by") REFERENCES "public"."accounts"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
UPDATE "alerts" SET "webhooks_by" = "owner_id";--> statement-breakpoint
UPDATE "reports" SET "webhooks_by" = "owner_id";
