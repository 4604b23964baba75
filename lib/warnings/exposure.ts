import type { Config } from '../config/config.ts';
import { insecureSettings, isLoopback } from '../config/insecure.ts';
import type { Logger } from '../logger.ts';

/** An insecure default and the setting that fixes it. */
export interface Opening {
  what: string;
  close: string;
}

/** The insecure defaults of a service that other machines can reach. */
export interface Exposure {
  /** Why the service counts as reachable. */
  reachable: string[];
  open: Opening[];
}

/** The parts of strict mode that have their own variable. */
const PARTS: readonly (readonly [isOn: (config: Config) => boolean, what: string, close: string])[] = [
  [
    ({ requireVerifiedEmail }) => requireVerifiedEmail,
    'accounts can act before their e-mail address is verified',
    'SVC_REQUIRE_VERIFIED_EMAIL=on',
  ],
  [
    ({ pendingInvitations }) => pendingInvitations,
    'an invitation gives access to any account that has registered the address',
    'SVC_PENDING_INVITATIONS=on',
  ],
  [
    ({ authLimits }) => authLimits,
    'passwords and codes can be tried as fast as the server answers',
    'SVC_AUTH_LIMITS=on',
  ],
  [
    ({ breachedPasswords }) => breachedPasswords === 'refuse',
    'leaked and easily guessed passwords are accepted',
    'SVC_BREACHED_PASSWORDS=refuse',
  ],
  [
    ({ sessionIdleMinutes }) => sessionIdleMinutes > 0,
    'a session that nobody uses stays open for 24 hours',
    'SVC_SESSION_IDLE_MINUTES=480',
  ],
  [
    ({ strict, metricsToken }) => strict || metricsToken !== undefined,
    '/metrics answers everyone',
    'SVC_METRICS_TOKEN: openssl rand -hex 32',
  ],
];

/**
 * Lists the insecure defaults of a service that is reachable from outside: parts of strict mode that are off, and, without
 * strict mode, unset secrets.
 * @param listens whether the service listens on a socket. On the edge it is always reachable
 * @returns undefined when nothing is insecure, or only the own machine can reach the service
 */
export function exposureOf(config: Config, { listens }: { listens: boolean }): Exposure | undefined {
  const reachable = reasonsOf(config, listens);
  const open: Opening[] = PARTS.filter(([isOn]) => !isOn(config)).map(([, what, close]) => ({ what, close }));
  if (!config.refuseInsecureSettings) {
    for (const { variable, problem, takes } of insecureSettings(config))
      open.push({ what: problem, close: `${variable}: ${takes}` });
  }
  if (!config.strict) open.push(...STRICT_ONLY, ...unsetSecrets(config));
  return reachable.length > 0 && open.length > 0 ? { reachable, open } : undefined;
}

/** The parts of strict mode without their own variable. */
const STRICT_ONLY: readonly Opening[] = [
  { what: 'a session goes on when its browser signs in again', close: 'SVC_STRICT=on' },
];

function reasonsOf({ host, publicUrl, baseDomain }: Config, listens: boolean): string[] {
  if (!listens) return ['it runs on the edge'];
  const reasons: string[] = [];
  if (host === undefined) reasons.push('it listens on all interfaces (SVC_HOST is not set)');
  else if (!isLoopback(host)) reasons.push(`it listens on ${host} (SVC_HOST)`);
  const { hostname } = new URL(publicUrl);
  if (baseDomain !== undefined && !isLoopback(baseDomain)) reasons.push(`its base domain is ${baseDomain}`);
  else if (!isLoopback(hostname)) reasons.push(`its public address is ${publicUrl}`);
  return reasons;
}

function unsetSecrets({ jwtSecrets, encryptionKeys }: Config): Opening[] {
  const open: Opening[] = [];
  if (jwtSecrets.length === 0)
    open.push({
      what: 'all sessions end at a restart, and other processes do not accept them',
      close: 'JWT_SECRET: openssl rand -hex 32',
    });
  if (encryptionKeys.length === 0)
    open.push({
      what: 'a copy of the database contains the secrets of authenticator apps',
      close: 'SVC_ENCRYPTION_KEY: openssl rand -hex 32',
    });
  return open;
}

/** Nobody has said how the service is reached, and its database is the embedded one. */
const isTrial = ({ databaseUrl, host, baseDomain, publicUrl, strict }: Config, listens: boolean): boolean =>
  listens &&
  !strict &&
  databaseUrl === undefined &&
  host === undefined &&
  baseDomain === undefined &&
  isLoopback(new URL(publicUrl).hostname);

const RULE = '='.repeat(100);

/** Logs the exposure, if any: as a block of text, for a trial in one line, or as one event with fields if the log format is JSON. */
export function warnOfExposure(config: Config, log: Logger, options = { listens: true }): void {
  const exposure = exposureOf(config, options);
  if (!exposure) return;
  const { reachable, open } = exposure;
  const title = config.strict
    ? 'reachable from outside, with parts of strict mode switched off'
    : 'reachable from outside without strict mode';
  const closeAll = config.strict ? undefined : 'SVC_STRICT=on';
  if (config.logFormat === 'json') {
    log.warn(title, { reachable, open, close_all: closeAll, see: 'docs/deployment.md' });
    return;
  }
  if (isTrial(config, options.listens)) {
    log.warn(`${title}. On a laptop: SVC_HOST=127.0.0.1. In production: SVC_STRICT=on (docs/deployment.md)`);
    return;
  }
  const lines = [
    RULE,
    `This service is ${title}.`,
    `Reachable: ${reachable.join('; ')}.`,
    'Open, and what closes it:',
    ...open.map(({ what, close }) => `  - ${what}\n      ${close}`),
    ...(closeAll ? [`${closeAll} sets all switches above (docs/deployment.md).`] : []),
    ...(options.listens && config.host === undefined ? ['On a laptop: SVC_HOST=127.0.0.1.'] : []),
    RULE,
  ];
  log.warn(`${title}\n${lines.join('\n')}`);
}
