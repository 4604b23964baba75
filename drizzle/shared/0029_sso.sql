CREATE TABLE "shared"."identities" (
	"id" uuid PRIMARY KEY NOT NULL,
	"user_id" uuid NOT NULL,
	"org_id" uuid,
	"issuer" text NOT NULL,
	"subject" text NOT NULL,
	"email" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"last_used_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "identities_subject" UNIQUE NULLS NOT DISTINCT("issuer","subject","org_id")
);
--> statement-breakpoint
CREATE TABLE "shared"."sso_sessions" (
	"session_id" uuid PRIMARY KEY NOT NULL,
	"identity_id" uuid NOT NULL,
	"issuer" text NOT NULL,
	"client_id" text NOT NULL,
	"sub" text NOT NULL,
	"sid" text,
	"id_token" text NOT NULL,
	"end_session" text
);
--> statement-breakpoint
CREATE TABLE "shared"."org_domains" (
	"id" uuid PRIMARY KEY NOT NULL,
	"org_id" uuid NOT NULL,
	"domain" text NOT NULL,
	"token" text NOT NULL,
	"verified_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "shared"."sso_connections" (
	"id" uuid PRIMARY KEY NOT NULL,
	"org_id" uuid NOT NULL,
	"name" text NOT NULL,
	"issuer" text NOT NULL,
	"client_id" text NOT NULL,
	"client_secret" text,
	"scopes" text NOT NULL,
	"claims" json NOT NULL,
	"domains" text[] NOT NULL,
	"default_role" text,
	"role_mapping" json NOT NULL,
	"enabled" boolean NOT NULL,
	"require_sso" boolean NOT NULL,
	"trust_mfa" boolean NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "shared"."mfa_logins" ADD COLUMN "sso" text;--> statement-breakpoint
ALTER TABLE "shared"."sessions" ADD COLUMN "sso_connection_id" uuid;--> statement-breakpoint
ALTER TABLE "shared"."sessions" ADD COLUMN "sso_mfa" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "shared"."sessions" ADD COLUMN "authenticated_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "shared"."memberships" ADD COLUMN "mapped_by" uuid;--> statement-breakpoint
ALTER TABLE "shared"."memberships" ADD COLUMN "break_glass" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "shared"."personal_tokens" ADD COLUMN "sso_connection_id" uuid;--> statement-breakpoint
ALTER TABLE "shared"."identities" ADD CONSTRAINT "identities_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "shared"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "shared"."identities" ADD CONSTRAINT "identities_org_id_orgs_id_fk" FOREIGN KEY ("org_id") REFERENCES "shared"."orgs"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "shared"."sso_sessions" ADD CONSTRAINT "sso_sessions_session_id_sessions_id_fk" FOREIGN KEY ("session_id") REFERENCES "shared"."sessions"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "shared"."sso_sessions" ADD CONSTRAINT "sso_sessions_identity_id_identities_id_fk" FOREIGN KEY ("identity_id") REFERENCES "shared"."identities"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "shared"."org_domains" ADD CONSTRAINT "org_domains_org_id_orgs_id_fk" FOREIGN KEY ("org_id") REFERENCES "shared"."orgs"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "shared"."sso_connections" ADD CONSTRAINT "sso_connections_org_id_orgs_id_fk" FOREIGN KEY ("org_id") REFERENCES "shared"."orgs"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "identities_user" ON "shared"."identities" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "identities_org" ON "shared"."identities" USING btree ("org_id");--> statement-breakpoint
CREATE INDEX "sso_sessions_identity" ON "shared"."sso_sessions" USING btree ("identity_id");--> statement-breakpoint
CREATE INDEX "sso_sessions_sub" ON "shared"."sso_sessions" USING btree ("issuer","sub");--> statement-breakpoint
CREATE UNIQUE INDEX "org_domains_once" ON "shared"."org_domains" USING btree ("org_id","domain");--> statement-breakpoint
CREATE UNIQUE INDEX "org_domains_proven" ON "shared"."org_domains" USING btree ("domain") WHERE "shared"."org_domains"."verified_at" is not null;--> statement-breakpoint
CREATE INDEX "sso_connections_org" ON "shared"."sso_connections" USING btree ("org_id");--> statement-breakpoint
CREATE INDEX "sso_connections_issuer" ON "shared"."sso_connections" USING btree ("issuer","client_id");--> statement-breakpoint
ALTER TABLE "shared"."memberships" ADD CONSTRAINT "memberships_mapped_by_sso_connections_id_fk" FOREIGN KEY ("mapped_by") REFERENCES "shared"."sso_connections"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "memberships_mapped" ON "shared"."memberships" USING btree ("mapped_by") WHERE "shared"."memberships"."mapped_by" is not null;