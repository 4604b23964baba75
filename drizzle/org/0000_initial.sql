CREATE SCHEMA "org_template";
--> statement-breakpoint
CREATE TABLE "org_template"."api_tokens" (
	"id" uuid PRIMARY KEY NOT NULL,
	"project_id" uuid,
	"name" text NOT NULL,
	"prefix" text NOT NULL,
	"token_hash" text NOT NULL,
	"created_by" uuid NOT NULL,
	"expires_at" timestamp (3) with time zone,
	"revoked" boolean DEFAULT false NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"last_used" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "org_template"."exploits" (
	"id" uuid PRIMARY KEY NOT NULL,
	"finding_id" uuid NOT NULL,
	"filename" text NOT NULL,
	"language" text NOT NULL,
	"code" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "org_template"."findings" (
	"id" uuid PRIMARY KEY NOT NULL,
	"project_id" uuid NOT NULL,
	"fingerprint" text NOT NULL,
	"scan_id" text NOT NULL,
	"last_scan_id" text NOT NULL,
	"title" text NOT NULL,
	"severity" text NOT NULL,
	"description" text NOT NULL,
	"cwe" text,
	"cve" text,
	"cvss_score" double precision,
	"cvss_vector" text,
	"file" text,
	"line" integer,
	"source" text,
	"status" text NOT NULL,
	"status_changed_at" timestamp (3) with time zone NOT NULL,
	"regressed" boolean DEFAULT false NOT NULL,
	"seen_count" integer NOT NULL,
	"last_seen_at" timestamp (3) with time zone NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "findings_severity" CHECK ("severity" in ('critical', 'high', 'medium', 'low', 'info')),
	CONSTRAINT "findings_status" CHECK ("status" in ('open', 'confirmed', 'fixed', 'false_positive', 'wontfix', 'verified'))
);
--> statement-breakpoint
CREATE TABLE "org_template"."feature_flags" (
	"name" text PRIMARY KEY NOT NULL,
	"provisioned" boolean NOT NULL,
	"enabled" boolean NOT NULL,
	"description" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "org_template"."projects" (
	"id" uuid PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"slug" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "org_template"."scans" (
	"scan_id" text PRIMARY KEY NOT NULL,
	"project_id" uuid NOT NULL,
	"persona" text NOT NULL,
	"name" text NOT NULL,
	"target" json,
	"status" text NOT NULL,
	"error_message" text,
	"summary" json,
	"created_at" timestamp (3) with time zone NOT NULL,
	"completed_at" timestamp (3) with time zone,
	CONSTRAINT "scans_status" CHECK ("status" in ('running', 'completed', 'failed'))
);
--> statement-breakpoint
CREATE TABLE "org_template"."sightings" (
	"scan_id" text NOT NULL,
	"finding_id" uuid NOT NULL,
	CONSTRAINT "sightings_pk" PRIMARY KEY("scan_id","finding_id")
);
--> statement-breakpoint
ALTER TABLE "org_template"."api_tokens" ADD CONSTRAINT "api_tokens_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "org_template"."projects"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "org_template"."exploits" ADD CONSTRAINT "exploits_finding_id_findings_id_fk" FOREIGN KEY ("finding_id") REFERENCES "org_template"."findings"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "org_template"."scans" ADD CONSTRAINT "scans_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "org_template"."projects"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "api_tokens_prefix" ON "org_template"."api_tokens" USING btree ("prefix");--> statement-breakpoint
CREATE INDEX "exploits_finding" ON "org_template"."exploits" USING btree ("finding_id","id");--> statement-breakpoint
CREATE UNIQUE INDEX "findings_fingerprint" ON "org_template"."findings" USING btree ("project_id","fingerprint");--> statement-breakpoint
CREATE INDEX "findings_scan" ON "org_template"."findings" USING btree ("scan_id");--> statement-breakpoint
CREATE UNIQUE INDEX "projects_slug" ON "org_template"."projects" USING btree ("slug");--> statement-breakpoint
CREATE INDEX "scans_newest" ON "org_template"."scans" USING btree ("created_at","scan_id");