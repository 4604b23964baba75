CREATE TABLE "shared"."mfa_logins" (
	"id" uuid PRIMARY KEY NOT NULL,
	"user_id" uuid NOT NULL,
	"failures" integer DEFAULT 0 NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "shared"."primary_email_changes" (
	"token_hash" text PRIMARY KEY NOT NULL,
	"user_id" uuid NOT NULL,
	"old_email" text NOT NULL,
	"new_email" text NOT NULL,
	"changed_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "shared"."memberships" ADD COLUMN "invited_email" text;--> statement-breakpoint
ALTER TABLE "shared"."memberships" ADD COLUMN "confirmed_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "shared"."orgs" ADD COLUMN "viewer_tokens_verify" boolean DEFAULT true NOT NULL;--> statement-breakpoint
ALTER TABLE "shared"."sessions" ADD COLUMN "stepped_up_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "shared"."users" ADD COLUMN "disabled_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "shared"."mfa_logins" ADD CONSTRAINT "mfa_logins_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "shared"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "shared"."primary_email_changes" ADD CONSTRAINT "primary_email_changes_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "shared"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "mfa_logins_user" ON "shared"."mfa_logins" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "mfa_logins_expiry" ON "shared"."mfa_logins" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "primary_email_changes_user" ON "shared"."primary_email_changes" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "primary_email_changes_expiry" ON "shared"."primary_email_changes" USING btree ("expires_at");