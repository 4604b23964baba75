import { type Api, createClient } from './client.ts';
import { observe } from './contract.ts';

export * from './client.ts';

/** A client of the API that holds every response to the API's description. */
export const createApi = (
  fetch: (request: Request) => Response | Promise<Response>,
  origin = 'http://localhost',
): Api => createClient(fetch, origin, observe);
