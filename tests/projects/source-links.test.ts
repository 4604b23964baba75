import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { revisionOf, sourceLink, sourceUrlProblem } from '../../lib/projects/source-links.ts';

const COMMIT = '4f2a9c1e6d8b7a5039c1e2f4a6b8d0c2e4f6a8b0';
const GITHUB = 'https://github.com/acme/web';
const TEMPLATE = 'https://code.example.com/web/{commit}/{path}?b={branch}#L{line}';
const place = { path: 'src/app.ts', line: 10, commit: COMMIT };

describe('a link to the code', () => {
  it.each([
    [GITHUB, `${GITHUB}/blob/${COMMIT}/src/app.ts#L10`],
    [`${GITHUB}.git`, `${GITHUB}/blob/${COMMIT}/src/app.ts#L10`],
    [`${GITHUB}/?tab=readme#top`, `${GITHUB}/blob/${COMMIT}/src/app.ts#L10`],
    ['https://github.acme.example/a/b', `https://github.acme.example/a/b/blob/${COMMIT}/src/app.ts#L10`],
    ['https://gitlab.com/acme/shop/web', `https://gitlab.com/acme/shop/web/-/blob/${COMMIT}/src/app.ts#L10`],
    [
      'http://gitlab.acme.example:8080/a/b.git',
      `http://gitlab.acme.example:8080/a/b/-/blob/${COMMIT}/src/app.ts#L10`,
    ],
    [
      'https://git.example.com/a/b/-/tree/main',
      `https://git.example.com/a/b/-/blob/${COMMIT}/src/app.ts#L10`,
    ],
    ['https://bitbucket.org/acme/web', `https://bitbucket.org/acme/web/src/${COMMIT}/src/app.ts#lines-10`],
    [
      'https://git.example.com/x/projects/AC/repos/web/browse',
      `https://git.example.com/x/projects/AC/repos/web/browse/src/app.ts?at=${COMMIT}#10`,
    ],
    [
      'https://dev.azure.com/acme/Web%20shop/_git/web',
      `https://dev.azure.com/acme/Web%20shop/_git/web?path=/src/app.ts&version=GC${COMMIT}&line=10&lineEnd=11&lineStartColumn=1&lineEndColumn=1`,
    ],
    [TEMPLATE, `https://code.example.com/web/${COMMIT}/src/app.ts?b=HEAD#L10`],
  ])('of %s', (sourceUrl, link) => {
    expect(sourceUrlProblem(sourceUrl)).toBeUndefined();
    expect(sourceLink(sourceUrl, place)).toBe(link);
  });

  const of = (sourceUrl: string, more: object) => sourceLink(sourceUrl, { path: 'a.ts', ...more });
  const [GITLAB, CLOUD] = ['https://gitlab.com/a/b', 'https://bitbucket.org/a/b'];
  const [SERVER, AZURE] = ['https://x.example/projects/A/repos/b', 'https://dev.azure.com/a/b/_git/c'];

  it('leads to the branch or tag without a commit, and to the default branch without either', () => {
    const branch = { branch: 'feature/a#1' };
    expect(of(GITHUB, branch)).toBe(`${GITHUB}/blob/feature/a%231/a.ts`);
    expect(of(GITLAB, branch)).toBe(`${GITLAB}/-/blob/feature/a%231/a.ts`);
    expect(of(CLOUD, branch)).toBe(`${CLOUD}/src/feature%2Fa%231/a.ts`);
    expect(of(SERVER, branch)).toBe(`${SERVER}/browse/a.ts?at=feature%2Fa%231`);
    expect(of(AZURE, branch)).toBe(`${AZURE}?path=/a.ts&version=GBfeature%2Fa%231`);
    expect(of(AZURE, { tag: 'v1' })).toBe(`${AZURE}?path=/a.ts&version=GTv1`);
    expect(of(TEMPLATE, branch)).toBe('https://code.example.com/web/feature/a%231/a.ts?b=feature/a%231');
    expect(of(GITHUB, {})).toBe(`${GITHUB}/blob/HEAD/a.ts`);
    expect(of(CLOUD, {})).toBe(`${CLOUD}/src/HEAD/a.ts`);
    expect(of(SERVER, {})).toBe(`${SERVER}/browse/a.ts`);
    expect(of(AZURE, {})).toBe(`${AZURE}?path=/a.ts`);
    expect(of(TEMPLATE, {})).toBe('https://code.example.com/web/HEAD/a.ts?b=HEAD');
  });

  it('without a line has no anchor and no parameter of the line', () => {
    const template = 'https://x.example/?f={path}&from={line}&to={line}&v={commit}#show';
    expect(of(template, { commit: 'c1' })).toBe('https://x.example/?f=a.ts&v=c1#show');
    expect(of(template, { commit: 'c1', line: 7 })).toBe('https://x.example/?f=a.ts&from=7&to=7&v=c1#show');
    expect(of('https://x.example/{line}/{path}', {})).toBe('https://x.example/1/a.ts');
  });

  it('shows the source of files that hosts format', () => {
    expect(of(GITHUB, { path: 'README.md', line: 3 })).toBe(`${GITHUB}/blob/HEAD/README.md?plain=1#L3`);
    expect(of(GITHUB, { path: 'README.md' })).toBe(`${GITHUB}/blob/HEAD/README.md`);
  });

  it('has every segment of the path encoded', () => {
    const path = 'src\\ä b/[id]#1?x=%2e%2e&y"<.ts';
    const encoded = 'src/%C3%A4%20b/%5Bid%5D%231%3Fx%3D%252e%252e%26y%22%3C.ts';
    expect(of(GITHUB, { path })).toBe(`${GITHUB}/blob/HEAD/${encoded}`);
    expect(of(AZURE, { path })).toBe(`${AZURE}?path=/${encoded}`);
  });

  it.each([
    '../secret',
    'src/../../other',
    'a\\..\\b',
    '..',
    '.',
    '',
    '/etc/passwd',
    'C:\\app\\a.cs',
    'https://shop.example/login',
    'pkg:npm/left-pad@1.0.0',
    'javascript:alert(1)',
    'a\ud800',
  ])('does not exist for the file %j', (path) => {
    expect([GITHUB, GITLAB, CLOUD, SERVER, AZURE, TEMPLATE].map((url) => of(url, { path }))).toEqual(
      Array(6).fill(undefined),
    );
  });

  it('ignores a reported name that would leave its place', () => {
    for (const branch of ['../../evil/repo/blob/main', 'a/./b', 'a//b', '/a', '\ud800'])
      expect(of(GITHUB, { branch, commit: branch })).toBe(`${GITHUB}/blob/HEAD/a.ts`);
  });

  it('stays below the address of the repository, whatever agents report', () => {
    const text = fc.oneof(
      fc.string(),
      fc.constantFrom('..', '/', '\\', '%2e%2e', '//evil.example', '@', '?', '#'),
    );
    const parts = fc.array(text, { maxLength: 6 }).map((all) => all.join(''));
    const anyPlace = fc.record(
      { path: parts, line: fc.nat(), commit: parts, branch: parts, tag: parts },
      { requiredKeys: ['path'] },
    );
    fc.assert(
      fc.property(anyPlace, (given) => {
        for (const [sourceUrl, start] of [
          [GITHUB, `${GITHUB}/blob/`],
          [GITLAB, `${GITLAB}/-/blob/`],
          [CLOUD, `${CLOUD}/src/`],
          [SERVER, `${SERVER}/browse/`],
          [AZURE, `${AZURE}?path=/`],
          ['https://x.example/r/{commit}/{branch}/{path}', 'https://x.example/r/'],
        ] as const) {
          const link = sourceLink(sourceUrl, given);
          if (link !== undefined) expect(new URL(link).href.startsWith(start), link).toBe(true);
        }
      }),
    );
  });
});

