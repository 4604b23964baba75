CREATE TABLE "shared"."deletion_jobs" (
	"org_id" uuid NOT NULL,
	"deletion_id" uuid NOT NULL,
	"lease_until" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "deletion_jobs_pk" PRIMARY KEY("org_id","deletion_id")
);
--> statement-breakpoint
ALTER TABLE "shared"."deletion_jobs" ADD CONSTRAINT "deletion_jobs_org_id_orgs_id_fk" FOREIGN KEY ("org_id") REFERENCES "shared"."orgs"("id") ON DELETE cascade ON UPDATE no action;