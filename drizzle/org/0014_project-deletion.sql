ALTER TABLE "org_template"."projects" ADD COLUMN "former_slug" varchar(50);--> statement-breakpoint
ALTER TABLE "org_template"."projects" ADD COLUMN "deleted_at" timestamp (3) with time zone;