import { type Content, chainHash, contentDigest, digestOf, FIRST_HASH, newSalt } from '../db/audit/chain.ts';
import { verifyChain } from '../db/audit/verify.ts';
import { createIds } from '../db/ids.ts';
import { defineOrgTables } from '../db/schema/org.ts';
import { orgSchemaName } from '../db/schema/org-schema.ts';
import { createClient, createOrg, type TestOrg } from '../tests/support/api/client.ts';
import type { ScratchDatabase } from '../tests/support/database/scratch.ts';
import { download, readOf } from '../tests/support/http/requests.ts';
import type { Figure } from '../tests/support/scenario/figure.ts';
import { copyByPsql } from './support/psql.ts';
import { bench, compare, sequentially } from './support/rounds.ts';

const SMALL = 10_000;
const ACTORS = 50;
const BATCH = 5_000;
const DAY_MS = 24 * 60 * 60_000;

/** Pages whose time must not depend on the number of entries. */
const PAGES = {
  'first page': (_: TestOrg) => '/audit?per_page=100',
  'of one actor': (_: TestOrg) => `/audit?per_page=100&actor=${actorId(7)}`,
  'of one action': (_: TestOrg) => '/audit?per_page=100&action=token.created',
  'of one target': (org: TestOrg) => `/audit?per_page=100&target=${org.projectId}`,
  'page 100': (_: TestOrg) => '/audit?per_page=100&page=100',
};

/** The audit log of a large organization: pages, a new entry, the export and the verification. */
export const audit = bench({
  summary: `An audit log of 1,000,000 entries: pages and changes against one of ${SMALL}, export and verification against COPY of the same rows`,

  async run(scene, { rounds, rows }) {
    const { url } = await scene.server();
    const { sql } = await scene.database();
    const [org, small] = [await made(rows), await made(SMALL)];
    const figures: Figure[] = [];

    async function made(entries: number): Promise<TestOrg> {
      const created = await createOrg(createClient(fetch, url));
      scene.site.say(`  making ${entries.toLocaleString('en-US')} entries`);
      await writeEntries(sql, created, entries);
      return created;
    }

    for (const [name, pathOf] of Object.entries(PAGES)) {
      const measure = (of: TestOrg) => sequentially(url, readOf(of, pathOf(of)), 20);
      const figure = await compare(scene, rounds, name, { ours: measure(org), limit: measure(small) }, ' ms');
      figures.push({ name: `${name} ms`, ...figure, limitedBy: `${SMALL} entries`, aim: { atMost: 2 } });
    }
    // An export of no entries costs little besides its entry.
    const audited = (of: TestOrg) => sequentially(url, readOf(of, '/activity/export.csv?kind=exploit'));
    const call = await compare(
      scene,
      rounds,
      'audited call',
      { ours: audited(org), limit: audited(small) },
      ' ms',
    );
    figures.push({ name: 'audited call ms', ...call, limitedBy: `${SMALL} entries`, aim: { atMost: 1.2 } });

    const schema = `"${orgSchemaName(org.id)}"`;
    const all = `select e.*, a.name, a.ip, a.user_agent, t.name from ${schema}.audit_entries e
      join ${schema}.audit_names a on a.seq = e.seq and a.side = 'actor'
      join ${schema}.audit_names t on t.seq = e.seq and t.side = 'target'`;
    const copy = async () => copyByPsql((await scene.database()).url, all);
    const exported = async () => {
      const { status, total, bytes } = await download(url, readOf(org, '/audit/export.jsonl'));
      if (status !== 200 || bytes < rows * 300) throw new Error(`${status}, ${bytes} bytes`);
      return total;
    };
    const verified = async () => {
      const began = performance.now();
      const { entries, fault } = await verifyChain(sql, tablesOf(org));
      if (fault || entries < rows) throw new Error(fault ?? `${entries} entries`);
      return performance.now() - began;
    };
    for (const [name, ours, atMost] of [
      ['export', exported, 3],
      ['verification', verified, 6],
    ] as const) {
      const figure = await compare(scene, rounds, name, { ours, limit: copy }, ' ms');
      figures.push({ name: `${name} ms`, ...figure, limitedBy: 'COPY', aim: { atMost } });
    }
    return figures;
  },
});

const tablesOf = ({ id }: TestOrg) => defineOrgTables(orgSchemaName(id));
const actorId = (n: number) => `01990000-0000-7000-8000-${String(n % ACTORS).padStart(12, '0')}`;

/** Appends, as a superuser, entries of the last year before the organization's own as the service does, many at a time. */
async function writeEntries(sql: ScratchDatabase['sql'], org: TestOrg, count: number): Promise<void> {
  const schema = `"${orgSchemaName(org.id)}"`;
  await sql.unsafe(`truncate ${schema}.audit_entries, ${schema}.audit_names, ${schema}.audit_head`);
  const began = Date.now() - 365 * DAY_MS;
  let n = 0;
  const nextId = createIds(() => new Date(began + Math.floor((n / count) * 364 * DAY_MS)));
  let hash = FIRST_HASH;
  while (n < count) {
    const entries: object[] = [];
    const names: object[] = [];
    for (const end = Math.min(n + BATCH, count); n < end; ) {
      const { id, at } = nextId();
      const actor = {
        salt: newSalt(),
        name: `Member ${n % ACTORS}`,
        ip: '203.0.113.7',
        userAgent: 'Mozilla/5.0 (X11)',
      };
      const target = { salt: newSalt(), name: `Project ${n % 500}`, ip: '', userAgent: '' };
      const content: Content = {
        ...{ id, at: at.toISOString(), action: n % 1_000 ? 'project.changed' : 'token.created' },
        ...{ actorType: 'user', actorId: actorId(n), actorDigest: digestOf(actor) },
        ...{
          targetType: 'project',
          targetId: n % 500 ? actorId(n) : org.projectId,
          targetDigest: digestOf(target),
        },
        ...{ changes: `{"name":{"from":"Project ${n}","to":"Project ${n + 1}"}}`, requestId: `req_${id}` },
      };
      n++;
      hash = chainHash(hash, n, contentDigest(content));
      entries.push({ seq: n, ...content, hash });
      names.push({ seq: n, side: 'actor', ...actor }, { seq: n, side: 'target', ...target });
    }
    await sql.unsafe(
      `insert into ${schema}.audit_entries select seq, id, at, action, "actorType", "actorId", "actorDigest", "targetType",
         "targetId", "targetDigest", changes::json, "requestId", hash
       from json_to_recordset($1::text::json) as e(seq bigint, id uuid, at timestamptz, action text, "actorType" text,
         "actorId" uuid, "actorDigest" text, "targetType" text, "targetId" text, "targetDigest" text, changes text,
         "requestId" text, hash text)`,
      [JSON.stringify(entries)],
    );
    await sql.unsafe(
      `insert into ${schema}.audit_names select seq, side, salt, name, ip, "userAgent"
       from json_to_recordset($1::text::json) as n(seq bigint, side text, salt text, name text, ip text, "userAgent" text)`,
      [JSON.stringify(names)],
    );
  }
  await sql.unsafe(`insert into ${schema}.audit_head values (1, ${count}, '${hash}', 0, '${FIRST_HASH}')`);
  await sql.unsafe(`vacuum analyze ${schema}.audit_entries, ${schema}.audit_names`);
}
