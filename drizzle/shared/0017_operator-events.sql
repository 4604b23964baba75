CREATE TABLE "shared"."operator_events" (
	"id" uuid PRIMARY KEY NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	"operator" text NOT NULL,
	"command" text NOT NULL,
	"details" jsonb NOT NULL,
	"outcome" text,
	"logged_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE INDEX "operator_events_unlogged" ON "shared"."operator_events" USING btree ("id") WHERE "shared"."operator_events"."logged_at" is null;