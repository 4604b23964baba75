CREATE TABLE "org_template"."rule_changes" (
	"rule_id" uuid NOT NULL,
	"finding_id" uuid NOT NULL,
	CONSTRAINT "rule_changes_pk" PRIMARY KEY("rule_id","finding_id")
);
--> statement-breakpoint
CREATE TABLE "org_template"."rules" (
	"id" uuid PRIMARY KEY NOT NULL,
	"position" integer NOT NULL,
	"name" text NOT NULL,
	"enabled" boolean NOT NULL,
	"conditions" json NOT NULL,
	"actions" json NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	"deleted_at" timestamp (3) with time zone
);
--> statement-breakpoint
ALTER TABLE "org_template"."changes" ADD COLUMN "rule_id" uuid;--> statement-breakpoint
CREATE INDEX "changes_rule" ON "org_template"."changes" USING btree ("rule_id","id") WHERE rule_id is not null;