import { withOwnTables } from '../../../lib/orgs/tables.ts';
import type { TestApp } from '../server/app.ts';

/** Creates the tables of an organization, as its first write does. */
export async function createTables({ services }: Pick<TestApp, 'services'>, slug: string): Promise<void> {
  const org = await services.orgs.named(slug);
  if (!org) throw new Error(`organization ${slug} does not exist`);
  await withOwnTables(services, org);
}
