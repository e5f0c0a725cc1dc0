ALTER TABLE "agent_answers" ALTER COLUMN "query" SET DATA TYPE json;--> statement-breakpoint
ALTER TABLE "verified_questions" ALTER COLUMN "query" SET DATA TYPE json;