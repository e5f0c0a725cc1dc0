CREATE TABLE "home_stamp" (
	"id" smallint PRIMARY KEY DEFAULT 1 NOT NULL,
	"store_id" text NOT NULL,
	"secret_id" text NOT NULL,
	"given_up_part_id" bigint DEFAULT 0 NOT NULL,
	"checked_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
