import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { endpoints } from '../../handlers/index.ts';
import { VARIABLE_NAMES } from '../../lib/config/variables.ts';
import type { Access } from '../../lib/http/access.ts';
import { TAGS } from '../../lib/http/endpoint-spec.ts';
import { describeApi } from '../../lib/http/openapi/document.ts';
import { SECURITY_EVENTS } from '../../lib/security-events.ts';
import pkg from '../../package.json' with { type: 'json' };
import { ADDED_ENDPOINTS } from '../support/contract/spec.ts';
import { createDatabase, type TestDatabase } from '../support/database/database.ts';
import { type RunningServer, startServer, stopServers } from '../support/server/server.ts';

let database: TestDatabase;
let server: RunningServer;

beforeAll(async () => {
  database = await createDatabase();
  server = await startServer({ DATABASE_URL: database.url });
});

afterAll(async () => {
  await stopServers();
  await database.drop();
});

describe("the API's description", () => {
  it('is served as it is made', async () => {
    const answer = await server.api.get('/docs/openapi.yaml');
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('application/yaml');
    const made = JSON.parse(JSON.stringify(describeApi(endpoints)));
    expect(parse(answer.text)).toEqual(made);
    expect(made.info.version).toBe(pkg.version);
    const asJson = await server.api.get('/docs/openapi.json');
    expect(asJson.headers.get('content-type')).toBe('application/json');
    expect(JSON.parse(asJson.text)).toEqual(made);
  });

  it('has the sections of the specification in their order, and says everything of every operation', () => {
    const { openapi, tags, paths } = describeApi(endpoints);
    expect(openapi).toBe('3.0.3');
    expect(tags?.map(({ name }) => name)).toEqual([...TAGS]);
    const operations = Object.values(paths).flatMap((item) => Object.values(item));
    expect(operations.map(({ operationId }) => operationId).sort()).toEqual(Object.keys(endpoints).sort());
    for (const operation of operations) {
      expect(operation).toMatchObject({
        summary: expect.stringMatching(/./),
        description: expect.stringMatching(/./),
        tags: [expect.stringMatching(/./)],
        security: expect.any(Array),
        responses: { 400: expect.anything(), 500: expect.anything() },
      });
    }
  });
});

describe('the endpoint tables of docs/api.md', () => {
  it('have every endpoint with its access, and no other', () => {
    const [, section = ''] = readFileSync('docs/api.md', 'utf8').split('\n## Endpoints\n');
    const [tables = ''] = section.split('\n## ');
    const listed = [...tables.matchAll(/^\| `(\w+ \/[^`]*)` \| ([^|]+) \|/gm)].map(
      ([, endpoint, access]) => `${endpoint} ${access}`,
    );
    const served = Object.values(endpoints).map(
      ({ method, path, access }) => `${method} ${path.replace(/^\/api\/v1/, '')} ${accessLabel(access)}`,
    );
    expect(listed.toSorted()).toEqual(served.toSorted());
  });
});

function accessLabel(access: Access): string {
  switch (access.kind) {
    case 'public':
      return 'public';
    case 'baseDomainOnly':
      return 'base domain';
    case 'cookie':
      return `${access.stepUp === true ? 'stepped-up user' : access.unverified ? 'unverified user' : 'user'}${access.tokens ? ', person' : ''}`;
    case 'cookieOrg':
      if (access.stepUp === true) return `stepped-up ${access.role}`;
      return access.role + { none: ', session', personal: ', person', any: '' }[access.tokens];
    case 'bearer':
      return 'agent';
  }
}

describe('the additions to the contract', () => {
  it('have all endpoints in their table, and no others', () => {
    const [, section = ''] = readFileSync('docs/api.md', 'utf8').split('### Additional endpoints\n');
    const [table = ''] = section.split('\n### ');
    const listed = [...table.matchAll(/^\| `(\w+ \/[^`]*)` \|/gm)].map(([, endpoint]) => endpoint);
    const added = ADDED_ENDPOINTS.map((line) => line.split(' ').slice(0, 2).join(' ').replace('/api/v1', ''));
    expect(listed.toSorted()).toEqual(added.toSorted());
  });
});

describe('the page of the web UI', () => {
  it('is never kept, loads nothing but our own files, and has no script in it', async () => {
    const { text, headers } = await server.api.get('//o/acme/findings');
    expect(headers.get('cache-control')).toBe('no-cache');
    expect(headers.get('content-security-policy')).toContain("script-src 'self';");
    expect(text).not.toMatch(/<script(?![^>]* src=)/);
    const sources = [...text.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, url]) => url ?? '');
    for (const kind of ['.js', '.css', '.svg'])
      expect(sources.some((path) => path.endsWith(kind))).toBe(true);
    for (const source of sources) expect(source).toMatch(/^\/assets\/ui\/[\w-]+-[\w-]{8}\.(js|css|svg)$/);
  });

  it.each(['br', 'gzip'])('has files that are kept for ever, compressed beforehand: %s', async (encoding) => {
    const { text } = await server.api.get('//');
    const [, script] = /<script type="module"[^>]*src="([^"]*)"/.exec(text) ?? [];
    const file = await fetch(server.url + script, { headers: { 'accept-encoding': encoding } });
    expect(file.headers.get('content-encoding')).toBe(encoding);
    expect(file.headers.get('content-type')).toMatch(/javascript/);
    expect(file.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(file.headers.get('x-content-type-options')).toBe('nosniff');
    expect(await file.text()).toContain('import');
  });
});

