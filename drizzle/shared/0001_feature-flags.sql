INSERT INTO "shared"."feature_flags" ("name", "enabled", "description") VALUES
	('signup', true, 'New users can register.'),
	('invite_only', false, 'Accounts are made by invitation only; registration is refused.'),
	('scan_docker_mode', false, 'Agents run their scanners in containers.'),
	('public_api', false, 'The API is open to integrations outside the organization.');
