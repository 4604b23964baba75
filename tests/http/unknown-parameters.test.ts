import { beforeAll, describe, expect, it } from 'vitest';
import { endpoints as table } from '../../handlers/index.ts';
import { isInContract } from '../../lib/http/contract.ts';
import type { Endpoint } from '../../lib/http/endpoint.ts';
import type { z } from '../../lib/schema.ts';
import {
  type Answer,
  type CallOptions,
  createOrg,
  createScan,
  createUser,
  must,
  push,
  type TestOrg,
} from '../support/api/api.ts';
import { CONTRACT_ENDPOINTS } from '../support/contract/spec.ts';
import { startApp, type TestApp } from '../support/server/app.ts';

const endpoints: Endpoint[] = Object.values(table);
const contract = new Set(CONTRACT_ENDPOINTS.map((line) => line.split(' ').slice(0, 2).join(' ')));

let t: TestApp;
let org: TestOrg;
const LOCATED = { file: 'src/search.ts', cve: 'CVE-2026-12345' };
/** Names in paths. */
const ids: Record<string, string> = {};

beforeAll(async () => {
  t = await startApp();
  org = await createOrg(t.api);
  const scan = await createScan(t.api, org);
  const { id } = await push(t.api, org, scan, { ...LOCATED, severity: 'low' });
  await push(t.api, org, scan, { ...LOCATED, severity: 'high' });
  const exploit = must(
    await t.api.post(`/agent/findings/${id}/exploits`, {
      ...org.asAgent,
      body: { filename: 'poc.py', language: 'python', code: 'print(1)' },
    }),
  );
  Object.assign(ids, {
    scans: scan,
    findings: id,
    exploits: exploit.id,
    orgs: org.slug,
    projects: org.projectId,
  });
});

const title = ({ method, path }: Endpoint) => `${method} ${path}`;
const WARNING = 'Unknown query parameters were ignored: severty.';

function call({ access, method, path }: Endpoint, query: string): Promise<Answer> {
  const at = path.replace(/([\w-]+)\/\{\w+\}/g, (_, word) => `${word}/${ids[word] ?? crypto.randomUUID()}`);
  const required = path === '/api/v1/agent/findings' ? `project_id=${org.projectId}&` : '';
  const options: CallOptions = access.kind === 'bearer' ? org.asAgent : org.asOwner;
  const body = method === 'GET' ? {} : { body: {} };
  return t.api.call(method, `/${at}?${required}${query}`, { ...options, ...body });
}

/** The parts that are the same in two answers to one request. */
const contentOf = ({ status, json }: Answer) => [status, json?.result, json?.result_info];

it('the contract has all of its endpoints', () => {
  const known = endpoints.filter(({ method, path }) => isInContract(method, path)).map(title);
  expect(known.sort()).toEqual([...contract].sort());
});

