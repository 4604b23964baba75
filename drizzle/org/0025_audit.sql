CREATE TABLE "org_template"."audit_entries" (
	"seq" bigint PRIMARY KEY NOT NULL,
	"id" uuid NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	"action" varchar(50) NOT NULL,
	"actor_type" varchar(10) NOT NULL,
	"actor_id" uuid NOT NULL,
	"actor_digest" varchar(64) NOT NULL,
	"target_type" varchar(20) NOT NULL,
	"target_id" varchar(100) NOT NULL,
	"target_digest" varchar(64) NOT NULL,
	"changes" json NOT NULL,
	"request_id" varchar(128) NOT NULL,
	"hash" varchar(64) NOT NULL
);
--> statement-breakpoint
CREATE TABLE "org_template"."audit_head" (
	"id" integer PRIMARY KEY NOT NULL,
	"seq" bigint NOT NULL,
	"hash" varchar(64) NOT NULL,
	"expired_seq" bigint NOT NULL,
	"expired_hash" varchar(64) NOT NULL
);
--> statement-breakpoint
CREATE TABLE "org_template"."audit_names" (
	"seq" bigint NOT NULL,
	"side" varchar(6) NOT NULL,
	"salt" varchar(32) NOT NULL,
	"name" varchar(200) NOT NULL,
	"ip" varchar(45) NOT NULL,
	"user_agent" varchar(200) NOT NULL,
	CONSTRAINT "audit_names_pk" PRIMARY KEY("seq","side")
);
--> statement-breakpoint
CREATE UNIQUE INDEX "audit_entries_id" ON "org_template"."audit_entries" USING btree ("id");--> statement-breakpoint
CREATE INDEX "audit_entries_action" ON "org_template"."audit_entries" USING btree ("action","id");--> statement-breakpoint
CREATE INDEX "audit_entries_actor" ON "org_template"."audit_entries" USING btree ("actor_id","id");--> statement-breakpoint
CREATE INDEX "audit_entries_target" ON "org_template"."audit_entries" USING btree ("target_id","id");--> statement-breakpoint
REVOKE UPDATE, DELETE, TRUNCATE ON "org_template"."audit_entries" FROM CURRENT_USER;