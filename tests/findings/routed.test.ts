import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../db/client.ts';
import type { Batch, PushRow, WrittenRow } from '../../db/findings/ingest/push.ts';
import { writeRouted } from '../../db/findings/ingest/routed.ts';
import { writeAtOnce } from '../../db/findings/ingest/statement.ts';
import type { Sql } from '../../db/pool/query.ts';
import { defineOrgTables, type OrgTables } from '../../db/schema/org.ts';
import { orgSchemaName } from '../../db/schema/org-schema.ts';
import { FINDING_STATUSES, SEVERITIES } from '../../db/schema/values.ts';
import { createOrg, type TestOrg } from '../support/api/api.ts';
import { startApp } from '../support/server/app.ts';

/* The statements for Citus write what the statement for PostgreSQL writes, and return the same. */

const WRITERS = { 'at once': writeAtOnce, routed: inTransaction };
type Way = keyof typeof WRITERS;
const WAYS = Object.keys(WRITERS) as Way[];

const PROJECT = randomUUID();
const OTHER = randomUUID();
const DELETED = randomUUID();
const TOKEN = randomUUID();
const RULE = randomUUID();
const KEY = randomUUID();
const SCANS = { one: PROJECT, two: PROJECT, 'of another': OTHER, 'of a deleted one': DELETED };
const TABLES = [
  ...['findings', 'finding_counts', 'finding_events', 'rule_changes', 'sightings', 'idempotency_keys'],
  ...['api_tokens', 'events'],
];
const AT = Date.parse('2026-03-01T12:00:00Z');
const DAY_MS = 24 * 60 * 60 * 1_000;

let database: Database;
/** An organization for each way of writing. */
let orgs: Record<Way, TestOrg>;

const schemaOf = (way: Way) => `"${orgSchemaName(orgs[way].id)}"`;
const inBoth = (text: (schema: string) => string) =>
  Promise.all(WAYS.map((way) => database.sql.unsafe(text(schemaOf(way))).simple()));

beforeAll(async () => {
  const t = await startApp();
  database = openDatabase({ url: t.databaseUrl, max: 2 });
  orgs = { 'at once': await createOrg(t.api), routed: await createOrg(t.api) };
  const at = `'${new Date(AT).toISOString()}'`;
  await inBoth(
    (s) => `
    delete from ${s}.api_tokens; delete from ${s}.events;
    insert into ${s}.projects (id, name, slug, created_at, deleted_at) values
      ('${PROJECT}', 'One', 'one', ${at}, null), ('${OTHER}', 'Other', 'other', ${at}, null),
      ('${DELETED}', 'Deleted', 'deleted', ${at}, ${at});
    insert into ${s}.scans (scan_id, project_id, persona, name, status, created_at) values
      ${Object.entries(SCANS)
        .map(([id, project]) => `('${id}', '${project}', 'senku', 'Weekly', 'running', ${at})`)
        .join(', ')};
    insert into ${s}.api_tokens (id, name, prefix, token_hash, created_by, created_at) values
      ('${TOKEN}', 'CI', 'prefix', 'hash', '${RULE}', ${at});
    insert into ${s}.rules (id, name, position, enabled, conditions, actions, created_at, updated_at) values
      ('${RULE}', 'Ignore', 1, true, '{}', '{"note": "Only in tests"}', ${at}, ${at});
    insert into ${s}.idempotency_keys (key, position, created_at, body) values ('${KEY}', -1, ${at}, '${KEY}');`,
  );
});
afterAll(() => database?.close());

function inTransaction(client: Sql, tables: OrgTables, batch: Batch): Promise<WrittenRow[]> {
  return client.begin((tx) => writeRouted(tx, tables, batch));
}

const write = (way: Way, rows: readonly PushRow[], version: number | null = 0): Promise<WrittenRow[]> =>
  WRITERS[way](database.sql, defineOrgTables(orgSchemaName(orgs[way].id)), {
    ...{ rows, actorIds: [TOKEN], now: rows.at(-1)?.at as string, version },
  });

let ids = 0;
const uuid = () => `00000000-0000-7000-8000-${String(ids++).padStart(12, '0')}`;

const aPush = (fields: Partial<PushRow> = {}): PushRow => ({
  ...{ ord: 0, id: uuid(), at: new Date(AT + ids * 1_000).toISOString(), actor: 1 },
  ...{ project_id: PROJECT, scan_id: 'one', fingerprint: `print ${ids}`, severity: 'high' },
  ...{ title: 'A "title", with {braces} \\ and NULL', description: "It's\nlong" },
  ...fields,
});

/** All that is stored, without what differs between organizations. */
async function stored(way: Way) {
  const rows = await Promise.all(
    TABLES.map((table) =>
      database.sql.unsafe(
        `select to_json(t) as row from ${schemaOf(way)}.${table} t order by to_json(t)::text`,
      ),
    ),
  );
  return Object.fromEntries(TABLES.map((table, i) => [table, rows[i]?.map(({ row }) => row)]));
}

async function writeBoth(rows: readonly PushRow[], version: number | null = 0) {
  const [atOnce = [], routed = []] = await Promise.all(WAYS.map((way) => write(way, rows, version)));
  const sorted = (results: WrittenRow[]) => results.toSorted((a, b) => a.ord - b.ord).map(comparable);
  expect(sorted(routed)).toEqual(sorted(atOnce));
  expect(await stored('routed')).toEqual(await stored('at once'));
  return sorted(routed);
}

/** Times by their instant: one is in the form of JSON, the other in PostgreSQL's. */
const comparable = ({ known, ...row }: WrittenRow) => ({
  ...row,
  known:
    known &&
    Object.fromEntries(
      Object.entries(known).map(([name, value]) => [
        name,
        typeof value === 'string' && /^\d{4}-\d\d-\d\d[T ]/.test(value) ? Date.parse(value) : value,
      ]),
    ),
});

