CREATE TABLE "verified_questions" (
	"model_id" bigint NOT NULL,
	"key" text NOT NULL,
	"question" text NOT NULL,
	"query" jsonb NOT NULL,
	"verified_by" bigint,
	"verified_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "verified_questions_model_id_key_pk" PRIMARY KEY("model_id","key")
);
--> statement-breakpoint
ALTER TABLE "verified_questions" ADD CONSTRAINT "verified_questions_model_id_semantic_models_id_fk" FOREIGN KEY ("model_id") REFERENCES "public"."semantic_models"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "verified_questions" ADD CONSTRAINT "verified_questions_verified_by_accounts_id_fk" FOREIGN KEY ("verified_by") REFERENCES "public"."accounts"("id") ON DELETE set null ON UPDATE no action;