import type { TrustProxy } from '../http/peer.ts';
import type { BREACHED_PASSWORDS, LogLevel } from './variables.ts';

/** What the environment says, checked. */
export interface Config {
  port: number;
  /** Address to listen on; undefined is every interface. */
  host: string | undefined;
  /** Undefined starts the embedded PostgreSQL. */
  databaseUrl: string | undefined;
  dataDir: string;
  /** Connections of each process. */
  dbPoolMax: number;
  /** The first signs, all of them verify. Without one an ephemeral secret is made: sessions end with the process. */
  jwtSecrets: readonly string[];
  /** Passwords that each process hashes at once; undefined is by its processors. */
  hashConcurrency: number | undefined;
  /** No search takes longer, in milliseconds. */
  searchMs: number;
  allowedOrigins: readonly string[];
  /** Lower-case host name without port; undefined switches subdomains and the base-domain restriction off. */
  baseDomain: string | undefined;
  /** Whose `X-Forwarded-For` and `X-Forwarded-Proto` are believed. */
  trustProxy: TrustProxy;
  /** The production profile: the default of each of the switches below that close a hole. */
  strict: boolean;
  /** An account whose primary address is not verified can only verify it and sign out. */
  requireVerifiedEmail: boolean;
  /** An invited member is `pending`, without access, until their account has verified the invited address. */
  pendingInvitations: boolean;
  /** A session without a request for so long is over, before its 24 hours are. 0 lets it live. */
  sessionIdleMinutes: number;
  /** Secrets below 32 bytes and a plain-http public URL stop the start. */
  refuseInsecureSettings: boolean;
  /** Base of the links in mails, without a slash at its end. */
  publicUrl: string;
  /** The service is reached over HTTPS: `SVC_PUBLIC_URL` says so, in strict mode also by its default. */
  https: boolean;
  /** `Strict-Transport-Security` covers the subdomains too. */
  hstsSubdomains: boolean;
  /** Host names, beside its own, at which `/metrics` answers in strict mode. */
  metricsHosts: readonly string[];
  mail: MailConfig;
  /** Request limits for signing in and for codes, shared by all processes. */
  authLimits: boolean;
  /** What becomes of a chosen password that is on the list of leaked ones, or contains a word that is easy to guess. */
  breachedPasswords: (typeof BREACHED_PASSWORDS)[number];
  /** What no password may contain, beside the product's name and the e-mail address. */
  passwordWords: readonly string[];
  quotas: Quotas;
  /** The first encrypts, all of them decrypt. Without one TOTP secrets are stored as they are. */
  encryptionKeys: readonly string[];
  logLevel: LogLevel;
  logFormat: 'text' | 'json';
}

/** How much an account or an organization may have of something. */
export interface Quotas {
  orgsPerAccount: number;
  sessionsPerAccount: number;
  emailsPerAccount: number;
  mfaDevicesPerAccount: number;
  membersPerOrg: number;
  projectsPerOrg: number;
  tokensPerOrg: number;
  tokensPerProject: number;
  /** To one address, of each kind of mail that can be asked for. */
  mailsPerHour: number;
}

/** Who takes our mails. Without a provider they go to a file, `outbox.jsonl` in the data directory. */
export interface MailConfig {
  from: string;
  resend: { apiKey: string; baseUrl: string | undefined } | undefined;
  smtpUrl: string | undefined;
}
