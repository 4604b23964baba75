CREATE TABLE "org_template"."finding_refs" (
	"finding_id" uuid NOT NULL,
	"series_id" uuid NOT NULL,
	"first_seen_at" timestamp (3) with time zone NOT NULL,
	"last_seen_at" timestamp (3) with time zone NOT NULL,
	"last_scan_id" varchar(36) NOT NULL,
	"missing_since" timestamp (3) with time zone,
	CONSTRAINT "finding_refs_pk" PRIMARY KEY("finding_id","series_id")
);
--> statement-breakpoint
CREATE TABLE "org_template"."series" (
	"id" uuid PRIMARY KEY NOT NULL,
	"key" uuid NOT NULL,
	"project_id" uuid NOT NULL,
	"ref" text NOT NULL,
	"tracked" boolean NOT NULL,
	"settled" boolean NOT NULL
);
--> statement-breakpoint
DROP INDEX "org_template"."findings_resolved";--> statement-breakpoint
ALTER TABLE "org_template"."finding_counts" ADD COLUMN "proposed" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "org_template"."findings" ADD COLUMN "proposed" boolean;--> statement-breakpoint
ALTER TABLE "org_template"."findings" ADD COLUMN "proposed_before" boolean;--> statement-breakpoint
ALTER TABLE "org_template"."projects" ADD COLUMN "default_ref" text;--> statement-breakpoint
ALTER TABLE "org_template"."projects" ADD COLUMN "tracked_refs" text[];--> statement-breakpoint
ALTER TABLE "org_template"."scans" ADD COLUMN "series_id" uuid;--> statement-breakpoint
ALTER TABLE "org_template"."scans" ADD COLUMN "tracked" boolean DEFAULT true NOT NULL;--> statement-breakpoint
ALTER TABLE "org_template"."scans" ADD COLUMN "declared_sources" text[];--> statement-breakpoint
CREATE INDEX "finding_refs_series" ON "org_template"."finding_refs" USING btree ("series_id","missing_since");--> statement-breakpoint
CREATE UNIQUE INDEX "series_key" ON "org_template"."series" USING btree ("key");--> statement-breakpoint
CREATE INDEX "series_project" ON "org_template"."series" USING btree ("project_id");--> statement-breakpoint
CREATE INDEX "findings_proposed" ON "org_template"."findings" USING btree ("severity","status","id") WHERE proposed;--> statement-breakpoint
CREATE INDEX "scans_series" ON "org_template"."scans" USING btree ("series_id","created_at","scan_id");--> statement-breakpoint
CREATE INDEX "scans_commit" ON "org_template"."scans" USING btree ("series_id","commit","created_at");--> statement-breakpoint
CREATE INDEX "findings_resolved" ON "org_template"."findings" USING btree (coalesce("resolved_at", "status_changed_at"),"severity","project_id","created_at","due_at","resolved_at","status_changed_at") WHERE status not in ('open', 'confirmed') and not regressed and proposed is null;--> statement-breakpoint
UPDATE "org_template"."scans" SET "series_id" = md5("project_id"::text || ' ' || "persona" || ' ' || coalesce("target"::text, '{}'))::uuid;--> statement-breakpoint
INSERT INTO "org_template"."series" ("id", "key", "project_id", "ref", "tracked", "settled") SELECT DISTINCT "series_id", "series_id", "project_id", coalesce("target" ->> 'ref', ''), true, false FROM "org_template"."scans";
