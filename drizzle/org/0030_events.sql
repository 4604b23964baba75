CREATE TABLE "org_template"."deliveries" (
	"destination_id" uuid NOT NULL,
	"id" uuid NOT NULL,
	"event_id" uuid,
	"created_at" timestamp (3) with time zone NOT NULL,
	"state" varchar(10) NOT NULL,
	"next_at" timestamp (3) with time zone,
	"attempts" integer DEFAULT 0 NOT NULL,
	"tried_at" timestamp (3) with time zone,
	"duration_ms" integer,
	"status" integer,
	"response" text,
	"error" text,
	CONSTRAINT "deliveries_pk" PRIMARY KEY("destination_id","id")
);
--> statement-breakpoint
CREATE TABLE "org_template"."events" (
	"id" uuid PRIMARY KEY NOT NULL,
	"seq" bigint,
	"at" timestamp (3) with time zone NOT NULL,
	"type" varchar(50) NOT NULL,
	"subject" varchar(36),
	"actor_id" uuid,
	"finding_ids" uuid[]
);
--> statement-breakpoint
CREATE INDEX "deliveries_newest" ON "org_template"."deliveries" USING btree ("destination_id","created_at","id");--> statement-breakpoint
CREATE INDEX "deliveries_due" ON "org_template"."deliveries" USING btree ("destination_id","next_at");--> statement-breakpoint
CREATE INDEX "events_seq" ON "org_template"."events" USING btree ("seq","at","id");