describe('the address of a repository', () => {
  it.each([
    ['javascript:alert(1)//{path}', 'must begin with https'],
    ['ftp://x.example/{path}', 'must begin with https'],
    ['git@github.com:acme/web.git', 'must begin with https'],
    ['https:github.com/acme/web', 'must begin with https'],
    ['//github.com/acme/web', 'must begin with https'],
    ['', 'must begin with https'],
    ['https://ada:secret@github.com/acme/web', 'user name or a password'],
    ['https://token@x.example/{path}', 'user name or a password'],
    ['https://{branch}/{path}', 'placeholder in the host'],
    ['https://{branch}.x.example/{path}', 'placeholder in the host'],
    ['https://x.example:{line}/{path}', 'placeholder in the host'],
    ['https://x.example{path}', 'placeholder in the host'],
    ['https://x.example:port/{path}', 'must be a URL'],
    ['https://x.example\\@evil.example/{path}', 'must not contain spaces'],
    ['https://x.example/a b/{path}', 'must not contain spaces'],
    ['https://x.example/\u202e{path}', 'must not contain spaces'],
    ['https://x.example/{path}\n', 'must not contain spaces'],
    ['https://x.example/{file}', '{commit}, {branch}, {path} and {line} only'],
    ['https://x.example/{path}/{', '{commit}, {branch}, {path} and {line} only'],
    ['https://x.example/{commit}', 'must contain {path}'],
    ['https://github.com/acme', 'must be the address of a repository'],
    ['https://github.com/acme/web/tree/main', 'must be the address of a repository'],
    ['https://example.com/acme/web', 'must be the address of a repository'],
    ['https://dev.azure.com/acme/shop', 'must be the address of a repository'],
  ])('is not %j', (sourceUrl, problem) => {
    expect(sourceUrlProblem(sourceUrl)).toContain(problem);
    expect(sourceLink(sourceUrl, place)).toBeUndefined();
  });
});

describe('the revision of a scan', () => {
  it.each([
    [{}, {}],
    [{ target: {} }, {}],
    [
      { commit: 'c1', target: { ref: 'main' } },
      { commit: 'c1', branch: 'main' },
    ],
    [{ target: { ref: 'refs/heads/feature/a' } }, { branch: 'feature/a' }],
    [{ target: { ref: 'refs/tags/v1' } }, { tag: 'v1' }],
    [{ target: { ref: COMMIT } }, { commit: COMMIT }],
    [{ commit: 'c1', target: { ref: COMMIT } }, { commit: 'c1' }],
    [{ target: { ref: 'deadbeef' } }, { branch: 'deadbeef' }],
  ])('of %j is %j', (scan, revision) => {
    const { commit, branch, tag } = revisionOf(scan);
    expect({ ...(commit && { commit }), ...(branch && { branch }), ...(tag && { tag }) }).toEqual(revision);
  });
});
