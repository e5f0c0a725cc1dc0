CREATE TABLE "knowledge_vectors" (
	"chunk_id" bigint NOT NULL,
	"fingerprint" text NOT NULL,
	"vector" "bytea" NOT NULL,
	"tokens" "bytea",
	CONSTRAINT "knowledge_vectors_chunk_id_fingerprint_pk" PRIMARY KEY("chunk_id","fingerprint")
);
--> statement-breakpoint
ALTER TABLE "knowledge_vectors" ADD CONSTRAINT "knowledge_vectors_chunk_id_knowledge_chunks_id_fk" FOREIGN KEY ("chunk_id") REFERENCES "public"."knowledge_chunks"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
-- Signs look like noise: compressing them would take time and save nothing.
ALTER TABLE "knowledge_vectors" ALTER COLUMN "tokens" SET STORAGE EXTERNAL;
