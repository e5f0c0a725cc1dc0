CREATE TABLE "dataset_versions" (
	"dataset_id" bigint NOT NULL,
	"version" integer NOT NULL,
	"columns" jsonb NOT NULL,
	"row_count" bigint NOT NULL,
	"bytes" bigint NOT NULL,
	"source" jsonb NOT NULL,
	"refreshed_at" timestamp (3) with time zone NOT NULL,
	"refreshed_by" bigint,
	"replaced_at" timestamp (3) with time zone NOT NULL,
	"replaced_by" bigint,
	CONSTRAINT "dataset_versions_dataset_id_version_pk" PRIMARY KEY("dataset_id","version")
);
--> statement-breakpoint
ALTER TABLE "dataset_parts" DROP CONSTRAINT "dataset_parts_blob_key_unique";--> statement-breakpoint
ALTER TABLE "datasets" ADD COLUMN "refreshed_by" bigint;--> statement-breakpoint
ALTER TABLE "dataset_versions" ADD CONSTRAINT "dataset_versions_dataset_id_datasets_id_fk" FOREIGN KEY ("dataset_id") REFERENCES "public"."datasets"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "dataset_versions" ADD CONSTRAINT "dataset_versions_refreshed_by_accounts_id_fk" FOREIGN KEY ("refreshed_by") REFERENCES "public"."accounts"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "dataset_versions" ADD CONSTRAINT "dataset_versions_replaced_by_accounts_id_fk" FOREIGN KEY ("replaced_by") REFERENCES "public"."accounts"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "datasets" ADD CONSTRAINT "datasets_refreshed_by_accounts_id_fk" FOREIGN KEY ("refreshed_by") REFERENCES "public"."accounts"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "dataset_parts_blob_key" ON "dataset_parts" USING btree ("blob_key");