-- Takes effect for pages that are filled from now on, and blocks neither reads nor writes.
ALTER TABLE "org_template"."findings" SET (fillfactor = 50);--> statement-breakpoint
ALTER TABLE "org_template"."finding_refs" SET (fillfactor = 50);
