CREATE TABLE "shared"."destinations" (
	"id" uuid PRIMARY KEY NOT NULL,
	"org_id" uuid NOT NULL,
	"kind" text NOT NULL,
	"url" text NOT NULL,
	"secret" text NOT NULL,
	"former_secret" text,
	"former_secret_until" timestamp (3) with time zone,
	"events" text[] NOT NULL,
	"project_ids" uuid[],
	"min_severity" text,
	"enabled" boolean NOT NULL,
	"disabled_reason" text,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	"due_at" timestamp (3) with time zone,
	"wakes" integer DEFAULT 0 NOT NULL,
	"leases" integer DEFAULT 0 NOT NULL,
	"failures" integer DEFAULT 0 NOT NULL,
	"failing_since" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "shared"."event_positions" (
	"org_id" uuid PRIMARY KEY NOT NULL,
	"seq" bigint NOT NULL,
	"check_at" timestamp (3) with time zone,
	"overdue_until" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "shared"."destinations" ADD CONSTRAINT "destinations_org_id_orgs_id_fk" FOREIGN KEY ("org_id") REFERENCES "shared"."orgs"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "shared"."event_positions" ADD CONSTRAINT "event_positions_org_id_orgs_id_fk" FOREIGN KEY ("org_id") REFERENCES "shared"."orgs"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "destinations_org" ON "shared"."destinations" USING btree ("org_id");--> statement-breakpoint
CREATE INDEX "destinations_due" ON "shared"."destinations" USING btree ("due_at");--> statement-breakpoint
CREATE INDEX "event_positions_check" ON "shared"."event_positions" USING btree ("check_at");