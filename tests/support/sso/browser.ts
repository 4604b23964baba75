import type { Answer, CallOptions } from '../api/api.ts';
import type { TestApp } from '../server/app.ts';

/** A browser: the cookies of the service, and those of providers. */
export interface Browser {
  /** The `Cookie` header for the service. */
  cookies: Map<string, string>;
  provider: Map<string, string>;
}

export const newBrowser = (): Browser => ({ cookies: new Map(), provider: new Map() });

const headerOf = (cookies: Map<string, string>) =>
  [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');

function keep(cookies: Map<string, string>, headers: Headers): void {
  for (const cookie of headers.getSetCookie()) {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
    if (/max-age=0/i.test(cookie) || value === '') cookies.delete(name);
    else cookies.set(name, value);
  }
}

/** Calls the service with the cookies of the browser. */
export async function call(
  t: TestApp,
  browser: Browser,
  method: 'get' | 'post',
  path: string,
  options: CallOptions = {},
): Promise<Answer> {
  const cookie = headerOf(browser.cookies);
  const headers = { ...options.headers, ...(cookie !== '' && { cookie }) };
  const answer = await t.api[method](path, { ...options, headers });
  keep(browser.cookies, answer.headers);
  return answer;
}

/** Signs in at a provider. @returns the address that it sends the browser to, at the service */
export async function atProvider(browser: Browser, url: string): Promise<URL> {
  let at = new URL(url);
  const { origin } = at;
  for (let hops = 0; hops < 10; hops++) {
    const response = await fetch(at, { redirect: 'manual', headers: { cookie: headerOf(browser.provider) } });
    keep(browser.provider, response.headers);
    const location = response.headers.get('location');
    if (!location) throw new Error(`the provider answered ${response.status}: ${await response.text()}`);
    at = new URL(location, at);
    if (at.origin !== origin) return at;
  }
  throw new Error('the provider sends the browser in a circle');
}

/** A sign-in from the first click to the answer of the callback. */
export async function signInBySso(
  t: TestApp,
  query: string,
  { browser = newBrowser(), headers = {} }: { browser?: Browser; headers?: Record<string, string> } = {},
): Promise<Answer> {
  const started = await call(t, browser, 'get', `/auth/sso/start?${query}`);
  if (started.status !== 302) return started;
  const back = await atProvider(browser, started.headers.get('location') ?? '');
  return call(t, browser, 'get', `/auth/sso/callback${back.search}`, { headers });
}
