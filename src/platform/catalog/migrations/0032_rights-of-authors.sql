CREATE TABLE "webhook_endpoints" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "webhook_endpoints_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"workspace_id" bigint NOT NULL,
	"url" text NOT NULL,
	"secret" text
);
--> statement-breakpoint
ALTER TABLE "alerts" ADD COLUMN "bound_by" jsonb DEFAULT '[]'::jsonb NOT NULL;--> statement-breakpoint
ALTER TABLE "reports" ADD COLUMN "bound_by" jsonb DEFAULT '[]'::jsonb NOT NULL;--> statement-breakpoint
ALTER TABLE "dashboards" ADD COLUMN "author_ids" jsonb DEFAULT '[]'::jsonb NOT NULL;--> statement-breakpoint
ALTER TABLE "widgets" ADD COLUMN "author_ids" jsonb DEFAULT '[]'::jsonb NOT NULL;--> statement-breakpoint
ALTER TABLE "datasources" ADD COLUMN "query_groups" jsonb;--> statement-breakpoint
CREATE UNIQUE INDEX "webhook_endpoints_url" ON "webhook_endpoints" USING btree ("workspace_id",md5("url"));--> statement-breakpoint
-- Whoever last changed it answers for it; 0 stands for somebody who is not known any more.
UPDATE "widgets" SET "author_ids" = jsonb_build_array(coalesce("changed_by", "created_by", 0));--> statement-breakpoint
UPDATE "dashboards" SET "author_ids" = jsonb_build_array(coalesce("changed_by", "created_by", 0)) WHERE "filters" <> '[]'::jsonb;--> statement-breakpoint
-- Receivers of webhooks that are there verify with the secret that they know.
INSERT INTO "webhook_endpoints" ("workspace_id", "url")
SELECT "workspace_id", jsonb_array_elements_text("webhooks") FROM "alerts"
UNION SELECT "workspace_id", jsonb_array_elements_text("webhooks") FROM "reports";
