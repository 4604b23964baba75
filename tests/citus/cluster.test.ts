import { beforeAll, describe, expect, it, vi } from 'vitest';
import type { Sql } from '../../db/pool/query.ts';
import { orgSchemaName } from '../../db/schema/org-schema.ts';
import type { Check } from '../../lib/admin/doctor/checks.ts';
import { runAdmin } from '../../lib/admin/run.ts';
import { createOrg, createScan, createUser, finding, must, push, type TestOrg } from '../support/api/api.ts';
import { startCitusApp } from '../support/citus/app.ts';
import { type CitusCluster, citusBinDir } from '../support/citus/cluster.ts';
import { moveOrg, placementOf, workersOf } from '../support/citus/placements.ts';
import type { TestApp } from '../support/server/app.ts';

/* A coordinator and two workers, set up as docs/scaling.md says. */

const binDir = citusBinDir() ?? '';

/** Runs an administration command. */
async function runCommand(...args: string[]) {
  let out = '';
  let told = '';
  const code = await runAdmin(['--json', ...args], {
    env: { DATABASE_URL: t.databaseUrl },
    out: (text) => {
      out += text;
    },
    err: (text) => {
      told += text;
    },
  });
  if (out === '') throw new Error(told);
  const json = JSON.parse(out);
  return { code, json: json.checks ?? json };
}
let cluster: CitusCluster;
let admin: Sql;
let t: TestApp;
/** Organizations on the first worker, and on the second one. */
let first: TestOrg;
let second: TestOrg;

