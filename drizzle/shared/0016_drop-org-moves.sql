DO $$
DECLARE
	moving text;
BEGIN
	LOCK TABLE "shared"."org_moves", "shared"."org_arrivals" IN ACCESS EXCLUSIVE MODE;
	SELECT string_agg(slug, ', ' ORDER BY slug) INTO moving FROM (
		SELECT slug FROM "shared"."org_moves" WHERE moved_at IS NULL OR rows IS NOT NULL
		UNION SELECT coalesce(slug, org_id::text) FROM "shared"."org_arrivals"
	) unfinished;
	IF moving IS NOT NULL THEN
		RAISE EXCEPTION 'organizations are on their way to another cell: %. Run orgs move with the previous version and the settings of the cell that each of them leaves, or cancel it with --cancel until it has left', moving;
	END IF;
END $$;--> statement-breakpoint
DELETE FROM "shared"."settings" WHERE key = 'cell';--> statement-breakpoint
DROP TABLE "shared"."org_arrivals" CASCADE;--> statement-breakpoint
DROP TABLE "shared"."org_moves" CASCADE;
