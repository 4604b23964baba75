import { must, type TestOrg } from '../api/api.ts';
import type { TestApp } from '../server/app.ts';

export const USER = 'urn:ietf:params:scim:schemas:core:2.0:User';
export const GROUP = 'urn:ietf:params:scim:schemas:core:2.0:Group';
export const PATCH = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';

/** The answer to an identity provider. */
export interface ScimAnswer {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came back
  body: any;
}

export type Provider = ReturnType<typeof createProvider>;

/** A client with the token of an organization. */
export function createProvider(
  { app }: Pick<TestApp, 'app'>,
  token: string | undefined,
  type = 'application/scim+json',
) {
  async function call(method: string, path: string, body?: unknown): Promise<ScimAnswer> {
    const response = await app.request(`http://localhost/scim/v2${path}`, {
      method,
      headers: {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'content-type': type }),
      },
      ...(body !== undefined && {
        body: typeof body === 'string' || body instanceof ReadableStream ? body : JSON.stringify(body),
        duplex: 'half',
      }),
    });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      body: text === '' ? undefined : JSON.parse(text),
    };
  }
  const find = (filter: string, resource = 'Users') =>
    call('GET', `/${resource}?filter=${encodeURIComponent(filter)}`);
  return { call, find };
}

/** The proven domain of an organization. */
export const domainFor = ({ slug }: Pick<TestOrg, 'slug'>) => `${slug}.example`;

/** Proves a domain, as its DNS record does. Another organization loses it. */
export async function prove(
  { services }: Pick<TestApp, 'services'>,
  org: TestOrg,
  domain = domainFor(org),
): Promise<void> {
  const { sql } = services.database;
  await sql.unsafe('delete from shared.org_domains where domain = $1', [domain]);
  await sql.unsafe(
    `insert into shared.org_domains (id, org_id, domain, token, created_at, verified_at)
     values (gen_random_uuid(), $1, $2, 'x', now(), now())`,
    [org.id, domain],
  );
}

/** Makes the token of an organization. */
export async function newToken({ api }: Pick<TestApp, 'api'>, org: TestOrg): Promise<string> {
  return must(await api.post('/settings/scim/token', org.asOwner)).token;
}

/** A client of an organization that has proven a domain. */
export async function connectProvider(t: TestApp, org: TestOrg): Promise<Provider> {
  await prove(t, org);
  return createProvider(t, await newToken(t, org));
}
