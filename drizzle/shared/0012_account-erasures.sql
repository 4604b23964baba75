CREATE TABLE "shared"."account_erasures" (
	"user_id" uuid PRIMARY KEY NOT NULL,
	"emails" text[] NOT NULL,
	"deleted_at" timestamp (3) with time zone NOT NULL,
	"first_org_ids" uuid[] NOT NULL,
	"done_org_id" uuid,
	"passes" integer DEFAULT 0 NOT NULL,
	"lease_until" timestamp (3) with time zone NOT NULL
);