describe('a batch', () => {
  it('of a new finding, and of the same one in another scan', async () => {
    const push = aPush({ cvss_score: 9.8, line: 42, file: 'src/a.ts' });
    expect(await writeBoth([push])).toEqual([
      { ord: 0, scan_status: 'running', proposed: false, deduplicated: false, known: null },
    ]);
    const again = { ...push, id: uuid(), scan_id: 'two', severity: 'low' as const };
    expect(await writeBoth([again])).toMatchObject([{ deduplicated: true, known: { id: push.id } }]);
  });

  it('for scans that are not registered, of another project or of a deleted one', async () => {
    const scans = ['unregistered', 'of another', 'of a deleted one', 'one'];
    const rows = scans.map((scan_id, ord) => aPush({ ord, scan_id }));
    expect(await writeBoth(rows)).toEqual([
      { ord: 0, scan_status: null, proposed: null, deduplicated: null, known: null },
      { ord: 1, scan_status: 'running', proposed: false, deduplicated: null, known: null },
      { ord: 2, scan_status: null, proposed: null, deduplicated: null, known: null },
      { ord: 3, scan_status: 'running', proposed: false, deduplicated: false, known: null },
    ]);
  });

  it('that follows another version of the policies writes nothing, unless any is right', async () => {
    const push = aPush();
    expect(await writeBoth([push], 7)).toEqual([]);
    expect(await writeBoth([push], null)).toMatchObject([{ deduplicated: false }]);
  });

  it('that records outcomes writes them once', async () => {
    const keyed = (position: number, fields: Partial<PushRow> = {}) =>
      aPush({ ord: position, key: KEY, position, claimed_at: new Date(AT).toISOString(), ...fields });
    const rows = [keyed(0), keyed(1, { scan_id: 'unregistered' }), keyed(2, { scan_id: 'of another' })];
    await writeBoth(rows);
    const before = await stored('routed');
    expect(before.idempotency_keys).toHaveLength(4);
    for (const way of WAYS) await expect(write(way, rows)).rejects.toMatchObject({ code: '23505' });
    expect(await stored('routed')).toEqual(before);
    expect(await stored('at once')).toEqual(before);
  });

  it('of anything, many times', async () => {
    const random = createRandom(1);
    const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T;
    const someDueDates = () => SEVERITIES.map((_, i) => new Date(AT + (i + 1) * DAY_MS).toISOString());
    for (let round = 0; round < 40; round++) {
      const prints = Array.from({ length: 12 }, (_, i) => `random ${i}`).filter(() => random() < 0.5);
      const rows = prints.map((fingerprint, ord) => {
        const due_dates = random() < 0.4 ? someDueDates() : undefined;
        const severity = pick(SEVERITIES);
        const ofRule = {
          decided_by: RULE,
          ...(random() < 0.5 && {
            first_status: 'false_positive' as const,
            first_reason: 'used_in_tests' as const,
          }),
          ...(random() < 0.5 && { first_assignee: RULE }),
          ...(random() < 0.5 && { first_accepted_until: new Date(AT + 90 * DAY_MS).toISOString() }),
        };
        return aPush({
          ...{ ord, fingerprint, severity, scan_id: pick(['one', 'one', 'two', 'unregistered']) },
          ...(due_dates && { due_dates, due_at: due_dates[SEVERITIES.indexOf(severity)] as string }),
          ...(random() < 0.3 && ofRule),
          ...(random() < 0.2 && { due_at: new Date(AT + 90 * DAY_MS).toISOString() }),
        });
      });
      if (rows.length > 0) await writeBoth(rows);
      const [status, print] = [pick(FINDING_STATUSES), `random ${Math.floor(random() * 12)}`];
      await inBoth((s) => `update ${s}.findings set status = '${status}' where fingerprint = '${print}'`);
    }
    const { finding_events, rule_changes, sightings } = await stored('routed');
    const kinds = new Set((finding_events as { kind: string }[]).map(({ kind }) => kind));
    expect(kinds).toEqual(
      new Set(['severity', 'regressed', 'due_at', 'status', 'assignee', 'accepted_until']),
    );
    expect([rule_changes?.length, sightings?.length].every(Boolean)).toBe(true);
  });
});

describe('a push of a scan', () => {
  it('that is registered or deleted between the two first statements is written whole or not at all', async () => {
    const push = aPush({ scan_id: 'in between' });
    const { sql } = database;
    const registration = (s: string) => `insert into ${s}.scans
      (scan_id, project_id, persona, name, status, created_at)
      values ('in between', '${PROJECT}', 'senku', 'Late', 'running', now()) on conflict do nothing`;
    const begin: typeof sql.begin = (run) =>
      sql.begin((tx) => {
        let first: Promise<unknown> | undefined;
        // The second statement is sent when the first one has answered and another session has registered the scan.
        const unsafe = ((text: string, params: never[]) => {
          const send = () => tx.unsafe(text, params);
          if (first) return first.then(() => inBoth(registration)).then(send);
          const query = send();
          first = query;
          return query;
        }) as typeof tx.unsafe;
        return run({ unsafe });
      });
    const client = { ...sql, begin } as typeof sql;
    const tables = defineOrgTables(orgSchemaName(orgs.routed.id));
    const batch = { rows: [push], actorIds: [TOKEN], now: push.at, version: 0 };
    await expect(inTransaction(client, tables, batch)).rejects.toMatchObject({ code: '40001' });
    expect((await stored('routed')).findings).toEqual((await stored('at once')).findings);
    expect(await writeBoth([push])).toMatchObject([{ scan_status: 'running', deduplicated: false }]);
  });
});

/** A small generator with a seed (mulberry32). */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}
