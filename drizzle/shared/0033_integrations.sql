ALTER TABLE "shared"."destinations" ADD COLUMN "name" text;--> statement-breakpoint
ALTER TABLE "shared"."destinations" ADD COLUMN "muted_project_ids" uuid[];