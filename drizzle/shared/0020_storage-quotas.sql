CREATE TABLE "shared"."org_usage" (
	"org_id" uuid PRIMARY KEY NOT NULL,
	"bytes" bigint NOT NULL,
	"rows" bigint NOT NULL,
	"measured_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "shared"."orgs" ADD COLUMN "share_id" uuid;--> statement-breakpoint
ALTER TABLE "shared"."org_usage" ADD CONSTRAINT "org_usage_org_id_orgs_id_fk" FOREIGN KEY ("org_id") REFERENCES "shared"."orgs"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "orgs_share" ON "shared"."orgs" USING btree ("share_id");