import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { Agent, fetch } from 'undici';
import { beforeAll, describe, inject, vi } from 'vitest';
import { type Api, createClient, type TestUser } from '../../support/api/client.ts';
import { createDatabase } from '../../support/database/database.ts';
import { afterSuite } from '../../support/run/suite.ts';
import { type LaunchOptions, startServerProcess } from '../../support/server/process.ts';
import { openWindow, type WindowOptions } from './windows.ts';

/** Tests pages of a running server, see {@link startSite}; skipped without a browser. */
export const describePagesOf =
  (options: SiteOptions) =>
  (name: string, suite: (site: Site) => void): void => {
    describe.skipIf(!inject('browser'))(name, () => {
      // Complete before the hooks and tests of the suite run.
      const site = {} as Site;
      beforeAll(async () => {
        Object.assign(site, await startSite(options));
      });
      suite(site);
    });
  };

export const describePages = describePagesOf({});

/** Browsers know that `*.localhost` is this machine, not every system does. */
const toThisMachine = new Agent({
  connect: { lookup: (_host, _options, found) => found(null, [{ address: '127.0.0.1', family: 4 }]) },
});

export interface Mail {
  recipient: string;
  subject: string;
  text: string;
  /** The link of the button in the mail. */
  link?: string;
}

export interface Visit extends Omit<WindowOptions, 'isOurs'> {
  /** The cookie of a session; nobody is signed in without it. */
  cookie?: string | undefined;
  /** Further hosts that lead to the server, such as a custom domain below `localhost`. */
  hosts?: string[];
}

/** The built server with its web UI, and browsers that visit it. */
export interface Site {
  /** The base domain's address, or the only one. */
  url: string;
  databaseUrl: string;
  /** Calls the API. `org` works in both modes. */
  api: Api;
  /** The address of an organization's page. */
  orgUrl(slug: string, path?: string): string;
  /**
   * Opens a window of a browser that knows nothing. The test fails when something goes wrong in there: an error in the
   * console, a request to another host, a violation of the policy. The service's own refusals (4xx) are not such errors.
   */
  visit(visit?: Visit): Promise<Page>;
  /** Opens a page of an organization, as its owner unless there is another cookie. */
  open(org: { slug: string; owner?: TestUser }, path?: string, visit?: Visit): Promise<Page>;
  /** Waits for the last mail to somebody, of this subject. */
  mailTo(recipient: string, subject?: RegExp): Promise<Mail>;
}

export interface SiteOptions {
  /** Organizations at subdomains of it; `findings.localhost` leads to this machine. */
  baseDomain?: string;
  /** A server without accounts for the calling suite. */
  own?: true;
  env?: Record<string, string>;
}

/** The server of all suites of a worker that need no options. Each test makes users and organizations of its own. */
let shared: Promise<Site> | undefined;

/** A running server: the worker's, or with options one for the calling suite. Each has a database of its own. */
export async function startSite(options?: SiteOptions): Promise<Site> {
  if (options && Object.keys(options).length > 0) {
    const { site, server, database } = await start(options);
    afterSuite(async () => {
      await server.stop('SIGTERM');
      await database.drop();
    });
    return site;
  }
  shared ??= start({}, { isShared: true }).then(({ site, server }) => {
    // Its database and files end with the run.
    process.once('exit', () => server.signal('SIGTERM'));
    return site;
  });
  return shared;
}

async function start({ baseDomain, env = {} }: SiteOptions, launch: Pick<LaunchOptions, 'isShared'> = {}) {
  const database = await createDatabase();
  const dataDir = await mkdtemp(join(tmpdir(), 'svc-site-'));
  const server = await startServerProcess({
    ...launch,
    env: {
      DATABASE_URL: database.url,
      JWT_SECRET: 'a secret for tests of the web UI',
      SVC_DATA_DIR: dataDir,
      ...(baseDomain && { SVC_BASE_DOMAIN: baseDomain }),
      ...env,
    },
  });
  const { port } = new URL(server.url);
  const hostOf = (slug?: string) =>
    baseDomain ? `${slug ? `${slug}.` : ''}${baseDomain}:${port}` : `localhost:${port}`;
  const url = `http://${hostOf()}`;

  const passOn = async (request: Request) => {
    const { pathname, search } = new URL(request.url);
    const { method, headers } = request;
    const host = hostOf(headers.get('x-org-slug') ?? undefined);
    const body = (await request.text()) || null;
    const answer = await fetch(`http://${host}${pathname}${search}`, {
      method,
      headers: [...headers].filter(([name]) => name !== 'host'),
      body,
      dispatcher: toThisMachine,
    });
    return answer as unknown as Response;
  };
  const mails = async (): Promise<Mail[]> => {
    const text = await readFile(join(dataDir, 'outbox.jsonl'), 'utf8').catch(() => '');
    return text
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line));
  };

  const site: Site = {
    url,
    databaseUrl: database.url,
    api: createClient(passOn, server.url),
    orgUrl: (slug, path = '') =>
      baseDomain ? `http://${hostOf(slug)}${path || '/'}` : `${url}/o/${slug}${path}`,
    async visit({ cookie, hosts = [], own = hosts.length > 0, ...options } = {}) {
      const isOurs = (host: string) =>
        host === hostOf() || host.endsWith(`.${hostOf()}`) || hosts.includes(host.replace(/:\d+$/, ''));
      const page = await openWindow(url, { ...options, own, isOurs });
      if (cookie) {
        const domain = baseDomain ? `.${baseDomain}` : 'localhost';
        const value = { name: 'svc_token', value: cookie, domain, path: '/', httpOnly: true };
        await page.context().addCookies([value]);
      }
      return page;
    },
    async open({ slug, owner }, path = '', visit = {}) {
      const page = await site.visit({ cookie: owner?.cookie, ...visit });
      await page.goto(site.orgUrl(slug, path));
      return page;
    },
    async mailTo(recipient, subject = /./) {
      const find = async () =>
        (await mails()).findLast((mail) => mail.recipient === recipient && subject.test(mail.subject));
      const mail = await vi.waitUntil(find, { interval: 50 });
      if (mail.link === undefined) return mail;
      // The server was told neither its port nor that there is no TLS.
      const { pathname, search } = new URL(mail.link);
      return { ...mail, link: url + pathname + search };
    },
  };
  return { site, server, database };
}
