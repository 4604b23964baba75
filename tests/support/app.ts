import type { Migration } from '../../db/migrate.ts';
import { endpoints } from '../../handlers/index.ts';
import type { PasswordHasher } from '../../lib/auth/passwords.ts';
import { type Config, parseConfig } from '../../lib/config.ts';
import { type App, createApp } from '../../lib/http/app.ts';
import type { Logger } from '../../lib/logger.ts';
import type { Mail } from '../../lib/mail/mailer.ts';
import { createServices } from '../../lib/node/services.ts';
import type { Services } from '../../lib/services.ts';
import { type Api, createApi } from './api.ts';
import { createDatabase } from './database.ts';
import { plainHasher } from './hasher.ts';
import { silentLog } from './log.ts';
import { afterSuite } from './suite.ts';

/** The app over a database of its own, and a client that calls it in process. */
export interface TestApp {
  app: App;
  api: Api;
  services: Services;
  databaseUrl: string;
  /** Mails that were sent, oldest first; after a call, wait for them with `delivered()`. */
  mails: Mail[];
  /** Sends what is due; resolves with the last mail to this recipient. */
  delivered(recipient: string): Promise<Mail>;
  /** Moves the services' clock. */
  advance(ms: number): void;
}

export interface TestAppOptions {
  /** Environment variables over the defaults. */
  env?: Record<string, string>;
  log?: Logger;
  /** Another app over the same database. */
  databaseUrl?: string;
  orgMigrations?: readonly Migration[];
  config?: Partial<Config>;
  /** Passwords are kept as they are otherwise, which costs nothing. */
  hasher?: PasswordHasher;
}

/** Starts an app for the calling suite; it is closed and its database dropped after the suite. */
export async function startApp(options: TestAppOptions = {}): Promise<TestApp> {
  const database = options.databaseUrl ? undefined : await createDatabase();
  const databaseUrl = options.databaseUrl ?? database?.url ?? '';
  let ahead = 0;
  const mails: Mail[] = [];
  const services = await createServices({
    config: { ...parseConfig({ JWT_SECRET: 'a secret for tests only', ...options.env }), ...options.config },
    log: options.log ?? silentLog,
    databaseUrl,
    hasher: options.hasher ?? plainHasher,
    mailer: {
      name: 'test',
      async send(mail) {
        mails.push(mail);
      },
    },
    clock: () => new Date(Date.now() + ahead),
    ...(options.orgMigrations && { orgMigrations: options.orgMigrations }),
  });
  const app = createApp(services, endpoints);
  afterSuite(async () => {
    await services.mail.stop();
    await services.database.close();
    await database?.drop();
  });
  return {
    app,
    api: createApi((request) => app.request(request)),
    services,
    databaseUrl,
    mails,
    async delivered(recipient) {
      await services.mail.deliverDue();
      const mail = mails.findLast((mail) => mail.recipient === recipient);
      if (!mail) throw new Error(`no mail to ${recipient}`);
      return mail;
    },
    advance(ms) {
      ahead += ms;
    },
  };
}
