import { beforeAll, describe, expect, expectTypeOf, it } from 'vitest';
import { createFindingsClient, type FindingsClient, type Schemas, ServiceError } from '../../client/index.ts';
import { startService } from '../support/agent/agent-project.ts';
import { createScan, type TestOrg } from '../support/api/api.ts';
import type { RunningServer } from '../support/server/server.ts';

const FINDINGS = 1_203;

let server: RunningServer;
let org: TestOrg;
let agent: FindingsClient;
let owner: FindingsClient;
/** Every request of `agent` and `owner`. */
const requests: Request[] = [];
const warnings: string[] = [];

beforeAll(async () => {
  ({ server, org } = await startService());
  const options = {
    baseUrl: `${server.url}/`,
    orgSlug: org.slug,
    fetch(request: Request) {
      requests.push(request.clone());
      return fetch(request);
    },
    onWarning: (warning: string) => warnings.push(warning),
  };
  agent = createFindingsClient({ ...options, token: org.token });
  const body = { name: 'client', scopes: ['triage'], expires_in: 30 };
  const token = await server.api.post('/profile/tokens', { ...org.asOwner, body });
  owner = createFindingsClient({ ...options, token: token.result.token });
});

async function* made(scan: string, count: number) {
  for (let i = 0; i < count; i++)
    yield {
      scan_id: scan,
      project_id: org.projectId,
      fingerprint: `finding-${i}`,
      title: `Finding ${i} of [{"many"}] \\ "Ünïcödé"`,
      severity: i % 2 === 0 ? ('high' as const) : ('low' as const),
      description: 'User input reaches the query.',
    };
}

async function all<T>(rows: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const row of rows) list.push(row);
  return list;
}

