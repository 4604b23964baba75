ALTER TABLE "shared"."sessions" ADD COLUMN "idle_seconds" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "shared"."orgs" ADD COLUMN "session_idle_minutes" integer;--> statement-breakpoint
ALTER TABLE "shared"."orgs" ADD COLUMN "session_max_hours" integer;