describe('an unknown query parameter', () => {
  const reads = endpoints.filter(({ method }) => method === 'GET');
  const ofContract = reads.filter((one) => contract.has(title(one))).map((e) => [title(e), e] as const);
  // Providers, and programs that rewrite the links of mails, add parameters of their own.
  const isForeign = ({ path }: Endpoint) => /\/(?:auth\/sso\/callback|unsubscribe)$/.test(path);
  const others = endpoints
    .filter((one) => !contract.has(title(one)) && !isForeign(one))
    .map((e) => [title(e), e] as const);

  it.each(ofContract)('changes nothing but a warning: %s', async (_, endpoint) => {
    const [without, answer] = [await call(endpoint, ''), await call(endpoint, 'severty=high')];
    expect(answer.status, answer.text).toBe(200);
    expect(without.headers.get('warning')).toBeNull();
    expect(answer.headers.get('warning')).toBe(`299 - "${WARNING}"`);
    // Probes have a body of their own.
    if (!endpoint.path.startsWith('/api/v1') || answer.json?.success !== true) return;
    expect(answer.json.message).toBe(WARNING);
    expect(without.json.message).toBeUndefined();
    expect(contentOf(answer)).toEqual(contentOf(without));
  });

  it.each(others)('is refused: %s', async (_, endpoint) => {
    const answer = await call(endpoint, 'severty=high&page=0');
    expect([answer.status, answer.error], answer.text).toEqual([400, 'validation_error/invalid_request']);
    expect(answer.badFields).toContain('severty');
    expect(answer.headers.get('warning')).toBeNull();
  });

  it('is named in the first bytes of a streamed list', async () => {
    const { text } = await t.api.get('/findings?severty=high', org.asOwner);
    const { text: without } = await t.api.get('/findings', org.asOwner);
    expect(text).toMatch(
      /^\{"success":true,"request_id":"[^"]+","message":"Unknown .*: severty\.","result":\[/,
    );
    expect(without).toMatch(/^\{"success":true,"request_id":"[^"]+","result":\[/);
  });

  it.each([
    ['once, however often it is repeated', 'a=1&b=&a=2&_=123', 'a, b, _'],
    ['beside a known parameter in another case', 'Severity=high', 'Severity'],
    [
      'as a property of every object',
      '__proto__=1&constructor=2&toString',
      '__proto__, constructor, toString',
    ],
    ['in another notation of lists', 'severity[]=high', 'severity[]'],
  ])('is named %s', async (_, query, names) => {
    const { json, result, headers } = await t.api.get(`/findings?${query}`, org.asOwner);
    expect(json.message).toBe(`Unknown query parameters were ignored: ${names}.`);
    expect(headers.get('warning')).toBe(`299 - "${json.message}"`);
    expect(result).toHaveLength(2);
  });

  it('cannot write headers, or make an answer large', async () => {
    const name = encodeURIComponent('é"\\\r\nX: 1\0\u{1f600}');
    const { headers, json } = await t.api.get(`/findings?${name}=1`, org.asOwner);
    expect(headers.get('warning')).toBe(
      '299 - "Unknown query parameters were ignored: %C3%A9%22%5C%0D%0AX: 1%00%F0%9F%98%80."',
    );
    expect(json.message).toContain('é"\\\r\nX: 1\0\u{1f600}');

    const many = Array.from({ length: 1_000 }, (_, i) => `x${i}${'y'.repeat(i)}`).join('&');
    const warned = await t.api.get(`/scans?${many}`, org.asOwner);
    expect(warned.headers.get('warning')?.length).toBeLessThan(1_500);
    const refused = await t.api.get(`/revision?${many}`, org.asOwner);
    expect(refused.badFields).toHaveLength(10);
    expect(refused.text.length).toBeLessThan(2_000);
  });

  it('is added to the message of a write, and is in the header of an answer without a body', async () => {
    const { json, headers } = await t.api.patch('/org-features/require_mfa?dry_run=true', {
      ...org.asOwner,
      body: { enabled: false },
    });
    expect(json.message).toMatch(/\. Unknown query parameters were ignored: dry_run\.$/);
    expect(headers.get('warning')).toContain('dry_run');
    const guest = await createUser(t.api);
    const { user_id } = must(
      await t.api.post('/members/invite', { ...org.asOwner, body: { email: guest.email, role: 'viewer' } }),
    );
    const removed = await t.api.delete(`/members/${user_id}?force=1`, org.asOwner);
    expect([removed.status, removed.text]).toEqual([204, '']);
    expect(removed.headers.get('warning')).toContain('force');
  });

  it.each(['csv', 'sarif', 'json'])('is refused for a list as a file: %s', async (format) => {
    const { refusal, headers } = await t.api.get(`/findings?format=${format}&severty=high`, org.asOwner);
    expect(refusal).toBe('400 validation_error/invalid_request severty');
    expect(headers.get('warning')).toBeNull();
  });

  it('is refused together with wrong values', async () => {
    const { badFields } = await t.api.get('/findings/export.csv?severity=urgent&page=1', org.asOwner);
    expect(badFields.sort()).toEqual(['page', 'severity']);
  });
});

describe('a filter', () => {
  const { listFindings } = table;
  const names = Object.keys((listFindings.describe().request as { query: z.ZodObject }).query.shape);
  /** An empty search, and exclusions of nothing. */
  const MAY_MATCH_ALL = ['q', 'not_source'];

  it.each(names.filter((name) => !MAY_MATCH_ALL.includes(name)))(
    'never matches all when empty: %s',
    async (name) => {
      const { status, result } = await t.api.get(`/findings?${name}=`, org.asOwner);
      if (status !== 400) expect(result).toEqual([]);
    },
  );

  it('counts every word of a search', async () => {
    const words = Array.from({ length: 12 }, () => 'SQL');
    const found = async (q: string) =>
      must(await t.api.get(`/findings?q=${encodeURIComponent(q)}`, org.asOwner));
    expect(await found(words.join(' '))).toHaveLength(2);
    expect(await found([...words, 'absent'].join(' '))).toEqual([]);
  });
});

describe('a change of many findings', () => {
  it.each([
    [{ ids: ['x'], status: 'fixed', if_statuss: 'open' }, 'if_statuss'],
    [{ changes: [{ id: 'x', status: 'fixed', if_statuss: 'open' }] }, 'changes.0'],
    [{ filter: { severty: ['low'] }, expected_count: 2, status: 'fixed' }, 'filter'],
  ])('is refused with a condition that does not exist: %j', async (body, field) => {
    const { refusal } = await t.api.patch('/findings', { ...org.asOwner, body });
    expect(refusal).toBe(`400 validation_error/field_invalid ${field}`);
  });

  it.each(['apply', 'undo'])('by a rule is refused likewise: %s', async (action) => {
    const { refusal } = await t.api.post(`/rules/${crypto.randomUUID()}/${action}`, {
      ...org.asOwner,
      body: { limitt: 1 },
    });
    expect(refusal).toBe('400 validation_error/field_invalid limitt');
  });
});
