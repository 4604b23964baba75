-- In the order in which all other transactions take these tables, and as strongly as any of them, so that they cannot deadlock.
LOCK TABLE "org_template"."scans" IN ACCESS EXCLUSIVE MODE;--> statement-breakpoint
LOCK TABLE "org_template"."findings" IN ACCESS EXCLUSIVE MODE;--> statement-breakpoint
ALTER TABLE "org_template"."findings" ADD COLUMN "missing_since" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "org_template"."projects" ADD COLUMN "close_after_scans" integer;--> statement-breakpoint
ALTER TABLE "org_template"."scans" ADD COLUMN "sources" text[];--> statement-breakpoint
ALTER TABLE "org_template"."scans" ADD COLUMN "closed_after" integer;--> statement-breakpoint
CREATE INDEX "findings_source" ON "org_template"."findings" USING btree ("source") WHERE source is not null;--> statement-breakpoint
CREATE INDEX "findings_assignee" ON "org_template"."findings" USING btree ("assignee_id") WHERE assignee_id is not null;--> statement-breakpoint
CREATE INDEX "findings_due" ON "org_template"."findings" USING btree ("due_at") WHERE due_at is not null;--> statement-breakpoint
CREATE INDEX "scans_project" ON "org_template"."scans" USING btree ("project_id","created_at","scan_id");