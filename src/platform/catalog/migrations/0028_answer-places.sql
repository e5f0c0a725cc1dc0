DROP INDEX "agent_answers_conversation";--> statement-breakpoint
ALTER TABLE "agent_answers" ADD COLUMN "place" bigint;--> statement-breakpoint
UPDATE "agent_answers" SET "place" = placed.place FROM (SELECT "id", row_number() OVER (ORDER BY "created_at", "id") AS place FROM "agent_answers") AS placed WHERE placed."id" = "agent_answers"."id";--> statement-breakpoint
ALTER TABLE "agent_answers" ALTER COLUMN "place" SET NOT NULL;--> statement-breakpoint
ALTER TABLE "agent_answers" ALTER COLUMN "place" ADD GENERATED ALWAYS AS IDENTITY (sequence name "agent_answers_place_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1);--> statement-breakpoint
SELECT setval('agent_answers_place_seq', (SELECT coalesce(max("place"), 0) + 1 FROM "agent_answers"), false);--> statement-breakpoint
CREATE INDEX "agent_answers_conversation" ON "agent_answers" USING btree ("conversation_id","place");
