CREATE TABLE "shared"."org_arrivals" (
	"org_id" uuid PRIMARY KEY NOT NULL,
	"copy_id" uuid NOT NULL,
	"accounts" json NOT NULL,
	"ready" boolean DEFAULT false NOT NULL
);
--> statement-breakpoint
CREATE TABLE "shared"."org_moves" (
	"org_id" uuid PRIMARY KEY NOT NULL,
	"slug" text NOT NULL,
	"cell" text NOT NULL,
	"copy_id" uuid NOT NULL,
	"started_at" timestamp (3) with time zone NOT NULL,
	"moved_at" timestamp (3) with time zone,
	"rows" json
);
--> statement-breakpoint
ALTER TABLE "shared"."reserved_slugs" ADD COLUMN "moved_to" text;