INSERT INTO "org_template"."feature_flags" ("name", "provisioned", "enabled", "description") VALUES
	('org_wide_tokens', true, false, 'API tokens that act on every project of the organization.'),
	('require_mfa', true, false, 'Members must have multi-factor authentication switched on.');
