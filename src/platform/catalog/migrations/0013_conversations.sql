CREATE TABLE "agent_answers" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"conversation_id" uuid NOT NULL,
	"model_id" bigint NOT NULL,
	"model_version" integer NOT NULL,
	"question" text NOT NULL,
	"outcome" text NOT NULL,
	"query" jsonb,
	"sql" text,
	"mark" text,
	"comment" text,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "conversations" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"workspace_id" bigint NOT NULL,
	"account_id" bigint NOT NULL,
	"session" text,
	"title" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"used_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "conversations_session" UNIQUE("workspace_id","account_id","session")
);
--> statement-breakpoint
ALTER TABLE "agent_answers" ADD CONSTRAINT "agent_answers_conversation_id_conversations_id_fk" FOREIGN KEY ("conversation_id") REFERENCES "public"."conversations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "agent_answers" ADD CONSTRAINT "agent_answers_model_id_semantic_models_id_fk" FOREIGN KEY ("model_id") REFERENCES "public"."semantic_models"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "conversations" ADD CONSTRAINT "conversations_member" FOREIGN KEY ("workspace_id","account_id") REFERENCES "public"."members"("workspace_id","account_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "agent_answers_conversation" ON "agent_answers" USING btree ("conversation_id","created_at");--> statement-breakpoint
CREATE INDEX "agent_answers_at" ON "agent_answers" USING btree ("created_at");