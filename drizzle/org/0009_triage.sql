CREATE TABLE "org_template"."finding_events" (
	"finding_id" uuid NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	"id" uuid NOT NULL,
	"change_id" uuid,
	"kind" text NOT NULL,
	"actor_id" uuid,
	"from" text,
	"to" text,
	"reason" text,
	"note" text,
	"edited_at" timestamp (3) with time zone,
	CONSTRAINT "finding_events_pk" PRIMARY KEY("finding_id","at","id")
);
--> statement-breakpoint
ALTER TABLE "org_template"."findings" ADD COLUMN "reason" text;--> statement-breakpoint
ALTER TABLE "org_template"."findings" ADD COLUMN "assignee_id" uuid;--> statement-breakpoint
ALTER TABLE "org_template"."findings" ADD COLUMN "due_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "org_template"."findings" ADD COLUMN "accepted_until" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "org_template"."findings" ADD COLUMN "created_by" uuid;