import type { Range, TrustProxy } from '../network.ts';
import type { BREACHED_PASSWORDS, LogLevel } from './variables.ts';

/** The validated configuration. */
export interface Config {
  port: number;
  /** Address to listen on; undefined is every interface. */
  host: string | undefined;
  /** If undefined, the server starts the embedded PostgreSQL. */
  databaseUrl: string | undefined;
  /** The same database as the role that owns `shared`; undefined: it is the role of `databaseUrl`. */
  migrationUrl: string | undefined;
  /** A standby of the database, for expensive reads. */
  replicaUrl: string | undefined;
  /** The longest lag in milliseconds with which the replica is used. */
  replicaMaxLagMs: number;
  dataDir: string;
  /** Connections of each process. */
  dbPoolMax: number;
  /** The first signs, all of them verify. Without one an ephemeral secret is made: sessions end with the process. */
  jwtSecrets: readonly string[];
  /** Passwords that each process hashes at a time; undefined: depends on the number of processors. */
  hashConcurrency: number | undefined;
  /** Timeout of a search in milliseconds. */
  searchMs: number;
  allowedOrigins: readonly string[];
  /** Lower-case host name without port; undefined disables subdomains and the base-domain restriction. */
  baseDomain: string | undefined;
  /** The proxies whose `X-Forwarded-For` and `X-Forwarded-Proto` are trusted. */
  trustProxy: TrustProxy;
  /** Strict mode, for production: sets secure defaults for the settings below. */
  strict: boolean;
  /** An account whose primary address is not verified can only verify it and sign out. */
  requireVerifiedEmail: boolean;
  /** An invited member is `pending`, without access, until their account has verified the invited address. */
  pendingInvitations: boolean;
  /** A person who gets the role `owner` is an `admin` until they accept it. */
  ownerAcceptance: boolean;
  /** Ends sessions without a request for this time, in addition to the limit of 24 hours. 0: no idle timeout. */
  sessionIdleMinutes: number;
  /** The server does not start with secrets below 32 bytes or a plain-http public URL. */
  refuseInsecureSettings: boolean;
  /** Base of the links in mails, without a trailing slash. */
  publicUrl: string;
  /** The service is reached over HTTPS, according to `SVC_PUBLIC_URL` or, in strict mode, its default. */
  https: boolean;
  /** `Strict-Transport-Security` includes the subdomains. */
  hstsSubdomains: boolean;
  /** The bearer token of `/metrics`. Unset: none is needed, and in strict mode nobody gets them. */
  metricsToken: string | undefined;
  mail: MailConfig;
  /** Rate limits for signing in and for codes, shared by all processes. */
  authLimits: boolean;
  /** How to treat a new password that is leaked or contains a word that is easy to guess. */
  breachedPasswords: (typeof BREACHED_PASSWORDS)[number];
  /** Words that passwords must not contain, in addition to the product's name and the e-mail address. */
  passwordWords: readonly string[];
  quotas: Quotas;
  /** The storage quota of one organization. */
  storage: StorageQuota;
  /** How long entries of audit logs are kept; 0: for ever. */
  auditDays: number;
  /** The most bytes of a report, inflated. */
  maxReport: number;
  /** The first encrypts, all of them decrypt. Without one, TOTP secrets are stored unencrypted. */
  encryptionKeys: readonly string[];
  /** Private addresses that the service may connect to on a user's word. */
  outboundAllow: readonly Range[];
  sso: SsoConfig;
  logLevel: LogLevel;
  logFormat: 'text' | 'json';
}

export interface SsoConfig {
  /** Issuers may use plain http on loopback, for trials and tests. */
  allowHttp: boolean;
  /** The provider of the whole deployment. */
  deployment: DeploymentSso | undefined;
}

export interface DeploymentSso {
  issuer: string;
  clientId: string;
  clientSecret: string | undefined;
  /** On the button of the sign-in page. */
  name: string;
  /** The operator vouches for the provider's addresses in these domains. */
  domains: readonly string[];
  trustMfa: boolean;
}

/** Upper limits per account, organization, project or address. */
export interface Quotas {
  orgsPerAccount: number;
  sessionsPerAccount: number;
  emailsPerAccount: number;
  mfaDevicesPerAccount: number;
  personalTokensPerAccount: number;
  membersPerOrg: number;
  formerSlugsPerOrg: number;
  projectsPerOrg: number;
  tokensPerOrg: number;
  tokensPerProject: number;
  /** Per address and kind of mail (`lib/mail/quota.ts`). */
  mailsPerHour: number;
}

/** Limits of what an organization stores. */
export interface StorageQuota {
  bytes: number;
  /** Findings, scans, exploits and entries of activities, such as comments. */
  rows: number;
}

/** The mail provider. Without one, mails are written to `outbox.jsonl` in the data directory. */
export interface MailConfig {
  from: string;
  resend: { apiKey: string; baseUrl: string | undefined } | undefined;
  smtpUrl: string | undefined;
}
