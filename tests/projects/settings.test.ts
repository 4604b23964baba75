import { beforeAll, describe, expect, it } from 'vitest';
import { createOrg, createUser, must, type TestOrg } from '../support/api/api.ts';
import { startApp, type TestApp } from '../support/server/app.ts';

const REPOSITORY = 'https://github.com/acme/web-shop';

let t: TestApp;
let org: TestOrg;

beforeAll(async () => {
  t = await startApp();
  org = await createOrg(t.api);
});

const change = (body: object, who: object = org.asOwner) =>
  t.api.patch(`/projects/${org.projectId}`, { ...who, body });
const read = async () => must(await t.api.get(`/projects/${org.projectId}`, org.asOwner));

async function join(role: string) {
  const user = await createUser(t.api);
  must(await t.api.post('/members/invite', { ...org.asOwner, body: { email: user.email, role } }));
  return { cookie: user.cookie, org: org.slug };
}

describe('source_url', () => {
  it('is absent until it is set, and again after null', async () => {
    expect(await read()).not.toHaveProperty('source_url');
    expect(must(await change({ source_url: `  ${REPOSITORY} ` })).source_url).toBe(REPOSITORY);
    // Other settings stay.
    must(await change({ close_after_scans: 3 }));
    expect(await read()).toMatchObject({ source_url: REPOSITORY, close_after_scans: 3 });
    const listed = must(await t.api.get('/projects', org.asOwner));
    expect(listed.map(({ source_url }: { source_url: string }) => source_url)).toEqual([REPOSITORY]);
    expect(must(await change({ source_url: null, close_after_scans: null }))).not.toHaveProperty(
      'source_url',
    );
    expect(await read()).not.toHaveProperty('source_url');
  });

  it.each([
    'javascript:alert(1)//{path}',
    'data:text/html,{path}',
    'https://ada:secret@github.com/acme/web-shop',
    'https://{branch}.example/{path}',
    'https://example.com/acme/web-shop',
    'https://x.example/{commit}',
    `https://x.example/${'a'.repeat(200)}/{path}`,
    '',
    7,
    {},
  ])('is refused as %j, and stays as it was', async (source_url) => {
    must(await change({ source_url: REPOSITORY }));
    const answer = await change({ name: 'Renamed', source_url });
    expect([answer.status, answer.error, answer.badFields]).toEqual([
      400,
      'validation_error/field_invalid',
      ['source_url'],
    ]);
    expect(await read()).toMatchObject({ name: 'Web shop', source_url: REPOSITORY });
  });

  it('has up to 200 characters', async () => {
    const longest = 'https://x.example/{path}?'.padEnd(200, 'a');
    expect(must(await change({ source_url: longest })).source_url).toBe(longest);
  });

  it('is set by admins, and seen by all members', async () => {
    const source_url = 'https://gitlab.com/acme/shop';
    for (const role of ['member', 'viewer']) {
      const answer = await change({ source_url: 'https://gitlab.com/evil/shop' }, await join(role));
      expect([answer.status, answer.error]).toEqual([403, 'permission_error/denied']);
    }
    must(await change({ source_url }, await join('admin')));
    const viewer = await join('viewer');
    expect(must(await t.api.get(`/projects/${org.projectId}`, viewer)).source_url).toBe(source_url);
  });
});
