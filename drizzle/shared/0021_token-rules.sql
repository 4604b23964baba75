ALTER TABLE "shared"."orgs" ADD COLUMN "tokens_on_role_loss" text DEFAULT 'limit' NOT NULL;--> statement-breakpoint
ALTER TABLE "shared"."orgs" ADD COLUMN "project_token_creators" text;--> statement-breakpoint
ALTER TABLE "shared"."orgs" ADD COLUMN "max_token_days" integer;