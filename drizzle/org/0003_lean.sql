-- In the order in which all other transactions take these tables, so that nobody waits in a circle; each is written
-- anew once, and so loses the TOAST table it does not need any more.
ALTER TABLE "org_template"."api_tokens"
	ALTER COLUMN "name" SET DATA TYPE varchar(100),
	ALTER COLUMN "prefix" SET DATA TYPE varchar(12),
	ALTER COLUMN "token_hash" SET DATA TYPE varchar(64);--> statement-breakpoint
ALTER TABLE "org_template"."projects"
	ALTER COLUMN "name" SET DATA TYPE varchar(200),
	ALTER COLUMN "slug" SET DATA TYPE varchar(50);--> statement-breakpoint
DROP INDEX "org_template"."exploits_finding";--> statement-breakpoint
ALTER TABLE "org_template"."exploits" DROP CONSTRAINT "exploits_pkey";--> statement-breakpoint
ALTER TABLE "org_template"."exploits" ADD CONSTRAINT "exploits_pk" PRIMARY KEY("finding_id","id");--> statement-breakpoint
ALTER TABLE "org_template"."finding_counts"
	ALTER COLUMN "severity" SET DATA TYPE varchar(20),
	ALTER COLUMN "status" SET DATA TYPE varchar(20);--> statement-breakpoint
ALTER TABLE "org_template"."sightings" ALTER COLUMN "scan_id" SET DATA TYPE varchar(36);--> statement-breakpoint
ALTER TABLE "org_template"."scan_counts" ALTER COLUMN "status" SET DATA TYPE varchar(20);--> statement-breakpoint
ALTER TABLE "org_template"."feature_flags"
	ALTER COLUMN "name" SET DATA TYPE varchar(50),
	ALTER COLUMN "description" SET DATA TYPE varchar(400);
