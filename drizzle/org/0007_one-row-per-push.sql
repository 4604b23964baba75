-- Keys last for a day, and a request that is repeated across this upgrade counts its pushes again.
DROP TABLE "org_template"."idempotency_keys";--> statement-breakpoint
CREATE TABLE "org_template"."idempotency_keys" (
	"key" uuid NOT NULL,
	"position" integer NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"body" uuid,
	"has_scan" boolean,
	"finding_id" uuid,
	"deduplicated" boolean,
	"regressed" boolean,
	"status" varchar(20),
	CONSTRAINT "idempotency_keys_pk" PRIMARY KEY("key","position")
);
