ALTER TABLE "shared"."org_arrivals" ADD COLUMN "slug" text;--> statement-breakpoint
ALTER TABLE "shared"."org_arrivals" ADD COLUMN "schema_version" integer;