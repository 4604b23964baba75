CREATE TABLE "shared"."org_undo_links" (
	"token_hash" text PRIMARY KEY NOT NULL,
	"org_id" uuid NOT NULL,
	"user_id" uuid NOT NULL,
	"invited_email" text,
	"confirmed_at" timestamp (3) with time zone,
	"member_since" timestamp (3) with time zone NOT NULL,
	"used_at" timestamp (3) with time zone,
	"expires_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "shared"."org_undo_links" ADD CONSTRAINT "org_undo_links_org_id_orgs_id_fk" FOREIGN KEY ("org_id") REFERENCES "shared"."orgs"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "shared"."org_undo_links" ADD CONSTRAINT "org_undo_links_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "shared"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "org_undo_links_org" ON "shared"."org_undo_links" USING btree ("org_id","user_id");--> statement-breakpoint
CREATE INDEX "org_undo_links_user" ON "shared"."org_undo_links" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "org_undo_links_expiry" ON "shared"."org_undo_links" USING btree ("expires_at");