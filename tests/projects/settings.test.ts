import { beforeAll, describe, expect, it } from 'vitest';
import { createOrg, must, type TestOrg } from '../support/api/api.ts';
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

  // tests/projects/source-links.test.ts has the addresses that are refused.
  it.each(['javascript:alert(1)//{path}', 7])('is refused as %j, and stays as it was', async (source_url) => {
    must(await change({ source_url: REPOSITORY }));
    const answer = await change({ name: 'Renamed', source_url });
    expect(answer.refusal).toBe('400 validation_error/field_invalid source_url');
    expect(await read()).toMatchObject({ name: 'Web shop', source_url: REPOSITORY });
  });

  it('has up to 200 characters', async () => {
    const longest = 'https://x.example/{path}?'.padEnd(200, 'a');
    expect(must(await change({ source_url: longest })).source_url).toBe(longest);
  });
});
