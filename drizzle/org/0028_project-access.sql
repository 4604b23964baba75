CREATE TABLE "org_template"."project_members" (
	"user_id" uuid NOT NULL,
	"project_id" uuid NOT NULL,
	"role" varchar(10) NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "project_members_pk" PRIMARY KEY("user_id","project_id")
);
--> statement-breakpoint
CREATE INDEX "project_members_project" ON "org_template"."project_members" USING btree ("project_id","user_id");