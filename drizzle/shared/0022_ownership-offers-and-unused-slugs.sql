CREATE TABLE "shared"."declined_invitations" (
	"hash" text PRIMARY KEY NOT NULL,
	"org_id" uuid NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "shared"."invitation_links" (
	"token_hash" text PRIMARY KEY NOT NULL,
	"org_id" uuid NOT NULL,
	"user_id" uuid NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "shared"."memberships" ADD COLUMN "is_held" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "shared"."memberships" ADD COLUMN "owner_offer_until" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "shared"."memberships" ADD COLUMN "owner_offer_by" uuid;--> statement-breakpoint
ALTER TABLE "shared"."orgs" ADD COLUMN "is_unused" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "shared"."orgs" ADD COLUMN "verify_by" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "shared"."orgs" ADD COLUMN "verify_warned_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "shared"."declined_invitations" ADD CONSTRAINT "declined_invitations_org_id_orgs_id_fk" FOREIGN KEY ("org_id") REFERENCES "shared"."orgs"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "shared"."invitation_links" ADD CONSTRAINT "invitation_links_org_id_orgs_id_fk" FOREIGN KEY ("org_id") REFERENCES "shared"."orgs"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "shared"."invitation_links" ADD CONSTRAINT "invitation_links_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "shared"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "declined_invitations_org" ON "shared"."declined_invitations" USING btree ("org_id");--> statement-breakpoint
CREATE INDEX "declined_invitations_expiry" ON "shared"."declined_invitations" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "invitation_links_org" ON "shared"."invitation_links" USING btree ("org_id","user_id");--> statement-breakpoint
CREATE INDEX "invitation_links_user" ON "shared"."invitation_links" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "invitation_links_expiry" ON "shared"."invitation_links" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "orgs_verify_by" ON "shared"."orgs" USING btree ("verify_by") WHERE "shared"."orgs"."verify_by" is not null;