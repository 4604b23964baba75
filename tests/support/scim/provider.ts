import { must, type TestOrg } from '../api/api.ts';
import type { TestApp } from '../server/app.ts';

export const USER = 'urn:ietf:params:scim:schemas:core:2.0:User';
export const GROUP = 'urn:ietf:params:scim:schemas:core:2.0:Group';
export const PATCH = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';

/** The answer to a provider. */
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
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
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

/** Makes the token of an organization. */
export async function newToken({ api }: Pick<TestApp, 'api'>, org: TestOrg): Promise<string> {
  return must(await api.post('/settings/scim/token', org.asOwner)).token;
}

export const connectProvider = async (t: TestApp, org: TestOrg) => createProvider(t, await newToken(t, org));
