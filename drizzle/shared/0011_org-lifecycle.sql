CREATE TABLE "shared"."org_deletions" (
	"org_id" uuid PRIMARY KEY NOT NULL,
	"deleted_at" timestamp (3) with time zone NOT NULL,
	"purge_at" timestamp (3) with time zone NOT NULL,
	"warned_at" timestamp (3) with time zone,
	"purging" boolean DEFAULT false NOT NULL,
	"lease_until" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "shared"."reserved_slugs" (
	"slug" text PRIMARY KEY NOT NULL,
	"org_id" uuid,
	"reserved_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "shared"."retention" (
	"org_id" uuid PRIMARY KEY NOT NULL,
	"resolved_findings" integer,
	"scans" integer,
	"due_at" timestamp (3) with time zone NOT NULL,
	"position" uuid
);
--> statement-breakpoint
ALTER TABLE "shared"."org_deletions" ADD CONSTRAINT "org_deletions_org_id_orgs_id_fk" FOREIGN KEY ("org_id") REFERENCES "shared"."orgs"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "shared"."reserved_slugs" ADD CONSTRAINT "reserved_slugs_org_id_orgs_id_fk" FOREIGN KEY ("org_id") REFERENCES "shared"."orgs"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "shared"."retention" ADD CONSTRAINT "retention_org_id_orgs_id_fk" FOREIGN KEY ("org_id") REFERENCES "shared"."orgs"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "reserved_slugs_org" ON "shared"."reserved_slugs" USING btree ("org_id");