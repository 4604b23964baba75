CREATE TABLE "org_template"."idempotency_keys" (
	"key" varchar(128) NOT NULL,
	"position" integer NOT NULL,
	"body_hash" varchar(64) NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"outcomes" json NOT NULL,
	CONSTRAINT "idempotency_keys_pk" PRIMARY KEY("key","position")
);
