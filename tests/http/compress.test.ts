import { gunzipSync } from 'node:zlib';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { createOrg, createScan, push, type TestOrg } from '../support/api/api.ts';
import { startApp, type TestApp } from '../support/server/app.ts';

let t: TestApp;
let org: TestOrg;

beforeAll(async () => {
  t = await startApp();
  org = await createOrg(t.api);
  const scan = await createScan(t.api, org);
  await Promise.all(Array.from({ length: 201 }, (_, i) => push(t.api, org, scan, { title: `Finding ${i}` })));
});

async function get(path: string, accepted?: string, method = 'GET') {
  const headers = {
    cookie: `svc_token=${org.asOwner.cookie}`,
    'x-org-slug': org.slug,
    ...(accepted !== undefined && { 'accept-encoding': accepted }),
  };
  const response = await t.app.request(`/api/v1${path}`, { method, headers });
  return { response, bytes: new Uint8Array(await response.arrayBuffer()) };
}

const textOf = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
const encodingOf = ({ response }: { response: Response }) => response.headers.get('content-encoding');

// A runtime of the edge compresses what leaves it.
describe.skipIf(inject('edgePort'))('compression of lists', () => {
  it('compresses a page for clients that accept gzip', async () => {
    const plain = await get('/findings?per_page=10');
    const packed = await get('/findings?per_page=10', 'gzip, deflate, br');
    expect(encodingOf(plain)).toBeNull();
    expect(encodingOf(packed)).toBe('gzip');
    expect(packed.bytes.length).toBeLessThan(plain.bytes.length / 2);
    expect(JSON.parse(textOf(gunzipSync(packed.bytes))).result).toEqual(
      JSON.parse(textOf(plain.bytes)).result,
    );
  });

  it('tells caches that the response depends on Accept-Encoding, compressed or not', async () => {
    for (const accepted of [undefined, 'gzip']) {
      const { response } = await get('/findings?per_page=10', accepted);
      expect(response.headers.get('vary')).toBe('Accept-Encoding');
    }
  });

  it.each(['identity', 'gzip;q=0', 'br', '', 'nonsense;;', 'identity, gzip;q=0.5'])(
    'does not compress for %j',
    async (accepted) => {
      expect(encodingOf(await get('/findings?per_page=10', accepted))).toBeNull();
    },
  );

  it.each([
    ['small pages', '/findings?per_page=1'],
    ['streamed lists', '/findings'],
    ['other responses', '/auth/me'],
    ['errors', '/findings?per_page=0'],
  ])('does not compress %s', async (_what, path) => {
    expect(encodingOf(await get(path, 'gzip'))).toBeNull();
  });

  it('does not compress lists that would keep other requests waiting', async () => {
    const scan = await createScan(t.api, org);
    const description = 'x'.repeat(100_000);
    for (const title of ['a', 'b', 'c'])
      await push(t.api, org, scan, { title: `Large ${title}`, description });
    expect(encodingOf(await get('/findings?per_page=2', 'gzip'))).toBe('gzip');
    expect(encodingOf(await get('/findings?per_page=3', 'gzip'))).toBeNull();
  });

  it('answers HEAD without a body', async () => {
    const { response, bytes } = await get('/findings?per_page=10', 'gzip', 'HEAD');
    expect(response.status).toBe(200);
    expect(bytes.length).toBe(0);
  });
});
