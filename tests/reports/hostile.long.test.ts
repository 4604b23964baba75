import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { zipSync } from 'fflate';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createOrg, must, type TestOrg } from '../support/api/api.ts';
import { createDatabase, type TestDatabase } from '../support/database/database.ts';
import { limit } from '../support/run/limits.ts';
import { treeCpuSecondsOf } from '../support/server/proc.ts';
import { type RunningServer, startServer, stopServers } from '../support/server/server.ts';

const MIB = 1024 * 1024;
/**
 * A quarter of the default, so that the suite is not slower. `HOSTILE_MIB=64` tries the default, and holds the time until the
 * answer to the limit instead of the processor time, which other tests do not change.
 */
const MAX_MIB = Number(process.env.HOSTILE_MIB ?? 16);
const takesWholeMachine = process.env.HOSTILE_MIB !== undefined;
const LARGEST = MAX_MIB * MIB;
const FIXTURES = join(import.meta.dirname, '../fixtures');
const ANSWER_SECONDS = 10;

let database: TestDatabase;
let server: RunningServer;
let org: TestOrg;
const orgs: TestOrg[] = [];

beforeAll(async () => {
  database = await createDatabase();
  server = await startServer({
    DATABASE_URL: database.url,
    JWT_SECRET: 'a secret for tests only',
    SVC_MAX_REPORT: `${MAX_MIB}MiB`,
  });
  org = await createOrg(server.api);
});

afterAll(async () => {
  await stopServers();
  await database.drop();
});

const send = (body: string | Uint8Array | FormData, query = '', headers = {}) =>
  server.api.post(`/agent/reports?project_id=${org.projectId}${query}`, { ...org.asAgent, body, headers });

const secondsUsed = async () =>
  takesWholeMachine ? performance.now() / 1_000 : treeCpuSecondsOf(server.pid);

/** Repeats a text up to the size of the largest report. */
const fill = (unit: string, start = '', end = '', size = LARGEST) =>
  start + unit.repeat(Math.floor((size - start.length - end.length) / unit.length)) + end;

function uniqueKeys(): string {
  const parts: string[] = [];
  for (let i = 0, size = 0; size < LARGEST - 100; i++) {
    const part = `"${i.toString(36)}":0,`;
    parts.push(part);
    size += part.length;
  }
  return `{${parts.join('')}"x":0}`;
}

const zeros = (size: number) => new Uint8Array(size);

const HOSTILE: [string, () => string | Uint8Array | FormData, string?][] = [
  ['a gzip bomb', () => gzipSync(zeros(16 * LARGEST - 1))],
  ['a gzip bomb just above the limit', () => gzipSync(zeros(LARGEST + 1))],
  ['a gzip bomb in a gzip file', () => gzipSync(gzipSync(zeros(8 * LARGEST)))],
  ['a zip bomb', () => zipSync({ 'audit.fvdl': zeros(5 * LARGEST) })],
  ['one string', () => fill('a', '"', '"')],
  ['one string in a report', () => fill('a', '{"findings":[{"title":"', '"}]}')],
  ['one text', () => fill('a')],
  ['one XML attribute', () => fill('a', '<a b="', '"/>')],
  ['one line of CSV', () => fill('a,')],
  ['100,000 levels', () => `${'['.repeat(100_000)}${']'.repeat(100_000)}`],
  [
    '100,000 levels of a report',
    () => `{"findings":[${'{"title":'.repeat(100_000)}1${'}'.repeat(100_000)}]}`,
  ],
  [
    '100,000 levels of SARIF',
    () => `{"runs":[{"results":${'['.repeat(100_000)}${']'.repeat(100_000)}}]}`,
    'sarif',
  ],
  ['100,000 levels of XML', () => `${'<a>'.repeat(100_000)}${'</a>'.repeat(100_000)}`],
  ['millions of levels', () => fill('[')],
  ['millions of empty lists', () => fill('[],', '[', '0]')],
  ['millions of empty objects', () => fill('{},', '{"findings":[', '{}]}')],
  ['millions of empty SARIF results', () => fill('{},', '{"runs":[{"results":[', '{}]}]}'), 'sarif'],
  ['millions of tiny findings', () => fill('{"title":"a"},', '{"findings":[', '{"title":"b"}]}')],
  [
    'hundreds of thousands of small findings',
    () => fill('{"title":"a","severity":"low"},', '{"findings":[', '{}]}'),
  ],
  [
    'as many small findings as its values allow',
    () => fill('{"title":"a","severity":"low","file_path":"0123456789"},', '{"findings":[', '{}]}'),
  ],
  [
    'as many small SARIF results as its values allow',
    () => fill('{"message":{"text":"0123456789"},"kind":"pass"},', '{"runs":[{"results":[', '{}]}]}'),
    'sarif',
  ],
  [
    'as many small CSV rows as its values allow',
    () => fill('a title with a few words,low\n', 'title,severity\n'),
  ],
  ['as many small documents as its values allow', () => fill('{"title":"a","severity":"low01234"}\n')],
  [
    'as many small XML elements as its values allow',
    () => fill('<a>012345678901234567890123456789012</a>', '<r>', '</r>'),
  ],
  ['millions of JSON lines', () => fill('{}\n')],
  ['millions of numbers', () => fill('1,', '[', '1]')],
  ['millions of keys', uniqueKeys],
  ['millions of CSV rows', () => fill('a,b\n', 'title,severity\n')],
  ['millions of XML elements', () => fill('<a/>', '<r>', '</r>')],
  ['millions of XML attributes', () => fill(' a="1"', '<a', '/>')],
  [
    'hundreds of thousands of parts',
    () => fill('--y\r\ncontent-disposition: form-data; name="f"\r\n\r\n1\r\n', '', '--y--'),
  ],
  ['NUL bytes', () => zeros(LARGEST)],
];

describe('a hostile report', () => {
  it.each(HOSTILE)('is refused within 10 s: %s', async (name, make, format) => {
    // The account of a report that was killed waits.
    org = await createOrg(server.api);
    orgs.push(org);
    const body = make();
    const headers =
      name === 'hundreds of thousands of parts' ? { 'content-type': 'multipart/form-data; boundary=y' } : {};
    const start = await secondsUsed();
    const answer = await send(body, format ? `&format=${format}` : '', headers);
    const seconds = (await secondsUsed()) - start;
    expect([answer.status, answer.error]).toEqual([400, 'validation_error/invalid_body']);
    expect(seconds).toBeLessThan(limit(ANSWER_SECONDS));
  });

  it('leaves no scan, and the server as it was', async () => {
    for (const { asOwner } of orgs) expect(must(await server.api.get('/scans', asOwner))).toEqual([]);
    expect((await server.api.get('//healthz')).status).toBe(200);
    // The server itself holds the bodies only.
    expect(await server.memory()).toBeLessThan(900);
  });
});

describe('a truncated report', () => {
  beforeAll(async () => {
    org = await createOrg(server.api);
  });

  it.each([
    'trivy.json',
    'zap.xml',
    'semgrep.json',
    'generic/findings.csv',
    'nuclei.jsonl',
    'several-runs.sarif',
  ])('is read or refused: %s', async (file) => {
    const content = readFileSync(join(FIXTURES, file));
    for (let tenth = 1; tenth < 10; tenth++) {
      const answer = await send(content.subarray(0, (content.length * tenth) / 10));
      expect([201, 400]).toContain(answer.status);
    }
  });
});
