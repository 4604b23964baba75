DROP INDEX IF EXISTS "org_template"."findings_title";--> statement-breakpoint
DROP INDEX IF EXISTS "org_template"."findings_search";--> statement-breakpoint
ALTER TABLE "org_template"."findings" ADD COLUMN "rule_id" text;--> statement-breakpoint
CREATE INDEX "findings_rule" ON "org_template"."findings" USING btree (left(coalesce(nullif("rule_id", ''), "title"), 200),"source");--> statement-breakpoint
CREATE INDEX "findings_search" ON "org_template"."findings" USING gin (("title" || E'\n' || coalesce("file", '') || E'\n' || coalesce("cve", '') || E'\n' || coalesce("rule_id", '')) "trigram_schema".gin_trgm_ops);