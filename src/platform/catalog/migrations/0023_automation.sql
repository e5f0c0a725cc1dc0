CREATE TABLE "alert_events" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "alert_events_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"alert_id" bigint NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	"happening" text NOT NULL,
	"rows" bigint,
	"summary" text NOT NULL,
	"run_key" text
);
--> statement-breakpoint
CREATE TABLE "alerts" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "alerts_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"workspace_id" bigint NOT NULL,
	"dataset_id" bigint NOT NULL,
	"name" text NOT NULL,
	"type" text NOT NULL,
	"condition" text,
	"c9ql" text,
	"sentence" text NOT NULL,
	"recipients" jsonb NOT NULL,
	"webhooks" jsonb NOT NULL,
	"subject" text,
	"frequency" text NOT NULL,
	"start_time" text NOT NULL,
	"zone" text NOT NULL,
	"realtime" boolean NOT NULL,
	"paused" boolean DEFAULT false NOT NULL,
	"state" text DEFAULT 'ok' NOT NULL,
	"state_since" timestamp (3) with time zone NOT NULL,
	"told_hash" text,
	"calm" integer DEFAULT 0 NOT NULL,
	"failures" integer DEFAULT 0 NOT NULL,
	"last_error" text,
	"matched_rows" bigint,
	"checked_at" timestamp (3) with time zone,
	"version" integer DEFAULT 0 NOT NULL,
	"owner_id" bigint,
	"created_at" timestamp (3) with time zone NOT NULL,
	"deleted_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "deliveries" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "deliveries_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"uid" text NOT NULL,
	"workspace_id" bigint NOT NULL,
	"run_key" text NOT NULL,
	"channel" text NOT NULL,
	"target" text NOT NULL,
	"state" text DEFAULT 'waiting' NOT NULL,
	"tries" integer DEFAULT 0 NOT NULL,
	"last_error" text,
	"note" text,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"settled_at" timestamp (3) with time zone,
	CONSTRAINT "deliveries_uid_unique" UNIQUE("uid")
);
--> statement-breakpoint
CREATE TABLE "messages" (
	"run_key" text PRIMARY KEY NOT NULL,
	"workspace_id" bigint NOT NULL,
	"content" jsonb NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "schedule_runs" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "schedule_runs_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"schedule_id" bigint NOT NULL,
	"occurrence_at" timestamp (3) with time zone NOT NULL,
	"missed" integer NOT NULL,
	"fired_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "schedules" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "schedules_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"kind" text NOT NULL,
	"subject" bigint NOT NULL,
	"unit" text NOT NULL,
	"every" integer NOT NULL,
	"time" text NOT NULL,
	"zone" text NOT NULL,
	"weekday" integer,
	"monthday" integer,
	"anchor" timestamp (3) with time zone NOT NULL,
	"next_at" timestamp (3) with time zone NOT NULL,
	"zone_rules" text NOT NULL
);
--> statement-breakpoint
ALTER TABLE "alert_events" ADD CONSTRAINT "alert_events_alert_id_alerts_id_fk" FOREIGN KEY ("alert_id") REFERENCES "public"."alerts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "alerts" ADD CONSTRAINT "alerts_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "alerts" ADD CONSTRAINT "alerts_dataset_id_datasets_id_fk" FOREIGN KEY ("dataset_id") REFERENCES "public"."datasets"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "alerts" ADD CONSTRAINT "alerts_owner_id_accounts_id_fk" FOREIGN KEY ("owner_id") REFERENCES "public"."accounts"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "deliveries" ADD CONSTRAINT "deliveries_run_key_messages_run_key_fk" FOREIGN KEY ("run_key") REFERENCES "public"."messages"("run_key") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "schedule_runs" ADD CONSTRAINT "schedule_runs_schedule_id_schedules_id_fk" FOREIGN KEY ("schedule_id") REFERENCES "public"."schedules"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "alert_events_alert" ON "alert_events" USING btree ("alert_id","id");--> statement-breakpoint
CREATE INDEX "alerts_dataset" ON "alerts" USING btree ("dataset_id");--> statement-breakpoint
CREATE INDEX "alerts_workspace" ON "alerts" USING btree ("workspace_id");--> statement-breakpoint
CREATE UNIQUE INDEX "deliveries_target" ON "deliveries" USING btree ("run_key","channel","target");--> statement-breakpoint
CREATE INDEX "deliveries_workspace" ON "deliveries" USING btree ("workspace_id","state","id");--> statement-breakpoint
CREATE INDEX "messages_created" ON "messages" USING btree ("created_at");--> statement-breakpoint
CREATE UNIQUE INDEX "schedule_runs_occurrence" ON "schedule_runs" USING btree ("schedule_id","occurrence_at");--> statement-breakpoint
CREATE INDEX "schedule_runs_fired" ON "schedule_runs" USING btree ("fired_at");--> statement-breakpoint
CREATE UNIQUE INDEX "schedules_subject" ON "schedules" USING btree ("kind","subject");--> statement-breakpoint
CREATE INDEX "schedules_next" ON "schedules" USING btree ("next_at");