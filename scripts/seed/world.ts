import { endpoints } from '../../handlers/index.ts';
import { parseDevice } from '../../lib/accounts/sessions/user-agent.ts';
import { type Client, createClient } from '../../lib/client/index.ts';
import type { Config } from '../../lib/config/config.ts';
import { startSession } from '../../lib/http/accounts/sign-in.ts';
import { createApp } from '../../lib/http/app.ts';
import type { PublicCall } from '../../lib/http/call.ts';
import { createLogger } from '../../lib/logger.ts';
import { createNodeHasher } from '../../lib/node/argon2.ts';
import { createServices } from '../../lib/node/services.ts';
import { removeAccounts } from './remove.ts';

/** The service over the real database, at a time that is set: its own handlers write what was long ago. */
export interface World {
  /** Moves the clock on; it never goes back. */
  goTo(ms: number): void;
  now(): number;
  /** A caller of the API: nobody, or an agent. */
  visit(options?: { orgSlug?: string; token?: string }): Client;
  /** A caller with a session that begins now. No mail tells of it, as it would of a login. */
  signIn(userId: string, orgSlug: string): Promise<Client>;
  /** Removes these accounts, their organizations, and accounts that only their invitations made. */
  remove(userIds: readonly string[]): Promise<void>;
  /** The link in the last mail to an address. Mails go nowhere else. */
  linkTo(address: string): URL;
  close(): Promise<void>;
}

const BROWSER =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36';

const ADDRESS = '198.51.100.23';

interface Who {
  orgSlug?: string;
  token?: string;
  cookie?: string | undefined;
}

/** Opens the service in this process. */
export async function openWorld(config: Config, databaseUrl: string, began: number): Promise<World> {
  let time = began;
  const links = new Map<string, string>();
  const services = await createServices({
    // Organizations are named by a header here, wherever they answer for others; and nobody is in a hurry.
    config: { ...config, baseDomain: undefined, authLimits: false },
    log: createLogger({ level: 'error', format: 'text', write: (line) => process.stderr.write(line) }),
    databaseUrl,
    hasher: createNodeHasher(),
    mailer: { name: 'none', send: async () => {} },
    remoteAddress: () => ADDRESS,
    clock: () => new Date(time),
  });
  // Nobody is to get mail about what never happened, and this process is not to take the mails of others.
  const mail = {
    ...services.mail,
    enqueue: async (_: unknown, recipient: string, { link }: { link?: string | undefined }) => {
      if (link) links.set(recipient, link);
    },
    kick() {},
  };
  const app = createApp({ ...services, mail }, endpoints);

  function visit({ orgSlug, token, cookie }: Who = {}): Client {
    let kept = cookie?.split(';')[0];
    const fetch = async (request: Request) => {
      request.headers.set('user-agent', token ? 'svc-agent' : BROWSER);
      if (kept) request.headers.set('cookie', kept);
      const answer = await app.fetch(request);
      kept = answer.headers.get('set-cookie')?.split(';')[0] ?? kept;
      return answer;
    };
    return createClient({
      baseUrl: 'http://localhost',
      ...(orgSlug && { orgSlug }),
      ...(token && { token }),
      fetch,
    });
  }

  return {
    goTo(ms) {
      time = Math.max(time, ms);
    },
    now: () => time,
    visit: (options) => visit(options),
    async signIn(userId, orgSlug) {
      // A new browser: a request without cookies.
      const c = { req: { header: () => undefined } };
      const call = {
        c,
        services,
        peer: { ip: ADDRESS, secure: false },
        now: new Date(time),
      } as unknown as PublicCall;
      const headers = await startSession(services.database.db, call, userId, {
        device: parseDevice(BROWSER),
      });
      return visit({ orgSlug, cookie: headers['set-cookie'] });
    },
    linkTo(address) {
      const link = links.get(address);
      if (!link) throw new Error(`no mail to ${address}`);
      return new URL(link);
    },
    remove: (userIds) => removeAccounts(services.database.sql, userIds),
    close: () => services.database.close(),
  };
}
