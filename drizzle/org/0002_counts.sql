-- Nothing may be written between the counting and the commit. In the order in which all other transactions take these
-- two, and as strongly as any of them, so that nobody waits in a circle.
LOCK TABLE "org_template"."scans" IN EXCLUSIVE MODE;--> statement-breakpoint
LOCK TABLE "org_template"."findings" IN ACCESS EXCLUSIVE MODE;--> statement-breakpoint
CREATE TABLE "org_template"."finding_counts" (
	"project_id" uuid NOT NULL,
	"severity" text NOT NULL,
	"status" text NOT NULL,
	"count" bigint NOT NULL,
	CONSTRAINT "finding_counts_pk" PRIMARY KEY("project_id","severity","status")
);
--> statement-breakpoint
CREATE TABLE "org_template"."scan_counts" (
	"project_id" uuid NOT NULL,
	"status" text NOT NULL,
	"count" bigint NOT NULL,
	CONSTRAINT "scan_counts_pk" PRIMARY KEY("project_id","status")
);
--> statement-breakpoint
ALTER TABLE "org_template"."findings" ADD COLUMN "severity_before" text;--> statement-breakpoint
CREATE INDEX "findings_severity" ON "org_template"."findings" USING btree ("severity","status","id");--> statement-breakpoint
CREATE INDEX "findings_project" ON "org_template"."findings" USING btree ("project_id","severity","status","id");--> statement-breakpoint
INSERT INTO "org_template"."finding_counts" ("project_id", "severity", "status", "count")
	SELECT "project_id", "severity", "status", count(*) FROM "org_template"."findings" GROUP BY 1, 2, 3;--> statement-breakpoint
INSERT INTO "org_template"."scan_counts" ("project_id", "status", "count")
	SELECT "project_id", "status", count(*) FROM "org_template"."scans" GROUP BY 1, 2;
