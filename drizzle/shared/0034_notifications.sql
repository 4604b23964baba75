CREATE TABLE "shared"."notification_settings" (
	"user_id" uuid PRIMARY KEY NOT NULL,
	"kinds" jsonb NOT NULL,
	"time_zone" text NOT NULL,
	"hour" integer NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "shared"."personal_tokens" ADD COLUMN "expiry_told_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "shared"."outgoing_mails" ADD COLUMN "is_bulk" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "shared"."outgoing_mails" ADD COLUMN "is_full" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "shared"."notification_settings" ADD CONSTRAINT "notification_settings_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "shared"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "destinations_mail" ON "shared"."destinations" USING btree ("org_id") WHERE "shared"."destinations"."kind" = 'mail';--> statement-breakpoint
CREATE INDEX "personal_tokens_untold" ON "shared"."personal_tokens" USING btree ("expires_at") WHERE "shared"."personal_tokens"."expiry_told_at" is null;--> statement-breakpoint
CREATE INDEX "outgoing_mails_urgent" ON "shared"."outgoing_mails" USING btree ("next_attempt_at") WHERE not "shared"."outgoing_mails"."is_bulk";