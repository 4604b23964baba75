-- Nothing may be written between the counting and the commit. In the order in which all other transactions take these
-- tables, and as strongly as any of them, so that they cannot deadlock.
LOCK TABLE "org_template"."scans" IN EXCLUSIVE MODE;--> statement-breakpoint
LOCK TABLE "org_template"."findings" IN ACCESS EXCLUSIVE MODE;--> statement-breakpoint
ALTER TABLE "org_template"."findings" ADD COLUMN "regressed_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "org_template"."findings" ADD COLUMN "regressed_before" boolean;--> statement-breakpoint
CREATE INDEX "findings_regressed" ON "org_template"."findings" USING btree ("severity","status","id") WHERE regressed;--> statement-breakpoint
ALTER TABLE "org_template"."finding_counts" ADD COLUMN "regressed" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
UPDATE "org_template"."finding_counts" c SET "regressed" = f."regressed" FROM (
	SELECT "project_id", "severity", "status", count(*) AS "regressed" FROM "org_template"."findings" WHERE "regressed" GROUP BY 1, 2, 3
) f WHERE (c."project_id", c."severity", c."status") = (f."project_id", f."severity", f."status");