describe('svc-agent.mjs', () => {
  const fileOf = async (name: string, encoding = 'identity') => {
    const file = await fetch(`${server.url}/assets/${name}`, { headers: { 'accept-encoding': encoding } });
    expect([file.status, file.headers.get('cache-control')]).toEqual([200, 'no-cache']);
    return Buffer.from(await file.arrayBuffer());
  };

  it.each(['identity', 'gzip'])(
    'is served beside its SHA-256, as sha256sum -c reads it: %s',
    async (encoding) => {
      const digest = createHash('sha256').update(await fileOf('svc-agent.mjs', encoding));
      expect((await fileOf('svc-agent.mjs.sha256')).toString()).toBe(
        `${digest.digest('hex')}  svc-agent.mjs\n`,
      );
    },
  );

  it('is checked by every command that fetches it', () => {
    const root = resolve(import.meta.dirname, '../..');
    const files = [
      'README.md',
      'docs/agent.md',
      'docs/how-to/ci.md',
      'ui/src/projects/agent-commands.ts',
      'ui/src/projects/SendFindings.tsx',
    ];
    const fetching = files
      .flatMap((file) => readFileSync(join(root, file), 'utf8').split('\n'))
      .filter((line) => /curl .*svc-agent\.mjs|curl .*\$\{file\}/.test(line));
    expect(fetching.length).toBeGreaterThanOrEqual(4);
    for (const line of fetching) expect(line).toContain('.sha256');
  });
});

describe('the documentation page', () => {
  it('loads nothing but our own files, and its policy allows what it needs and no more', async () => {
    const { text, headers } = await server.api.get('/docs');
    const sources = [...text.matchAll(/<(?:script|link)\s[^>]*(?:src|href)="([^"]*)"/g)].map(
      ([, url]) => url ?? '',
    );
    expect(sources).toHaveLength(2);
    for (const source of sources) {
      expect(source).toMatch(/^\/assets\//);
      const file = await fetch(server.url + source, { headers: { 'accept-encoding': 'gzip' } });
      expect(file.status).toBe(200);
      expect(file.headers.get('content-type')).toMatch(source.endsWith('.css') ? /css/ : /javascript/);
      expect(file.headers.get('content-encoding')).toBe('gzip');
      expect(file.headers.get('x-content-type-options')).toBe('nosniff');
      expect((await file.text()).length).toBeGreaterThan(100_000);
    }
    const hashes = [...text.matchAll(/<script>([\s\S]*?)<\/script>/g)].map(
      ([, script = '']) => `'sha256-${createHash('sha256').update(script).digest('base64')}'`,
    );
    expect(hashes).toHaveLength(3);
    expect(headers.get('content-security-policy')).toContain(`script-src 'self' ${hashes.join(' ')};`);
  });

  it.each(['/assets/', '/assets/nothing.js', '/assets/swagger-ui-dist', '/assets/%2e%2e/%2e%2e/server.js'])(
    'serves no other file: %s',
    async (path) => {
      const answer = await fetch(server.url + path);
      expect(await answer.text()).toMatch(/^<!doctype html>/);
    },
  );
});

describe('the documents', () => {
  const root = resolve(import.meta.dirname, '../..');
  const read = (file: string) => readFileSync(join(root, file), 'utf8');
  const documents = ['.', 'docs', 'docs/how-to'].flatMap((directory) =>
    readdirSync(join(root, directory))
      .filter((name) => name.endsWith('.md'))
      .map((name) => join(directory, name)),
  );
  /** As GitHub makes them: of the words, without what is neither letter nor digit. */
  const anchorsOf = (text: string) =>
    [...text.replace(/^```[\s\S]*?^```/gm, '').matchAll(/^#+ (.*)$/gm)].map(([, title = '']) =>
      title
        .toLowerCase()
        .replace(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    );

  it('are all in the index', () => {
    const index = read('docs/README.md');
    const pages = documents.filter((file) => file.startsWith('docs/') && file !== 'docs/README.md');
    expect(pages.filter((file) => !index.includes(`](${file.slice('docs/'.length)})`))).toEqual([]);
  });

  it('name every variable of the configuration, and no other', () => {
    const rows = [...read('docs/configuration.md').matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name);
    expect(rows.sort()).toEqual([...VARIABLE_NAMES].sort());
    const example = [...read('.env.example').matchAll(/^# ([A-Z_]+)=/gm)].map(([, name]) => name);
    expect(example.sort()).toEqual([...VARIABLE_NAMES].sort());
  });

  it('list every security event, and no other', () => {
    const [, section = ''] = /^### Security events$([\s\S]*?)^## /m.exec(read('docs/operations.md')) ?? [];
    const listed = [...section.matchAll(/^\| (`\w+`(?:, `\w+`)*) \|/gm)].flatMap(([, names = '']) =>
      names.replaceAll('`', '').split(', '),
    );
    expect(listed.sort()).toEqual([...SECURITY_EVENTS].sort());
  });

  it.each(documents)('link to what is there: %s', (file) => {
    const links = [...read(file).matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)/g)];
    const dead = links.filter(([, path, anchor]) => {
      const target = path ? join(dirname(file), path) : file;
      if (!existsSync(join(root, target))) return true;
      return anchor !== undefined && !anchorsOf(read(target)).includes(anchor);
    });
    expect(dead.map(([link]) => link)).toEqual([]);
  });
});

describe('the manifests for Kubernetes', () => {
  it('set variables of the configuration only', () => {
    const names = ['configmap.yaml', 'examples/secret.yaml'].flatMap((file) => {
      const path = resolve(import.meta.dirname, '../../deploy/kubernetes', file);
      const { data, stringData } = parse(readFileSync(path, 'utf8'));
      return Object.keys(data ?? stringData);
    });
    expect(names.length).toBeGreaterThan(5);
    expect(names.filter((name) => !VARIABLE_NAMES.includes(name))).toEqual([]);
  });
});
