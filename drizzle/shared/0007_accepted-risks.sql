CREATE TABLE "shared"."accepted_risks" (
	"org_id" uuid NOT NULL,
	"finding_id" uuid NOT NULL,
	"due_at" timestamp (3) with time zone NOT NULL,
	"noted_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "accepted_risks_pk" PRIMARY KEY("org_id","finding_id")
);
--> statement-breakpoint
ALTER TABLE "shared"."accepted_risks" ADD CONSTRAINT "accepted_risks_org_id_orgs_id_fk" FOREIGN KEY ("org_id") REFERENCES "shared"."orgs"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "accepted_risks_due" ON "shared"."accepted_risks" USING btree ("due_at");