import { orgSchemaName } from '../../../db/schema/org-schema.ts';
import { createUser, must, type TestOrg } from '../api/api.ts';
import type { TestApp } from '../server/app.ts';
import { createTables } from './own-tables.ts';

/** Makes an organization with a project in a schema that is older than the code. */
export async function createEmptyOrg(t: TestApp): Promise<TestOrg> {
  const { api, services } = t;
  const owner = await createUser(api);
  const slug = `old-${owner.id.slice(-12)}`;
  const { id } = must(await api.post('/orgs', { cookie: owner.cookie, body: { name: slug, slug } }));
  await createTables(t, slug);
  const projectId = services.nextId().id;
  await services.database.sql.unsafe(
    `insert into ${orgSchemaName(id)}.projects (id, name, slug, created_at) values ($1::uuid, 'Web shop', 'web-shop', now())`,
    [projectId],
  );
  const asOwner = { cookie: owner.cookie, org: slug };
  return { id, slug, owner, projectId, token: '', tokenId: '', asOwner, asAgent: { token: '', org: slug } };
}

/** Fills an organization's first project and a scan, in any schema, so that it is migrated as a large one. */
export async function addManyFindings({ services }: TestApp, { id, projectId }: TestOrg): Promise<void> {
  const schema = orgSchemaName(id);
  const { sql } = services.database;
  await sql.unsafe(
    `insert into ${schema}.scans (scan_id, project_id, persona, name, status, created_at)
     values ('scan', $1::uuid, 'senku', 'x', 'running', now())`,
    [projectId],
  );
  await sql.unsafe(
    `insert into ${schema}.findings (id, project_id, fingerprint, scan_id, last_scan_id, title, severity, description,
       source, file, status, status_changed_at, seen_count, last_seen_at, created_at, updated_at)
     select gen_random_uuid(), $1::uuid, 'print-' || i, 'scan', 'scan', 'Finding ' || i, 'high', repeat('x', 1600),
       'semgrep', 'src/' || i, 'open', now(), 1, now(), now(), now()
     from generate_series(1, 5500) i`,
    [projectId],
  );
  await sql.unsafe(
    `insert into ${schema}.finding_counts (project_id, severity, status, count) values ($1::uuid, 'high', 'open', 5500)`,
    [projectId],
  );
}
