import { checksOf, inputChecksOf } from '../../../lib/http/access.ts';
import type { Endpoint } from '../../../lib/http/endpoint.ts';

type Guarded = Pick<Endpoint, 'access' | 'method'>;

/** Endpoints with the same key have the same access checks, as tests/http/middleware.test.ts asserts. */
export const accessKey = ({ access, method }: Guarded): string =>
  `${JSON.stringify(access)} ${method === 'GET' ? 'reads' : 'writes'}`;

/** The first endpoint of each key. */
export function onePerAccess<E extends Guarded>(endpoints: readonly E[]): E[] {
  const byKey = new Map<string, E>();
  for (const endpoint of endpoints)
    if (!byKey.has(accessKey(endpoint))) byKey.set(accessKey(endpoint), endpoint);
  return [...byKey.values()];
}

/** The errors of an endpoint's access checks, as `type/code`. */
export const accessErrors = ({ access, method }: Guarded): string[] =>
  [...checksOf(access, method), ...inputChecksOf(access)].flatMap(({ errors }) => errors);