describe('the typed client', () => {
  it('pushes any number of findings in batches, each with a key', async () => {
    requests.length = 0;
    const results = await all(agent.push(made(await createScan(server.api, org), FINDINGS)));
    expect(results).toHaveLength(FINDINGS);
    expect(results.every(({ status }) => status === 'created')).toBe(true);
    expect(requests).toHaveLength(Math.ceil(FINDINGS / 500));
    const keys = requests.map(({ headers }) => headers.get('idempotency-key'));
    expect(new Set(keys).size).toBe(requests.length);
    for (const key of keys) expect(key).toMatch(/^[0-9a-f]{32}$/);
  });

  it('reports the findings that the service refuses, in their order', async () => {
    const scan = await createScan(server.api, org);
    const [good] = await all(made(scan, 1));
    if (!good) throw new Error('no finding');
    const results = await all(agent.push([good, { ...good, title: '' }]));
    expect(results.map(({ status }) => status)).toEqual(['deduplicated', 'failed']);
  });

  it('streams all findings of one response', async () => {
    requests.length = 0;
    const findings = await all(owner.findings({ severity: ['high'] }));
    expectTypeOf(findings).toEqualTypeOf<Schemas['ListedFinding'][]>();
    expect(findings).toHaveLength(Math.ceil(FINDINGS / 2));
    expect(findings[0]?.title).toMatch(/^Finding \d+ of \[\{"many"\}\] \\ "Ünïcödé"$/);
    expect(requests).toHaveLength(1);
    expect(await all(owner.findings({ severity: ['critical'] }))).toEqual([]);
  });

  it('ends the request when the consumer stops', async () => {
    for await (const finding of owner.findings()) {
      expect(finding.id).toMatch(/^[0-9a-f-]{36}$/);
      break;
    }
    expect(await all(owner.findings({ cwe: 'CWE-1' }))).toEqual([]);
  });

  it('reads lists page by page', async () => {
    requests.length = 0;
    const ids = (await all(owner.list('/findings', { query: { per_page: 500 } }))).map(({ id }) => id);
    expect(new Set(ids).size).toBe(FINDINGS);
    expect(requests).toHaveLength(3);
    const [id = ''] = ids;
    const activity = await all(owner.list('/findings/{id}/activity', { path: { id } }));
    expectTypeOf(activity).toEqualTypeOf<Schemas['ActivityEntry'][]>();
    expect(activity.map(({ kind }) => kind)).toEqual(['created']);
    const scans = await all(owner.list('/scans'));
    expectTypeOf(scans).toEqualTypeOf<Schemas['Scan'][]>();
    expect(scans).toHaveLength(2);
  });

  it('exports CSV and SARIF as bytes', async () => {
    const csv = await new Response(
      new Blob((await all(owner.exportFindings('csv'))) as Uint8Array<ArrayBuffer>[]),
    ).text();
    expect(csv.trimEnd().split('\r\n')).toHaveLength(FINDINGS + 1);
    const sarif = await all(owner.exportFindings('sarif', { severity: ['low'] }));
    const log = (await new Response(
      new Blob(sarif as Uint8Array<ArrayBuffer>[]),
    ).json()) as Schemas['SarifLog'];
    expect(log.runs[0]?.results).toHaveLength(Math.floor(FINDINGS / 2));
  });

  it('hears of events, and connects again behind the last one', async () => {
    requests.length = 0;
    const [finding] = await all(owner.findings({ severity: ['high'] }));
    const change = (status: 'confirmed' | 'open') =>
      owner.patch('/findings/{id}', { params: { path: { id: finding?.id ?? '' } }, body: { status } });
    const { id: last } = await firstEvent();

    async function firstEvent() {
      const heard = owner.events({ events: ['finding.status_changed'] }).next();
      await expect.poll(() => requests.some(({ url }) => url.includes('/events'))).toBe(true);
      await new Promise((resolve) => setTimeout(resolve, 500));
      await change('confirmed');
      const { value } = await heard;
      if (!value) throw new Error('no event');
      expectTypeOf(value.event).toEqualTypeOf<Schemas['Event']>();
      expect(value.event).toMatchObject({ type: 'finding.status_changed', data: { total: 1 } });
      return value;
    }

    let opened = 0;
    const another = createFindingsClient({
      ...{ baseUrl: server.url, orgSlug: org.slug },
      token: requests[0]?.headers.get('authorization')?.replace('Bearer ', '') ?? '',
      wait: async () => {},
      async fetch(request) {
        const response = await fetch(request);
        // The first stream ends after its first event.
        if (opened++ > 0 || !response.body) return response;
        let text = '';
        const body = response.body.pipeThrough(
          new TransformStream<Uint8Array, Uint8Array>({
            transform(chunk, controller) {
              text += new TextDecoder().decode(chunk);
              const [event] = /^[\s\S]*?data: .*\n\n/.exec(text) ?? [];
              if (event === undefined) return;
              controller.enqueue(new TextEncoder().encode(event));
              controller.terminate();
            },
          }),
        );
        return new Response(body, response);
      },
    });
    await change('open');
    await change('confirmed');
    await change('open');
    const resumed = another.events({ last_event_id: last });
    const ids: number[] = [];
    for await (const { id } of resumed) if (ids.push(Number(id)) === 3) break;
    expect(ids).toEqual([1, 2, 3].map((n) => Number(last) + n));
    expect(opened).toBe(2);
  });

  it('makes every call of the API', async () => {
    const [finding] = (await owner.get('/findings', { params: { query: { per_page: 1 } } })).result;
    const { result } = await owner.patch('/findings/{id}', {
      params: { path: { id: finding?.id ?? '' } },
      body: { status: 'confirmed', if_status: 'open' },
    });
    expectTypeOf(result).toEqualTypeOf<Schemas['Finding']>();
    expect(result.status).toBe('confirmed');
  });

  it('rejects with the error of the service', async () => {
    const id = '0199d1a5-7c00-7b6e-9d53-2f4c8e1a6b07';
    const error = await owner.get('/findings/{id}', { params: { path: { id } } }).catch((error) => error);
    expect(error).toBeInstanceOf(ServiceError);
    expect(error).toMatchObject({ status: 404, type: 'resource_error', code: 'not_found' });
    expect(error.requestId).toMatch(/^req_/);
    await expect(all(agent.findings())).rejects.toMatchObject({ status: 401, code: 'not_authenticated' });
    await expect(all(owner.findings({ cwe: 'nothing' }))).rejects.toMatchObject({
      code: 'invalid_request',
      details: [{ field: 'cwe' }],
    });
  });
});

describe('filters that the service does not have', () => {
  const unknown = { severty: 'high' } as object;
  const WARNING = 'Unknown query parameters were ignored: severty.';

  it('are told for calls, pages and streams', async () => {
    warnings.length = 0;
    const { message } = await owner.get('/findings', { params: { query: { ...unknown, per_page: 1 } } });
    expect(message).toBe(WARNING);
    await owner.list('/findings', { query: { ...unknown, per_page: 500 } }).next();
    await all(owner.findings(unknown));
    expect(warnings).toEqual([WARNING, WARNING, WARNING]);
  });

  it('fail an export', async () => {
    await expect(all(owner.exportFindings('csv', unknown))).rejects.toThrow(ServiceError);
  });
});
