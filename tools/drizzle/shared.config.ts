import { defineConfig } from 'drizzle-kit';

export default defineConfig({
  dialect: 'postgresql',
  schema: [
    'shared-schema',
    'accounts',
    'destinations',
    'erasures',
    'identities',
    'moves',
    'orgs',
    'personal-tokens',
    'platform',
    'scim',
  ].map((name) => `./db/schema/${name}.ts`),
  out: './drizzle/shared',
});
