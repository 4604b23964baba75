CREATE TABLE "shared"."outgoing_mails" (
	"id" uuid PRIMARY KEY NOT NULL,
	"sealed" text NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"next_attempt_at" timestamp (3) with time zone NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE INDEX "outgoing_mails_due" ON "shared"."outgoing_mails" USING btree ("next_attempt_at");--> statement-breakpoint
CREATE INDEX "sessions_kept" ON "shared"."sessions" USING btree ("user_id","created_at","id") WHERE "shared"."sessions"."revoked_at" is null;