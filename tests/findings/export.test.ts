import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { findingText } from '../../db/findings/lists/text.ts';
import { defineOrgTables } from '../../db/schema/org.ts';
import { orgSchemaName, TEMPLATE_SCHEMA } from '../../db/schema/org-schema.ts';
import { toQuery } from '../../db/statements.ts';
import type { ExportedFinding } from '../../lib/findings/sarif/result.ts';
import { importReport } from '../../lib/importers/index.ts';
import { createLogger } from '../../lib/logger.ts';
import { createOrg, createScan, finding, must, push, type TestOrg } from '../support/api/api.ts';
import { endTalks, serve } from '../support/http/talk.ts';
import { startApp, type TestApp } from '../support/server/app.ts';

let t: TestApp;
let org: TestOrg;
let scan: string;

const KINDS = [
  {
    fingerprint: 'sqli',
    title: 'SQL injection in search',
    severity: 'critical',
    cwe: 'CWE-89',
    cvss_score: 9.8,
    cvss_vector: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H',
    file: 'src/search form.ts',
    line: 42,
    source: 'semgrep',
    rule_id: 'java.sql-injection',
  },
  // Scores that are not of the severity.
  { fingerprint: 'lodash', title: 'Old lodash', severity: 'low', cve: 'CVE-2026-1234', cvss_score: 9.8 },
  { fingerprint: 'header', title: 'A header is missing', severity: 'medium', source: 'zap' },
  { fingerprint: 'banner', title: 'Server banner', severity: 'info', cwe: 'CWE-89' },
  { fingerprint: 'weak', title: 'Weak hash', severity: 'high' },
];

beforeAll(async () => {
  t = await startApp();
  org = await createOrg(t.api);
  scan = await createScan(t.api, org);
  for (const kind of KINDS) await push(t.api, org, scan, kind);
});

const read = (query: string, of = org) => t.api.get(`/findings?${query}`, of.asOwner);
const listed = async (query: string, of = org): Promise<ExportedFinding[]> => must(await read(query, of));

/** The lines of a CSV by their header (RFC 4180). */
function parseCsv(text: string): Record<string, string>[] {
  const lines: string[][] = [[]];
  for (const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n|$)/g)) {
    if (end === '' && quoted === undefined && plain === '') break;
    lines.at(-1)?.push(quoted?.replaceAll('""', '"') ?? plain ?? '');
    if (end === '\r\n') lines.push([]);
  }
  const [names = [], ...rows] = lines.filter((line) => line.length > 0);
  return rows.map((row) => {
    expect(row).toHaveLength(names.length);
    return Object.fromEntries(names.map((name, i) => [name, row[i] ?? '']));
  });
}

/** A finding as CSV says it: texts, empty where there is no value. */
const asTexts = (finding: object, names: string[]) =>
  Object.fromEntries(names.map((name) => [name, String(finding[name as keyof typeof finding] ?? '')]));

describe.each(['json', 'csv', 'sarif'])('GET /findings?format=%s', (format) => {
  const TYPES: Record<string, string> = {
    json: 'application/json',
    csv: 'text/csv; charset=utf-8; header=present',
    sarif: 'application/sarif+json',
  };
  /** Titles, in their order. */
  const titles = async (query: string, of = org) => {
    const answer = await read(`format=${format}&${query}`, of);
    expect(answer.status).toBe(200);
    if (format === 'csv') return parseCsv(answer.text).map(({ title }) => title);
    const rows = format === 'json' ? answer.result : JSON.parse(answer.text).runs[0].results;
    return rows.map((row: { title: string; message: { text: string } }) => row.title ?? row.message.text);
  };

  it('is a file to download', async () => {
    const { headers } = await read(`format=${format}`);
    const today = t.services.clock().toISOString().slice(0, 10);
    expect(headers.get('content-type')).toBe(TYPES[format]);
    expect(headers.get('content-disposition')).toBe(
      `attachment; filename="findings-${org.slug}-${today}.${format}"`,
    );
    expect(headers.get('cache-control')).toBe('no-store');
  });

  it.each(['', 'severity=high,low', 'q=lodash', 'sort=-severity', 'cwe=CWE-89&sort=created_at', 'q=nothing'])(
    'has the findings of the list, in its order: %s',
    async (query) => {
      expect(await titles(query)).toEqual((await listed(query)).map(({ title }) => title));
    },
  );

  it('is of a page when one is asked for', async () => {
    for (const query of ['page=2&per_page=2', 'page=2&per_page=2&sort=severity', 'page=1&q=old', 'page=9'])
      expect(await titles(query)).toEqual((await listed(query)).map(({ title }) => title));
  });
});