describe.skipIf(!binDir)('on a Citus cluster', () => {
  beforeAll(async () => {
    ({ cluster, admin, t } = await startCitusApp(binDir));
    [first, second] = [await createOrg(t.api), await createOrg(t.api)];
    const [one, other] = await workersOf(admin);
    await moveOrg(admin, first.id, one as string);
    await moveOrg(admin, second.id, other as string);
  });

  it('the tables of organizations are on workers, and shared is on the coordinator', async () => {
    const schemas = await admin.unsafe<{ name: string }[]>(
      'select schema_name::text as name from citus_schemas',
    );
    expect(schemas.map(({ name }) => name)).toContain(orgSchemaName(first.id));
    expect(schemas.filter(({ name }) => name === 'shared')).toEqual([]);
    const [row] = await admin.unsafe(
      "select count(*)::int from pg_dist_partition where logicalrelid::text like 'shared.%'",
    );
    expect(row?.count).toBe(0);
  });

  it('organizations are spread over the workers, also those that are created after registering', async () => {
    const places = new Set<string | undefined>();
    for (let i = 0; i < 12 && places.size < 2; i++)
      places.add(await placementOf(admin, (await createOrg(t.api)).id));
    expect(places.size).toBe(2);
  });

  it('an organization is moved to another worker while it is pushed to', async () => {
    const scanId = await createScan(t.api, first);
    const [one, other] = (await workersOf(admin)) as [string, string];
    let isMoving = true;
    const seen: number[] = [];
    const statuses: number[] = [];
    const pushing = Array.from({ length: 4 }, async (_, i) => {
      while (isMoving) {
        const body = finding(first, scanId, { fingerprint: `moved ${i % 2}` });
        const { status } = await t.api.post('/agent/findings', { ...first.asAgent, body });
        statuses.push(status);
        if (status < 300) seen[i % 2] = (seen[i % 2] ?? 0) + 1;
      }
    });
    for (const node of [other, one, other, one]) await moveOrg(admin, first.id, node);
    isMoving = false;
    await Promise.all(pushing);
    expect(await placementOf(admin, first.id)).toBe(one);
    expect(statuses.filter((status) => status >= 300)).toEqual([]);
    const stored = await admin.unsafe<{ seen_count: number }[]>(
      `select seen_count from "${orgSchemaName(first.id)}".findings where fingerprint like 'moved %' order by fingerprint`,
    );
    expect(stored.map(({ seen_count }) => seen_count)).toEqual(seen);
  });

  describe('doctor', () => {
    const told = async () =>
      (await runCommand('doctor')).json
        .filter(({ area }: Check) => area === 'Citus')
        .map(({ status, message }: Check) => `${status}: ${message}`);

    it('describes the cluster', async () => {
      expect(await told()).toEqual([
        expect.stringMatching(/^ok: Citus \d+\S*, 2 workers$/),
        'ok: all workers respond',
        expect.stringMatching(/^ok: new organizations are distributed/),
        'ok: the role may create organizations',
        'ok: new organizations are spread over the workers',
        'ok: shared is on the coordinator',
        'ok: all organizations with tables are on workers',
      ]);
    });

    it('finds that new organizations would stay on the coordinator', async () => {
      const set = (to: string) =>
        admin.unsafe(`alter database findings set citus.enable_schema_based_sharding = ${to}`);
      await set('off');
      await admin.unsafe(`revoke usage on sequence pg_catalog.pg_dist_colocationid_seq from findings`);
      try {
        const lines = await told();
        expect(lines).toContainEqual(expect.stringMatching(/^failed: new organizations stay/));
        expect(lines).toContainEqual(expect.stringMatching(/^warning: new organizations are not spread/));
      } finally {
        await set('on');
        await admin.unsafe(`grant usage on sequence pg_catalog.pg_dist_colocationid_seq to findings`);
      }
    });

    it('finds a role that Citus does not know, which creates no organizations', async () => {
      const [known] = await admin.unsafe(
        "delete from pg_catalog.pg_dist_object where objid = 'findings'::regrole returning objid",
      );
      try {
        expect(await told()).toContainEqual(expect.stringMatching(/^failed: the role cannot create/));
        await expect(createOrg(t.api)).rejects.toThrow('cannot be prepared for its first data');
      } finally {
        await admin.unsafe(
          "insert into pg_catalog.pg_dist_object (classid, objid, objsubid) values ('pg_authid'::regclass, $1, 0)",
          [known?.objid],
        );
      }
    });
  });

  describe('while a worker is down', () => {
    let scanIds: [string, string];
    let made: TestOrg;
    beforeAll(async () => {
      scanIds = [await createScan(t.api, first), await createScan(t.api, second)];
      await cluster.workers[0]?.stop('SIGKILL');
    });

    it('its organizations are unavailable', async () => {
      const pushed = await t.api.post('/agent/findings', {
        ...first.asAgent,
        body: finding(first, scanIds[0]),
      });
      expect(pushed.error).toBe('server_error/unavailable');
      const listed = await t.api.get('/findings?per_page=1', first.asOwner);
      expect(listed.error).toBe('server_error/unavailable');
    });

    it('other organizations are served', async () => {
      const calls = Array.from({ length: 30 }, (_, i) =>
        i % 3 === 0
          ? t.api.get('/findings?per_page=5', second.asOwner)
          : t.api.post('/agent/findings', { ...second.asAgent, body: finding(second, scanIds[1]) }),
      );
      const statuses = (await Promise.all(calls)).map(({ status }) => status);
      expect(statuses.filter((status) => status >= 300)).toEqual([]);
    });

    it('people register and create organizations', async () => {
      await createUser(t.api);
      made = await createOrg(t.api);
      expect(await placementOf(admin, made.id)).toBeUndefined();
      await push(t.api, made, await createScan(t.api, made));
    });

    it('/readyz says so, and is ready', async () => {
      await vi.waitFor(async () => {
        const { status, json } = await t.api.get('//readyz');
        expect([status, json.workers_down]).toEqual([200, 1]);
      });
    });

    it('which is back soon after it starts again', async () => {
      await cluster.workers[0]?.start();
      await vi.waitFor(async () => {
        const body = finding(first, scanIds[0]);
        expect((await t.api.post('/agent/findings', { ...first.asAgent, body })).status).toBe(201);
      });
      await vi.waitFor(async () => expect((await t.api.get('//readyz')).json.workers_down).toBe(0));
    });

    it('organizations that were created meanwhile are distributed afterwards, while they are in use', async () => {
      const scanId = await createScan(t.api, made);
      let isOver = false;
      const statuses: number[] = [];
      const using = Array.from({ length: 4 }, async () => {
        while (!isOver) {
          const body = finding(made, scanId);
          statuses.push((await t.api.post('/agent/findings', { ...made.asAgent, body })).status);
          await t.api.get('/findings?per_page=5', made.asOwner);
        }
      });
      const { code, json } = await runCommand('orgs', 'distribute').finally(() => {
        isOver = true;
      });
      await Promise.all(using);
      expect(code).toBe(0);
      expect(json).toContainEqual({ org_id: made.id, org: made.slug, error: null });
      expect(await placementOf(admin, made.id)).toBeDefined();
      const stored = must(await t.api.get('/findings', made.asOwner));
      expect(stored).toHaveLength(1 + statuses.filter((status) => status < 300).length);
    });

    it('the command has nothing to do then', async () => {
      expect(await runCommand('orgs', 'distribute')).toEqual({ code: 0, json: [] });
      await expect(runCommand('orgs', 'distribute', made.slug)).rejects.toThrow(
        /no tables on the coordinator/,
      );
    });
  });
});
