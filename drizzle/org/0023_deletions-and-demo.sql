CREATE TABLE "org_template"."deleted_findings" (
	"deletion_id" uuid NOT NULL,
	"finding_id" uuid NOT NULL,
	"project_id" uuid NOT NULL,
	"data" json NOT NULL,
	"bytes" integer NOT NULL,
	CONSTRAINT "deleted_findings_pk" PRIMARY KEY("deletion_id","finding_id")
);
--> statement-breakpoint
CREATE TABLE "org_template"."deletions" (
	"id" uuid PRIMARY KEY NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	"actor_id" uuid NOT NULL,
	"state" varchar(10) NOT NULL,
	"finding_ids" uuid[] NOT NULL,
	"selected" integer NOT NULL,
	"position" integer DEFAULT 0 NOT NULL,
	"findings" integer DEFAULT 0 NOT NULL,
	"restored" integer DEFAULT 0 NOT NULL,
	"scan_id" text,
	"project_id" uuid,
	"scan" json,
	"series" json,
	"seen" uuid[]
);
--> statement-breakpoint
ALTER TABLE "org_template"."projects" ADD COLUMN "demo" boolean;--> statement-breakpoint
CREATE INDEX "deleted_findings_project" ON "org_template"."deleted_findings" USING btree ("project_id");