it.each(['xml', 'CSV', '', 'csv&format=json'])('format=%s is invalid', async (format) => {
  const answer = await read(`format=${format}`);
  expect([answer.error, answer.badFields]).toEqual(['validation_error/invalid_request', ['format']]);
});

describe.each(['csv', 'sarif'])('GET /findings/export.%s', (format) => {
  const file = (query: string, of = org) => t.api.get(`/findings/export.${format}?${query}`, of.asOwner);

  it.each(['', 'severity=high,low&sort=-severity', 'q=lodash&omit=description', 'q=nothing'])(
    'is the file of the list with the same filters: %s',
    async (query) => {
      const [answer, expected] = [await file(query), await read(`format=${format}&${query}`)];
      expect(answer.status).toBe(200);
      expect(answer.text).toBe(expected.text);
      for (const name of ['content-type', 'content-disposition', 'cache-control'])
        expect(answer.headers.get(name)).toBe(expected.headers.get(name));
    },
  );

  it('refuses a page', async () => {
    expect((await file('page=2&per_page=2')).badFields).toEqual(['page', 'per_page']);
  });

  it('refuses a filter that the list refuses', async () => {
    const answer = await file('severity=bad');
    expect([answer.status, answer.error]).toEqual([400, 'validation_error/invalid_request']);
  });
});

describe('omit=description', () => {
  it('leaves it out, and nothing else', async () => {
    const whole = await listed('');
    const without = whole.map(({ description: _, ...others }) => others);
    expect(whole[0]).toHaveProperty('description');
    for (const query of ['', '&page=1', '&page=1&q=l', '&format=json'])
      expect(await listed(`omit=description${query}`)).toEqual(
        query.includes('q=l') ? without.filter(({ title }) => /l/i.test(title)) : without,
      );
  });

  it('leaves it out of files', async () => {
    const [line] = parseCsv((await read('omit=description&format=csv')).text);
    expect(Object.keys(line ?? {})).not.toContain('description');
    const log = JSON.parse((await read('omit=description&format=sarif')).text);
    expect(log.runs[0].results.map(({ message }: { message: object }) => Object.keys(message))).toEqual(
      KINDS.map(() => ['text']),
    );
  });

  it('does not even read it', () => {
    const textOf = (brief: boolean) =>
      toQuery(findingText(defineOrgTables(TEMPLATE_SCHEMA), { as: 'json', brief })).sql;
    expect(textOf(false)).toContain('description');
    expect(textOf(true)).not.toContain('description');
  });

  it.each(['title', '', 'description&omit=description'])('cannot be %s', async (omit) => {
    expect((await read(`omit=${omit}`)).badFields).toEqual(['omit']);
  });
});

/** Texts that break quotes, lines, formulas, pages and links. */
const HOSTILE = [
  '"',
  '""',
  ',";\r\n',
  'a\nb\r\nc\rd',
  '\\',
  "'",
  '</script><script>alert(1)</script>',
  '\u2028\u2029\u202e',
  '😀é\u0301\u0001',
  '{0} {{1}} %s',
  '[click](javascript:alert(1))',
  '[a[b]](1)',
  '\ufeff',
];
const FORMULAS = [
  '=1+1',
  '+1',
  '-1',
  '@SUM(A1)',
  '\t=1',
  '\r=1',
  '\n=1',
  `=cmd|'/C calc'!A0`,
  '＝1',
  '=HYPERLINK("http://x")',
];

