CREATE TABLE "shared"."used_challenges" (
	"hash" text PRIMARY KEY NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "shared"."mfa_devices" ADD COLUMN "credential_id" text;--> statement-breakpoint
ALTER TABLE "shared"."mfa_devices" ADD COLUMN "public_key" text;--> statement-breakpoint
ALTER TABLE "shared"."mfa_devices" ADD COLUMN "sign_count" bigint;--> statement-breakpoint
ALTER TABLE "shared"."mfa_devices" ADD COLUMN "transports" text[];--> statement-breakpoint
ALTER TABLE "shared"."mfa_devices" ADD COLUMN "signs_in" boolean;--> statement-breakpoint
ALTER TABLE "shared"."sessions" ADD COLUMN "passkey_id" uuid;--> statement-breakpoint
ALTER TABLE "shared"."users" ADD COLUMN "passkey_handle" text;--> statement-breakpoint
CREATE INDEX "used_challenges_expiry" ON "shared"."used_challenges" USING btree ("expires_at");--> statement-breakpoint
ALTER TABLE "shared"."sessions" ADD CONSTRAINT "sessions_passkey_id_mfa_devices_id_fk" FOREIGN KEY ("passkey_id") REFERENCES "shared"."mfa_devices"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "mfa_devices_credential" ON "shared"."mfa_devices" USING btree ("credential_id");--> statement-breakpoint
CREATE INDEX "sessions_passkey" ON "shared"."sessions" USING btree ("passkey_id") WHERE "shared"."sessions"."passkey_id" is not null;