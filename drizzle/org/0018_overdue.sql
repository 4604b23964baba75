-- A large organization may not have it yet.
DROP INDEX IF EXISTS "org_template"."findings_due";--> statement-breakpoint
CREATE INDEX "findings_overdue" ON "org_template"."findings" USING btree ("due_at") WHERE due_at is not null and status in ('open', 'confirmed');