ALTER TABLE "org_template"."finding_events" ADD COLUMN "mentions" uuid[];--> statement-breakpoint
ALTER TABLE "org_template"."projects" ADD COLUMN "source_url" varchar(200);--> statement-breakpoint
ALTER TABLE "org_template"."scans" ADD COLUMN "commit" text;--> statement-breakpoint
CREATE INDEX "finding_events_mentions" ON "org_template"."finding_events" USING gin ("mentions") WHERE mentions is not null;