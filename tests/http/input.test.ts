import { beforeAll, describe, expect, it } from 'vitest';
import { createOrg, createScan, finding, must, type TestOrg } from '../support/api/api.ts';
import { startApp, type TestApp } from '../support/server/app.ts';

let t: TestApp;
let org: TestOrg;
let scanId: string;

beforeAll(async () => {
  t = await startApp();
  org = await createOrg(t.api);
  scanId = await createScan(t.api, org);
});

describe('a pushed finding', () => {
  const send = (fields: object) =>
    t.api.post('/agent/findings', { ...org.asAgent, body: { ...finding(org, scanId), ...fields } });

  it.each<Record<string, unknown>>([
    { fingerprint: 'x'.repeat(256) },
    { fingerprint: '💥'.repeat(256) },
    { title: 'ü'.repeat(500) },
    { description: 'x'.repeat(102_400) },
    { description: 'é'.repeat(51_200) },
    { cwe: 'CWE-1' },
    { cwe: null, cve: null, cvss_score: null, cvss_vector: null, file: null, line: null, source: null },
    { cve: 'CVE-1999-0001' },
    { cvss_score: 0 },
    { cvss_score: 10 },
    { cvss_score: 9.85 },
    { file: 'a/b.c/…/d' },
    { file: 'C:\\src\\a.cs' },
    { line: 1 },
    { unknown: 'ignored', __proto__: { title: 'no' }, constructor: 1 },
    { title: "'; drop table findings; --" },
    { title: '<script>alert(1)</script>' },
    { title: 'right\u202eto left' },
  ])('is taken (%#)', async (fields) => {
    const answer = await send(fields);
    expect(answer.status, answer.text.slice(0, 500)).toBe(201);
    const given = Object.entries(fields).filter(
      ([key, value]) => value !== null && Object.hasOwn(answer.result, key),
    );
    expect(answer.result).toMatchObject(Object.fromEntries(given));
  });

  it.each([
    [{ scan_id: undefined }, 'required', 'scan_id'],
    [{ project_id: undefined }, 'required', 'project_id'],
    [{ fingerprint: undefined }, 'required', 'fingerprint'],
    [{ title: undefined }, 'required', 'title'],
    [{ severity: undefined }, 'required', 'severity'],
    [{ description: undefined }, 'required', 'description'],
    [{ scan_id: 'x'.repeat(37) }, 'invalid', 'scan_id'],
    [{ project_id: 'not-a-uuid' }, 'invalid', 'project_id'],
    [{ fingerprint: '' }, 'invalid', 'fingerprint'],
    [{ fingerprint: 'x'.repeat(257) }, 'invalid', 'fingerprint'],
    [{ title: 'x'.repeat(501) }, 'invalid', 'title'],
    [{ title: 'a\0b' }, 'invalid', 'title'],
    [{ title: '\ud800' }, 'invalid', 'title'],
    [{ title: ['a'] }, 'invalid', 'title'],
    [{ severity: 'High' }, 'invalid', 'severity'],
    [{ severity: 'urgent' }, 'invalid', 'severity'],
    [{ description: '' }, 'invalid', 'description'],
    [{ description: 'x'.repeat(102_401) }, 'invalid', 'description'],
    [{ description: 'é'.repeat(51_201) }, 'invalid', 'description'],
    [{ cwe: '89' }, 'invalid', 'cwe'],
    [{ cwe: 'CWE-89\n' }, 'invalid', 'cwe'],
    [{ cve: 'CVE-26-1' }, 'invalid', 'cve'],
    [{ cvss_score: 10.1 }, 'invalid', 'cvss_score'],
    [{ cvss_score: -0.1 }, 'invalid', 'cvss_score'],
    [{ cvss_score: '9.8' }, 'invalid', 'cvss_score'],
    [{ cvss_vector: 'x'.repeat(257) }, 'invalid', 'cvss_vector'],
    [{ file: '../etc/passwd' }, 'invalid', 'file'],
    [{ file: 'a/../b' }, 'invalid', 'file'],
    [{ file: 'x'.repeat(1025) }, 'invalid', 'file'],
    [{ line: 0 }, 'invalid', 'line'],
    [{ line: 1.5 }, 'invalid', 'line'],
    [{ line: 2 ** 31 }, 'invalid', 'line'],
    [{ source: 'a\0' }, 'invalid', 'source'],
  ])('is refused with %j', async (fields, kind, field) => {
    const counted = async () => must(await t.api.get('/dashboard/stats', org.asOwner)).total_findings;
    const before = await counted();
    const answer = await send(fields);
    expect(answer.refusal).toBe(`400 validation_error/field_${kind} ${field}`);
    expect(answer.text.length).toBeLessThan(1_000);
    expect(await counted()).toBe(before);
  });

  it('is refused with every bad field named', async () => {
    const answer = await send({ title: undefined, severity: 'x', cwe: 7, line: -1, file: '..' });
    expect(answer.error).toBe('validation_error/field_required');
    expect(answer.badFields.sort()).toEqual(['cwe', 'file', 'line', 'severity', 'title']);
    expect(answer.json.errors[0].details).toContainEqual({ field: 'title', message: 'is required' });
  });
});

describe('a large body', () => {
  const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
  const send = (fields: string) => {
    const body = JSON.stringify(finding(org, scanId)).replace(
      /^\{/,
      `{"padding":"${'x'.repeat(60_000)}",${fields},`,
    );
    return t.api.post('/agent/findings', { ...org.asAgent, body });
  };

  it.each([
    ['49,000 arrays in one another', `"a":${nested(49_000)}`],
    ['49,000 numbers', `"a":[${Array(49_000).fill(0)}]`],
    ['texts that look like values', `"a":"${'[{,'.repeat(20_000)}","b":"\\"${'['.repeat(60_000)}\\\\"`],
  ])('is read with %s', async (_, fields) => {
    expect((await send(fields)).status).toBe(201);
  });

  it.each([
    ['50,000 arrays in one another', `"a":${nested(50_000)}`],
    ['50,000 arrays beside one another', `"a":[${Array(25_000).fill('[]')}]`],
    ['50,000 numbers', `"a":[${Array(50_000).fill(0)}]`],
    ['50,000 objects in one another', `"a":${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`],
    ['50,000 names', `${Array.from({ length: 50_000 }, (_, i) => `"${i}":0`)}`],
    ['arrays that do not end', `"a":${'['.repeat(900_000)}`],
    ['arrays behind a text', `"a":"\\\\","b":${'['.repeat(60_000)}`],
  ])('is refused with %s', async (_, fields) => {
    const answer = await send(fields);
    expect([answer.status, answer.error]).toEqual([400, 'validation_error/invalid_body']);
    expect(answer.json.errors[0].message).toContain('50000 values');
  });
});
