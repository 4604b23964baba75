import { getTableColumns } from 'drizzle-orm';
import { beforeAll, describe, expect, it } from 'vitest';
import { findingFieldList, pushedFindingFields, shownFindingFields } from '../../db/findings/fields.ts';
import { renameStatement } from '../../db/findings/ingest/previous-fingerprints.ts';
import { insertPushesStatement } from '../../db/findings/ingest/routed-statements.ts';
import { ingestStatement, recordingStatement } from '../../db/findings/ingest/statement.ts';
import { findingText } from '../../db/findings/lists/text.ts';
import { defineOrgTables } from '../../db/schema/org.ts';
import { TEMPLATE_SCHEMA } from '../../db/schema/org-schema.ts';
import { toQuery } from '../../db/statements.ts';
import { endpoints } from '../../handlers/index.ts';
import { FindingInput } from '../../lib/findings/input.ts';
import { isValidPush } from '../../lib/findings/valid-push.ts';
import { describeApi } from '../../lib/http/openapi/document.ts';
import { createOrg, createScan, must, type TestOrg } from '../support/api/api.ts';
import { startApp, type TestApp } from '../support/server/app.ts';

/* A field declared in db/findings/fields.ts is in the table, in every statement and in every answer. */

type Row = Record<string, unknown>;

const namesOf = (fields: readonly { name: string }[]) => fields.map(({ name }) => name);
const SHOWN = namesOf(shownFindingFields);
const PUSHED = namesOf(pushedFindingFields);

describe('the SQL that derives from the declared fields', () => {
  const tables = defineOrgTables(TEMPLATE_SCHEMA);
  const select = (as: 'json' | 'csv') =>
    `select ${toQuery(findingText(tables, { as })).sql}\nfrom "${TEMPLATE_SCHEMA}".findings`;

  /** A value for every parameter. */
  const ANYTHING = new Proxy({}, { get: () => '', has: () => true }) as never;
  const BATCH = { pushes: '', actorIds: '', now: '', version: 0 };
  const push = ingestStatement(tables).query(BATCH).sql;
  /** The lines that differ from those of a push. */
  const changed = (statement: string) => {
    const common = new Set(push.split('\n'));
    return statement
      .split('\n')
      .filter((line) => !common.has(line))
      .join('\n');
  };
  it.each([
    ['push', push],
    ['push-recorded', changed(recordingStatement(tables).query(BATCH).sql)],
    ['push-routed', changed(insertPushesStatement(tables).query(ANYTHING).sql)],
    ['rename', renameStatement(tables).query({ pushes: '' }).sql],
    ['json', select('json')],
    ['csv', select('csv')],
  ])('reads as snapshots/%s.sql', async (name, statement) => {
    await expect(`${statement.trim()}\n`).toMatchFileSnapshot(`snapshots/${name}.sql`);
  });

  it('names every column of the table', () => {
    const columns = Object.values(getTableColumns(tables.findings));
    expect(namesOf(findingFieldList).toSorted()).toEqual(namesOf(columns).toSorted());
  });
});

