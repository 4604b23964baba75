import { type Answer, type Api, PASSWORD } from '../api/api.ts';
import type { TestApp } from '../server/app.ts';

/** Successful calls of an endpoint. */
export type Stop = () => Promise<Answer | Answer[]>;

export const EMAIL = 'ada@example.com';
export const SPARE_EMAIL = 'ada@example.org';

/** The user of a tour, and what its calls have made so far. */
export interface Traveller {
  t: TestApp;
  api: Api;
  cookie: string | undefined;
  /** Parts of earlier answers, by name. */
  made: Record<string, string>;
  keep(name: string, value: unknown): void;
  asUser(): { cookie: string | undefined };
  asOwner(): { cookie: string | undefined; org: string };
  asAgent(): { token: string | undefined; org: string };
  /** The parameters of the last link that was mailed to an address. */
  linkTo(recipient: string): Promise<Record<string, string>>;
  login(address: string, password?: string): Promise<Answer>;
}

export function createTraveller(t: TestApp): Traveller {
  const { api } = t;
  const on: Traveller = {
    ...{ t, api, cookie: undefined, made: {} },
    keep(name, value) {
      on.made[name] = String(value);
    },
    asUser: () => ({ cookie: on.cookie }),
    asOwner: () => ({ cookie: on.cookie, org: 'acme' }),
    asAgent: () => ({ token: on.made.token, org: 'acme' }),
    linkTo: async (recipient) =>
      Object.fromEntries(new URL((await t.delivered(recipient)).link ?? '').searchParams),
    async login(address, password = PASSWORD) {
      const answer = await api.post('/auth/login', { body: { email: address, password } });
      on.cookie = answer.cookie ?? on.cookie;
      return answer;
    },
  };
  return on;
}
