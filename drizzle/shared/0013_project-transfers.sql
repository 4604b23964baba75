CREATE TABLE "shared"."project_transfers" (
	"project_id" uuid PRIMARY KEY NOT NULL,
	"source_id" uuid NOT NULL,
	"target_id" uuid NOT NULL,
	"slug" text NOT NULL,
	"started_at" timestamp (3) with time zone NOT NULL,
	"findings" integer NOT NULL,
	"copied" integer DEFAULT 0 NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"error" text,
	"cancelled" boolean DEFAULT false NOT NULL,
	"lease_until" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "shared"."project_transfers" ADD CONSTRAINT "project_transfers_source_id_orgs_id_fk" FOREIGN KEY ("source_id") REFERENCES "shared"."orgs"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "shared"."project_transfers" ADD CONSTRAINT "project_transfers_target_id_orgs_id_fk" FOREIGN KEY ("target_id") REFERENCES "shared"."orgs"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "project_transfers_source" ON "shared"."project_transfers" USING btree ("source_id");--> statement-breakpoint
CREATE INDEX "project_transfers_target" ON "shared"."project_transfers" USING btree ("target_id");