CREATE TABLE "shared"."scim_group_members" (
	"group_id" uuid NOT NULL,
	"org_id" uuid NOT NULL,
	"user_id" uuid NOT NULL,
	CONSTRAINT "scim_group_members_pk" PRIMARY KEY("group_id","user_id")
);
--> statement-breakpoint
CREATE TABLE "shared"."scim_groups" (
	"id" uuid PRIMARY KEY NOT NULL,
	"org_id" uuid NOT NULL,
	"display_name" text NOT NULL,
	"external_id" text,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "shared"."scim_tokens" (
	"org_id" uuid PRIMARY KEY NOT NULL,
	"id" uuid NOT NULL,
	"prefix" text NOT NULL,
	"token_hash" text NOT NULL,
	"created_by" uuid,
	"created_at" timestamp (3) with time zone NOT NULL,
	"last_used" timestamp (3) with time zone,
	CONSTRAINT "scim_tokens_hash" UNIQUE("token_hash")
);
--> statement-breakpoint
CREATE TABLE "shared"."scim_users" (
	"org_id" uuid NOT NULL,
	"user_id" uuid NOT NULL,
	"user_name" text NOT NULL,
	"external_id" text,
	"display_name" text,
	"given_name" text,
	"family_name" text,
	"email" text,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "scim_users_pk" PRIMARY KEY("org_id","user_id")
);
--> statement-breakpoint
ALTER TABLE "shared"."memberships" ADD COLUMN "role_provisioned" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "shared"."memberships" ADD COLUMN "suspended_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "shared"."scim_group_members" ADD CONSTRAINT "scim_group_members_group_id_scim_groups_id_fk" FOREIGN KEY ("group_id") REFERENCES "shared"."scim_groups"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "shared"."scim_group_members" ADD CONSTRAINT "scim_group_members_member" FOREIGN KEY ("org_id","user_id") REFERENCES "shared"."memberships"("org_id","user_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "shared"."scim_groups" ADD CONSTRAINT "scim_groups_org_id_orgs_id_fk" FOREIGN KEY ("org_id") REFERENCES "shared"."orgs"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "shared"."scim_tokens" ADD CONSTRAINT "scim_tokens_org_id_orgs_id_fk" FOREIGN KEY ("org_id") REFERENCES "shared"."orgs"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "shared"."scim_tokens" ADD CONSTRAINT "scim_tokens_created_by_users_id_fk" FOREIGN KEY ("created_by") REFERENCES "shared"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "shared"."scim_users" ADD CONSTRAINT "scim_users_member" FOREIGN KEY ("org_id","user_id") REFERENCES "shared"."memberships"("org_id","user_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "scim_group_members_user" ON "shared"."scim_group_members" USING btree ("org_id","user_id");--> statement-breakpoint
CREATE UNIQUE INDEX "scim_groups_name" ON "shared"."scim_groups" USING btree ("org_id",lower("display_name"));--> statement-breakpoint
CREATE UNIQUE INDEX "scim_users_name" ON "shared"."scim_users" USING btree ("org_id",lower("user_name"));