import { observe } from '../contract/contract.ts';
import { type Api, createClient } from './client.ts';

export * from './client.ts';

/** A client of the API that holds every response to the API's description. */
export const createApi = (
  fetch: (request: Request) => Response | Promise<Response>,
  origin = 'http://localhost',
): Api => createClient(fetch, origin, observe);
