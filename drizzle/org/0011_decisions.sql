CREATE TABLE "org_template"."changes" (
	"id" uuid PRIMARY KEY NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	"actor_id" uuid NOT NULL,
	"finding_ids" uuid[] NOT NULL,
	"what" json NOT NULL,
	"fields" json NOT NULL,
	"undone_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "org_template"."due_dates" (
	"project_id" uuid PRIMARY KEY NOT NULL,
	"critical" integer,
	"high" integer,
	"medium" integer,
	"low" integer,
	"info" integer
);
--> statement-breakpoint
CREATE TABLE "org_template"."policy_versions" (
	"id" integer PRIMARY KEY NOT NULL,
	"version" integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE "org_template"."saved_views" (
	"id" uuid PRIMARY KEY NOT NULL,
	"owner_id" uuid NOT NULL,
	"name" text NOT NULL,
	"query" text NOT NULL,
	"shared" boolean NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "org_template"."findings" ADD COLUMN "change_id" uuid;--> statement-breakpoint
ALTER TABLE "org_template"."findings" ADD COLUMN "due_dates" timestamp (3) with time zone[];--> statement-breakpoint
ALTER TABLE "org_template"."findings" ADD COLUMN "due_before" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "org_template"."findings" ADD COLUMN "resolved_at" timestamp (3) with time zone;--> statement-breakpoint
CREATE INDEX "changes_actor" ON "org_template"."changes" USING btree ("actor_id","id");--> statement-breakpoint
CREATE INDEX "saved_views_owner" ON "org_template"."saved_views" USING btree ("owner_id");--> statement-breakpoint
CREATE INDEX "findings_title" ON "org_template"."findings" USING btree (left("title", 200),"source");--> statement-breakpoint
CREATE INDEX "findings_file" ON "org_template"."findings" USING btree (left("file", 200)) WHERE file is not null;--> statement-breakpoint
CREATE INDEX "findings_cve" ON "org_template"."findings" USING btree ("cve") WHERE cve is not null;--> statement-breakpoint
CREATE INDEX "findings_resolved" ON "org_template"."findings" USING btree (coalesce("resolved_at", "status_changed_at"),"severity","project_id","created_at","due_at","resolved_at","status_changed_at") WHERE status not in ('open', 'confirmed') and not regressed;