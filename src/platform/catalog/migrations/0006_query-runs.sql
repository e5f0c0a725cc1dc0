ALTER TABLE "dataset_parts" ADD COLUMN "position" bigint;--> statement-breakpoint
ALTER TABLE "queries" ADD COLUMN "parameters" jsonb DEFAULT '{}'::jsonb NOT NULL;--> statement-breakpoint
ALTER TABLE "query_runs" ADD COLUMN "job_id" text;--> statement-breakpoint
ALTER TABLE "query_runs" ADD COLUMN "attempt" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "query_runs" ADD COLUMN "truncated" text;--> statement-breakpoint
ALTER TABLE "query_runs" ADD COLUMN "dataset_version" integer;--> statement-breakpoint
CREATE UNIQUE INDEX "query_runs_active" ON "query_runs" USING btree ("query_id") WHERE "query_runs"."status" IN ('queued', 'running');