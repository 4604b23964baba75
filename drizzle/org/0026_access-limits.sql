CREATE TABLE "org_template"."allowed_networks" (
	"network" varchar(43) PRIMARY KEY NOT NULL
);
