DROP INDEX "shared"."email_codes_device";--> statement-breakpoint
ALTER TABLE "shared"."email_codes" ADD COLUMN "purpose" uuid;--> statement-breakpoint
ALTER TABLE "shared"."orgs" ADD COLUMN "created_by" uuid;--> statement-breakpoint
ALTER TABLE "shared"."primary_email_changes" ADD COLUMN "old_email_verified" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "shared"."users" ADD COLUMN "sign_ins" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
-- Whoever has owned it for longest without an invitation has created it.
UPDATE "shared"."orgs" SET "created_by" = "creators"."user_id" FROM (
	SELECT DISTINCT ON ("org_id") "org_id", "user_id" FROM "shared"."memberships"
	WHERE "role" = 'owner' AND "invited_email" IS NULL
	ORDER BY "org_id", "created_at", "user_id"
) "creators" WHERE "creators"."org_id" = "orgs"."id";
--> statement-breakpoint
ALTER TABLE "shared"."orgs" ADD CONSTRAINT "orgs_created_by_users_id_fk" FOREIGN KEY ("created_by") REFERENCES "shared"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "email_codes_once" ON "shared"."email_codes" USING btree ("device_id","purpose");--> statement-breakpoint
CREATE INDEX "orgs_created_by" ON "shared"."orgs" USING btree ("created_by");