describe('a declared field', () => {
  let t: TestApp;
  let org: TestOrg;
  let scan: string;
  let laterScan: string;

  beforeAll(async () => {
    t = await startApp();
    org = await createOrg(t.api);
    scan = await createScan(t.api, org);
    laterScan = await createScan(t.api, org);
  });

  /** The example of every field. */
  const examples = (fingerprint: string): Row => ({
    ...Object.fromEntries(pushedFindingFields.map(({ name, example }) => [name, example])),
    scan_id: scan,
    project_id: org.projectId,
    fingerprint,
    severity: 'high',
  });
  const pushRaw = async (body: Row): Promise<Row> =>
    must(await t.api.post('/agent/findings', { ...org.asAgent, body }));
  /** A finding that has every field but three: it has regressed, so that no risk is accepted, and it was just seen. */
  const pushRegressed = async (body: Row): Promise<Row> => {
    const { id } = await pushRaw(body);
    const change = {
      status: 'fixed',
      reason: 'mitigated',
      assignee_id: org.owner.id,
      due_at: '2030-01-01T00:00:00Z',
    };
    must(await t.api.patch(`/findings/${id}`, { ...org.asOwner, body: change }));
    return await pushRaw(body);
  };
  const ABSENT = ['accepted_until', 'missing_since', 'proposed'];
  const PRESENT = SHOWN.filter((name) => !ABSENT.includes(name));
  const get = (path: string) => t.api.get(path, org.asOwner);
  const read = async (id: unknown): Promise<Row> => must(await get(`/findings/${id}`));

  it('has an example, unless its type gives one', () => {
    const without = findingFieldList.filter(({ example }) => example === undefined);
    const typed = without.filter(
      ({ sqlType, enumValues }) => enumValues || sqlType === 'uuid' || sqlType.startsWith('timestamp'),
    );
    expect(namesOf(without)).toEqual(namesOf(typed));
  });

  it('is in every answer with its value, and an internal one in none', async () => {
    const body = examples('everywhere');
    const { deduplicated, ...pushed } = await pushRegressed(body);
    expect(Object.keys(pushed)).toEqual(PRESENT);
    expect(pushed).toMatchObject(body);

    const only = (rows: Row[]) => rows.filter(({ id }) => id === pushed.id);
    expect(Object.entries(await read(pushed.id))).toEqual(Object.entries(pushed));
    expect(only(must(await get('/findings')))).toEqual([pushed]);
    expect(only(must(await get('/findings?page=1')))).toEqual([pushed]);
    expect(only(must(await get('/findings?q=search&page=1')))).toEqual([pushed]);
    expect(only(must(await get('/dashboard/stats')).recent_findings)).toEqual([pushed]);
    const ofAgent = await t.api.get(`/agent/findings?project_id=${org.projectId}`, org.asAgent);
    expect(only(must(ofAgent))).toEqual([pushed]);

    const patch = { ...org.asOwner, body: { status: 'confirmed', reason: 'other' } };
    const triaged = must(await t.api.patch(`/findings/${pushed.id}`, patch));
    expect(Object.keys(triaged)).toEqual(PRESENT);
    expect(triaged).toMatchObject({ ...body, status: 'confirmed' });
  });

  it('is in files with its value', async () => {
    const finding = await pushRegressed(examples('exported'));
    const query = `sort=created_at&scan_id=${scan}`;
    const csv = (await get(`/findings?format=csv&${query}`)).text.replace('\ufeff', '').split('\r\n');
    expect(csv[0]?.split(',')).toEqual([...SHOWN, 'project_slug', 'project_name']);
    const line = csv.find((text) => text.startsWith(String(finding.id)));
    const values = line?.match(/"[^"]*"|[^,]+/g)?.map((value) => value.replaceAll('"', ''));
    expect(values).toEqual([...PRESENT.map((name) => String(finding[name])), 'web-shop', 'Web shop']);

    const log = JSON.parse((await get(`/findings?format=sarif&${query}`)).text);
    const result = log.runs[0].results.find(
      ({ properties }: { properties: Row }) => properties.id === finding.id,
    );
    const place: Row = {
      title: result.message.text,
      description: result.message.markdown,
      fingerprint: result.fingerprints['svcFindings/v1'].split('/')[1],
      file: result.locations[0].physicalLocation.artifactLocation.uri,
      line: result.locations[0].physicalLocation.region.startLine,
    };
    for (const name of PRESENT)
      expect([name, place[name] ?? result.properties[name]]).toEqual([name, finding[name]]);
  });

  it('is described', () => {
    const schemas = describeApi(endpoints).components?.schemas as Record<string, { properties?: Row }>;
    const fieldsOf = (schema: string) => Object.keys(schemas[schema]?.properties ?? {});
    expect(fieldsOf('FindingInput')).toEqual([...PUSHED, 'previous_fingerprints']);
    expect(fieldsOf('Finding')).toEqual(SHOWN);
    expect(fieldsOf('ListedFinding')).toEqual(SHOWN);
    expect(fieldsOf('PushedFinding')).toEqual([...SHOWN, 'deduplicated']);
  });

  it('has the same limits for findings of reports as for pushes', () => {
    const valid = { ...examples('limits'), project_id: '0199d1a5-7c00-7b6e-9d53-2f4c8e1a6b07' };
    const bad = (name: string): unknown[] => {
      const long = ['x'.repeat(103_000), '😀'.repeat(1_025), 'é'.repeat(52_000)];
      return name.endsWith('_id')
        ? []
        : [...long, '', '\0', '\ud800', 'a..b', '😀'.repeat(256), 0, 11, 1.5, -1, 2 ** 31];
    };
    const lists = [
      ['a'],
      ['a', ''],
      Array.from({ length: 6 }, () => 'a'),
      Array.from({ length: 5 }, () => 'a'),
    ];
    const pushes = [
      valid,
      ...pushedFindingFields.flatMap(({ name }) =>
        [undefined, ...bad(name)].map((value) => ({ ...valid, [name]: value })),
      ),
      ...lists.map((previous_fingerprints) => ({ ...valid, previous_fingerprints })),
    ];
    const differing = pushes.filter(
      (push) => isValidPush(push as never) !== FindingInput.safeParse(push).success,
    );
    expect(differing).toEqual([]);
    expect(pushes.filter((push) => !isValidPush(push as never)).length).toBeGreaterThan(50);
  });

  it('is kept, replaced or replaced if given by a repeated push, as declared', async () => {
    const first = await pushRaw(examples('repeated'));
    const required = pushedFindingFields.filter(({ notNull }) => notNull);
    const others = {
      scan_id: laterScan,
      title: 'Another title',
      severity: 'low',
      description: 'Another text',
    };
    const second = await pushRaw({
      ...Object.fromEntries(required.map(({ name }) => [name, first[name]])),
      ...others,
    });
    const { deduplicated, ...stored } = second;
    expect(await read(first.id)).toEqual(stored);
    for (const { name, onRepeat, notNull } of pushedFindingFields) {
      const replaced = onRepeat === 'replace' || (onRepeat === 'replace if given' && notNull);
      const expected = replaced ? others[name as keyof typeof others] : first[name];
      expect([name, second[name]]).toEqual([name, expected]);
    }
    expect(second.last_scan_id).toBe(laterScan);
  });

  it('that was absent is stored when a repeated push has it', async () => {
    const all = examples('completed');
    const required = pushedFindingFields.filter(({ notNull }) => notNull);
    await pushRaw(Object.fromEntries(required.map(({ name }) => [name, all[name]])));
    const { deduplicated, ...second } = await pushRaw(all);
    expect(second).toMatchObject(all);
    expect(await read(second.id)).toEqual(second);
  });
});
