CREATE TABLE "org_template"."ci_tokens" (
	"prefix" varchar(12) NOT NULL,
	"token_hash" varchar(64) NOT NULL,
	"trust_id" uuid NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "ci_tokens_pk" PRIMARY KEY("prefix","token_hash")
);
--> statement-breakpoint
CREATE TABLE "org_template"."ci_trusts" (
	"project_id" uuid NOT NULL,
	"id" uuid NOT NULL,
	"issuer" varchar(150) NOT NULL,
	"claims" varchar(300) NOT NULL,
	CONSTRAINT "ci_trusts_pk" PRIMARY KEY("project_id","id")
);
--> statement-breakpoint
CREATE INDEX "ci_tokens_trust" ON "org_template"."ci_tokens" USING btree ("trust_id","expires_at");