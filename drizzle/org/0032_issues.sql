CREATE TABLE "org_template"."finding_issues" (
	"finding_id" uuid NOT NULL,
	"destination_id" uuid NOT NULL,
	"issue_id" uuid NOT NULL,
	CONSTRAINT "finding_issues_pk" PRIMARY KEY("finding_id","destination_id")
);
--> statement-breakpoint
CREATE TABLE "org_template"."issues" (
	"id" uuid PRIMARY KEY NOT NULL,
	"destination_id" uuid NOT NULL,
	"key" text,
	"url" text,
	"state" varchar(10) NOT NULL,
	"status" text,
	"outcome" text,
	"checked_at" timestamp (3) with time zone,
	"told" varchar(10) NOT NULL,
	"told_at" timestamp (3) with time zone NOT NULL,
	"tried_at" timestamp (3) with time zone,
	"created_by" uuid NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "org_template"."changes" ALTER COLUMN "actor_id" DROP NOT NULL;--> statement-breakpoint
CREATE INDEX "finding_issues_issue" ON "org_template"."finding_issues" USING btree ("issue_id");--> statement-breakpoint
CREATE INDEX "finding_issues_destination" ON "org_template"."finding_issues" USING btree ("destination_id");--> statement-breakpoint
CREATE UNIQUE INDEX "issues_url" ON "org_template"."issues" USING btree ("destination_id",md5("url"));