describe('hostile texts', () => {
  let hostile: TestOrg;
  beforeAll(async () => {
    hostile = await createOrg(t.api);
    const id = await createScan(t.api, hostile);
    for (const text of [...HOSTILE, ...FORMULAS]) {
      const fields = { description: text, source: text, cvss_vector: text, fingerprint: text };
      await push(t.api, hostile, id, { ...fields, title: `x${text}`, file: text });
    }
  });

  it('come out of CSV as they went in', async () => {
    const findings = await listed('sort=created_at', hostile);
    const lines = parseCsv((await read('format=csv&sort=created_at', hostile)).text);
    expect(lines).toHaveLength(findings.length);
    const count = HOSTILE.length;
    for (const [i, line] of lines.slice(0, count).entries()) {
      const { project_slug, project_name, ...fields } = line;
      expect([project_slug, project_name]).toEqual(['web-shop', 'Web shop']);
      expect(fields).toEqual(asTexts(findings[i] ?? {}, Object.keys(fields)));
    }
  });

  it('are no formulas in CSV', async () => {
    const lines = parseCsv((await read('format=csv&sort=created_at', hostile)).text).slice(HOSTILE.length);
    expect(lines.map(({ description }) => description)).toEqual(FORMULAS.map((text) => `'${text}`));
    for (const line of lines)
      for (const value of Object.values(line)) expect(value).not.toMatch(/^[=+\-@\t\r\n＝＋－＠]/);
  });

  it('are text in SARIF, and no links', async () => {
    const log = JSON.parse((await read('format=sarif&sort=created_at', hostile)).text);
    const results: { message: { text: string; markdown: string } }[] = log.runs[0].results;
    expect(results.map(({ message }) => message.markdown)).toEqual([...HOSTILE, ...FORMULAS]);
    const texts = results.map(({ message }) => message.text);
    expect(texts).toContain('x\\[click\\](javascript:alert(1))');
    // A finding without CVE and CWE has its source as its rule.
    const rules: { shortDescription: { text: string } }[] = log.runs[0].tool.driver.rules;
    const descriptions = rules.map(({ shortDescription }) => shortDescription.text);
    expect(descriptions).toContain('\\[click\\](javascript:alert(1))');
    for (const text of [...texts, ...descriptions]) expect(text).not.toMatch(/(?<!\\)\[[^\]]*(?<!\\)\]\(/);
  });

  it('are places in SARIF that lead nowhere else', async () => {
    const id = await createScan(t.api, hostile);
    const files = [
      'javascript:alert(1)',
      '//evil.example/x',
      '/etc/passwd',
      'C:\\a b\\c.ts',
      'a?b#c',
      'é/ü.ts',
    ];
    for (const file of files) await push(t.api, hostile, id, { file });
    const log = JSON.parse((await read(`format=sarif&sort=created_at&scan_id=${id}`, hostile)).text);
    const uris: string[] = log.runs[0].results.map(
      // biome-ignore lint/suspicious/noExplicitAny: whatever came back
      (result: any) => result.locations[0].physicalLocation.artifactLocation.uri,
    );
    const root = 'https://code.example/';
    for (const uri of uris) expect(new URL(uri, root).href).toMatch(/^https:\/\/code\.example\/[^?#]*$/);
    expect(uris.map(decodeURIComponent)).toEqual(files.map((file) => file.replace(/^\/\//, '/.//')));
  });
});

describe('CSV', () => {
  it('begins with a byte order mark and the names of the fields, and ends every line with CRLF', async () => {
    const response = await t.app.request('http://localhost/api/v1/findings?format=csv&q=lodash', {
      headers: { cookie: `svc_token=${org.owner.cookie}`, 'x-org-slug': org.slug },
    });
    const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(await response.arrayBuffer());
    const [finding] = await listed('q=lodash');
    const [header, line, ...rest] = text.split('\r\n');
    expect(header).toBe(
      '\ufeffid,scan_id,last_scan_id,project_id,fingerprint,title,severity,description,cwe,cve,cvss_score,cvss_vector,file,line,source,status,status_changed_at,regressed,seen_count,last_seen_at,created_at,updated_at,regressed_at,reason,assignee_id,due_at,accepted_until,missing_since,proposed,rule_id,project_slug,project_name',
    );
    expect(line).toBe(
      `${finding?.id},"${scan}","${scan}",${org.projectId},"lodash","Old lodash","low","User input reaches the query.",,"CVE-2026-1234",9.8,,,,,"open",${finding?.created_at},false,1,${finding?.created_at},${finding?.created_at},${finding?.created_at},,,,,,,,,"web-shop","Web shop"`,
    );
    expect(rest).toEqual(['']);
  });

  it('has the header alone when there is nothing', async () => {
    expect((await read('format=csv&q=nothing')).text).toMatch(/^id,[\w,]+,project_name\r\n$/);
  });
});

describe('CSV for spreadsheets', () => {
  const sheet = async (query: string, of: TestOrg) => {
    const answer = await t.api.get(`/findings/export.csv?layout=spreadsheet&${query}`, of.asOwner);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([
      200,
      'text/csv; charset=utf-8; header=present',
    ]);
    return parseCsv(answer.text);
  };
  const time = (of: string) => of.slice(0, 19).replace('T', ' ');

  it('has names and a link in place of ids, and no formula', async () => {
    const own = await createOrg(t.api);
    const found = await push(t.api, own, await createScan(t.api, own), { ...KINDS[0], title: '=1+1' });
    const name = '+Ada "the first"';
    must(await t.api.patch('/auth/me', { cookie: own.owner.cookie, body: { name } }));
    const due_at = '2099-01-31T22:00:00.000Z';
    const body = { assignee_id: own.owner.id, due_at };
    must(await t.api.patch(`/findings/${found.id}`, { ...own.asOwner, body }));
    const { name: scanName } = must(await t.api.get(`/scans/${found.scan_id}`, own.asOwner));
    const [line] = await sheet('', own);
    expect(line).toEqual({
      ...{ title: "'=1+1", severity: 'critical', status: 'open', reason: '' },
      ...{ project: 'Web shop', assignee: `'${name}`, due: '2099-01-31 22:00:00', accepted_until: '' },
      ...{
        file: 'src/search form.ts',
        line: '42',
        source: 'semgrep',
        rule_id: found.rule_id ?? '',
        cwe: 'CWE-89',
        cve: '',
        cvss_score: '9.8',
      },
      ...{ first_seen: time(found.created_at), last_seen: time(found.last_seen_at), scan: scanName },
      link: `http://localhost:8080/o/${own.slug}/findings/${found.id}`,
    });
  });

  it('has the findings of the list, names former members as such, and takes no other layout', async () => {
    for (const query of ['', 'severity=high,low&sort=-severity', 'q=nothing'])
      expect((await sheet(query, org)).map(({ title }) => title)).toEqual(
        (await listed(query)).map(({ title }) => title),
      );
    const [first] = await listed('sort=created_at');
    await t.services.database.sql.unsafe(
      `update "${orgSchemaName(org.id)}".findings set assignee_id = gen_random_uuid() where id = $1`,
      [first?.id ?? ''],
    );
    expect((await sheet('sort=created_at', org))[0]?.assignee).toBe('A former member');
    const wrong = await t.api.get('/findings/export.csv?layout=table', org.asOwner);
    expect(wrong.badFields).toEqual(['layout']);
  });
});

describe('SARIF', () => {
  // biome-ignore lint/suspicious/noExplicitAny: whatever came back
  const runOf = async (query = ''): Promise<any> => {
    const { version, runs } = JSON.parse((await read(`format=sarif&sort=created_at&${query}`)).text);
    expect([version, runs.length]).toEqual(['2.1.0', 1]);
    return runs[0];
  };

  it('says of a finding what it is, how bad and where', async () => {
    const { results } = await runOf();
    const [finding] = await listed('sort=created_at');
    const { title, description, fingerprint, file, line, ...others } = finding as ExportedFinding;
    const identity = `${org.projectId}/sqli`;
    expect(results[0]).toEqual({
      ruleId: 'java.sql-injection',
      level: 'error',
      message: { text: title, markdown: description },
      locations: [
        {
          physicalLocation: {
            artifactLocation: { uri: 'src/search%20form.ts' },
            region: { startLine: 42 },
          },
        },
      ],
      fingerprints: { 'svcFindings/v1': identity },
      partialFingerprints: { primaryLocationLineHash: identity },
      provenance: {
        firstDetectionTimeUtc: others.created_at,
        lastDetectionTimeUtc: others.last_seen_at,
      },
      properties: {
        ...others,
        project_slug: 'web-shop',
        project_name: 'Web shop',
        tags: ['external/cwe/cwe-089'],
        'security-severity': '9.8',
      },
    });
    expect(results.map(({ level }: { level: string }) => level)).toEqual([
      'error',
      'note',
      'warning',
      'note',
      'error',
    ]);
  });

  it('lists the rules that its results are of, each once, with the highest score', async () => {
    const { tool, results } = await runOf();
    expect(tool.driver.name).toBe('svc-findings');
    // biome-ignore lint/suspicious/noExplicitAny: whatever came back
    expect(tool.driver.rules.map(({ id, helpUri, properties }: any) => [id, helpUri, properties])).toEqual([
      [
        'java.sql-injection',
        'https://cwe.mitre.org/data/definitions/89.html',
        { tags: ['security', 'external/cwe/cwe-089'], 'security-severity': '9.8' },
      ],
      [
        'CVE-2026-1234',
        'https://www.cve.org/CVERecord?id=CVE-2026-1234',
        // The score says critical, but the agent said low.
        { tags: ['security'], 'security-severity': '2' },
      ],
      ['zap', undefined, { tags: ['security'], 'security-severity': '5.5' }],
      [
        'CWE-89',
        'https://cwe.mitre.org/data/definitions/89.html',
        { tags: ['security', 'external/cwe/cwe-089'], 'security-severity': '0' },
      ],
      ['finding', undefined, { tags: ['security'], 'security-severity': '8' }],
    ]);
    const ids = results.map(({ ruleId }: { ruleId: string }) => ruleId);
    expect(ids).toEqual(['java.sql-injection', 'CVE-2026-1234', 'zap', 'CWE-89', 'finding']);
  });

  it('is a run without results and rules when there is nothing', async () => {
    const run = { results: [], tool: { driver: { name: 'svc-findings', rules: [] } } };
    expect(await runOf('q=nothing')).toEqual(run);
  });

  it('suppresses what was decided not to be fixed, and says of what was fixed that it is absent', async () => {
    const own = await createOrg(t.api);
    const id = await createScan(t.api, own);
    const statuses = ['open', 'confirmed', 'fixed', 'false_positive', 'wontfix', 'verified'];
    for (const status of statuses) {
      const finding = await push(t.api, own, id, { title: status });
      const [way, who] = status === 'verified' ? ['/agent', own.asAgent] : ['', own.asOwner];
      must(await t.api.patch(`${way}/findings/${finding.id}`, { ...who, body: { status } }));
    }
    const { text } = await read('format=sarif', own);
    const said = Object.fromEntries(
      // biome-ignore lint/suspicious/noExplicitAny: whatever came back
      JSON.parse(text).runs[0].results.map(({ message, suppressions, baselineState }: any) => [
        message.text,
        suppressions ?? baselineState,
      ]),
    );
    const suppression = { kind: 'external', status: 'accepted' };
    expect(said).toEqual({
      open: undefined,
      confirmed: undefined,
      fixed: 'absent',
      false_positive: [{ ...suppression, justification: 'False positive' }],
      wontfix: [{ ...suppression, justification: "Won't fix" }],
      verified: 'absent',
    });
    const back = importReport(text, { directory: '/builds' }).findings;
    expect(back.map(({ title }) => title).sort()).toEqual(['confirmed', 'open']);
  });

  it('is read back by svc-agent as what it was, the same each time', async () => {
    const { text } = await read('format=sarif');
    const { format, findings } = importReport(text, { directory: '/builds' });
    expect(format).toBe('sarif');
    const kept = (finding: object) => {
      const { fingerprint, title, severity, description, source } = finding as ExportedFinding;
      const { cwe, cve, cvss_score, cvss_vector, file, line, rule_id } = finding as ExportedFinding;
      return {
        ...{ fingerprint, title, severity, description, source },
        ...{ cwe, cve, cvss_score, cvss_vector, file, line, rule_id },
      };
    };
    expect(findings.map(kept)).toEqual((await listed('')).map(kept));
    const again = importReport((await read('format=sarif')).text, { directory: '/elsewhere' }).findings;
    expect(again.map(({ fingerprint }) => fingerprint)).toEqual(
      findings.map(({ fingerprint }) => fingerprint),
    );
  });
});

describe('a long file', () => {
  let long: TestOrg;
  const ROWS = 1_000;
  beforeAll(async () => {
    long = await createOrg(t.api);
    const scanId = await createScan(t.api, long);
    const description = 'x'.repeat(10_000);
    const findings = Array.from({ length: ROWS }, (_, i) =>
      finding(long, scanId, { title: `No. ${i}`, cwe: `CWE-${i + 1}`, description }),
    );
    for (const half of [findings.slice(0, ROWS / 2), findings.slice(ROWS / 2)])
      must(await t.api.post('/agent/findings/batch', { ...long.asAgent, body: { findings: half } }));
  });
  const as = () => ({ cookie: `svc_token=${long.owner.cookie}`, 'x-org-slug': long.slug });

  it.each(['csv', 'sarif'])('begins before it is made, and is whole: %s', async (format) => {
    const url = `http://localhost/api/v1/findings?format=${format}`;
    const response = await t.app.request(url, { headers: as() });
    const reader = response.body?.getReader();
    const decoder = new TextDecoder();
    let text = decoder.decode((await reader?.read())?.value, { stream: true });
    expect(text).toContain(`No. ${ROWS - 1}`);
    expect(text.length).toBeLessThan((ROWS * 10_000) / 3);
    // The access is checked meanwhile, by another connection.
    await vi.waitFor(() => expect(t.services.database.pool().inUse).toBe(1));
    for (let part = await reader?.read(); part && !part.done; part = await reader?.read())
      text += decoder.decode(part.value, { stream: true });
    const titles =
      format === 'csv'
        ? parseCsv(text).map(({ title }) => title)
        : JSON.parse(text).runs[0].results.map(({ message }: { message: { text: string } }) => message.text);
    expect(new Set(titles).size).toBe(ROWS);
    if (format === 'sarif') expect(JSON.parse(text).runs[0].tool.driver.rules).toHaveLength(ROWS);
    await vi.waitFor(() => expect(t.services.database.pool().inUse).toBe(0));
  });

  it.each(['csv', 'sarif'])('frees its connection when its reader goes away: %s', async (format) => {
    // One that were kept would keep others from theirs, see createListPlaces.
    for (let i = 0; i < 6; i++) {
      const url = `http://localhost/api/v1/findings?format=${format}`;
      const reader = (await t.app.request(url, { headers: as() })).body?.getReader();
      await reader?.read();
      await reader?.cancel();
    }
    await vi.waitFor(() => expect(t.services.database.pool().inUse).toBe(0));
  });

  afterEach(endTalks);

  it.each(['csv', 'sarif'])('does not end as if it were whole when it breaks off: %s', async (format) => {
    const said: string[] = [];
    const log = createLogger({ level: 'info', format: 'json', write: (line) => said.push(line) });
    const single = await startApp({ databaseUrl: t.databaseUrl, config: { dbPoolMax: 1 }, log });
    const [backend] = await single.services.database.sql.unsafe('select pg_backend_pid() as pid');
    const { port } = await serve(single.app.fetch);
    const url = `http://127.0.0.1:${port}/api/v1/findings?format=${format}`;
    const response = await fetch(url, { headers: as() });
    expect(response.status).toBe(200);
    await t.services.database.sql.unsafe(`select pg_terminate_backend(${backend?.pid}, 5000)`);
    await expect(response.text()).rejects.toThrow();
    await vi.waitFor(() => expect(said.join('')).toContain('"message":"list broken off"'));
  });
});
