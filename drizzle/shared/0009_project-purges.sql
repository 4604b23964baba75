CREATE TABLE "shared"."project_purges" (
	"org_id" uuid NOT NULL,
	"project_id" uuid NOT NULL,
	"lease_until" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "project_purges_pk" PRIMARY KEY("org_id","project_id")
);
--> statement-breakpoint
ALTER TABLE "shared"."project_purges" ADD CONSTRAINT "project_purges_org_id_orgs_id_fk" FOREIGN KEY ("org_id") REFERENCES "shared"."orgs"("id") ON DELETE cascade ON UPDATE no action;