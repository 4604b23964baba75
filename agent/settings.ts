import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { parse } from 'yaml';
import { KEY_BELONGS_TO_ENVIRONMENT, UsageError } from './errors.ts';

/** A value and where it came from. */
export interface Setting {
  value: string | undefined;
  /** Such as `--project`, `SVC_PROJECT_ID`, or a file's path; undefined when nobody gave it. */
  source: string | undefined;
}

/** What a run works with. Each is taken from the first that has it: flag, environment, workspace file, global file. */
export interface Settings {
  /** The service's address, without a slash at its end and without `/api/v1`. */
  baseUrl: Setting;
  /** From the environment only. */
  apiKey: Setting;
  /** A project's id or slug. */
  project: Setting;
  /** Names the organization where the service has no base domain. */
  org: Setting;
  /** Absolute; what files are relative to, and where `.svc/` is. */
  workspace: string;
  /** What the caller should know, though it stops nothing. */
  warnings: string[];
}

export interface Flags {
  reportBaseUrl?: string | undefined;
  project?: string | undefined;
  org?: string | undefined;
  workspace?: string | undefined;
}

type Env = Readonly<Record<string, string | undefined>>;

const KEYS = { baseUrl: 'base_url', project: 'project_id', org: 'org' } as const;

/** Finds the settings. @throws UsageError when one is not allowed, or where it must not be */
export function resolveSettings(flags: Flags, env: Env): Settings {
  const workspace = resolve(flags.workspace ?? '.');
  const files = [join(workspace, '.svc/config.yml'), join(configHome(env), 'svc/config.yml')].map(readFile);
  const warnings = files.flatMap(({ unknown, path }) =>
    unknown.map((key) => `${path}: “${key}” is no setting`),
  );

  const find = (
    key: keyof typeof KEYS,
    flag: string,
    given: string | undefined,
    variable: string,
  ): Setting => {
    const candidates = [
      { value: given, source: flag },
      { value: env[variable], source: variable },
      ...files.map(({ values, path }) => ({ value: values[KEYS[key]], source: path })),
    ];
    return candidates.find(({ value }) => value) ?? { value: undefined, source: undefined };
  };
  const baseUrl = find('baseUrl', '--report-base-url', flags.reportBaseUrl, 'SVC_BASE_URL');
  if (baseUrl.value !== undefined) {
    const url = parseBaseUrl(baseUrl as { value: string; source: string });
    if (url.protocol === 'http:' && !isLoopback(url.hostname)) {
      warnings.push(`${url.origin} is not encrypted: the API key and all findings can be read on the way`);
    }
    baseUrl.value = url.href.replace(/\/+$/, '').replace(/\/api\/v1$/, '');
  }
  const apiKey = { value: env.SVC_API_KEY?.trim() || undefined, source: env.SVC_API_KEY && 'SVC_API_KEY' };
  if (apiKey.value && !/^svc_[0-9a-f]{32}$/.test(apiKey.value)) {
    throw new UsageError('SVC_API_KEY is not an API token: it has the form svc_ and 32 hex digits.');
  }
  return {
    baseUrl,
    apiKey,
    project: find('project', '--project', flags.project, 'SVC_PROJECT_ID'),
    org: find('org', '--org', flags.org, 'SVC_ORG'),
    workspace,
    warnings,
  };
}

const configHome = (env: Env) => env.XDG_CONFIG_HOME || join(env.HOME || homedir(), '.config');

function parseBaseUrl({ value, source }: { value: string; source: string }): URL {
  if (URL.canParse(value)) {
    const url = new URL(value);
    const plain = url.username === '' && url.search === '' && url.hash === '';
    if (/^https?:$/.test(url.protocol) && plain) return url;
  }
  throw new UsageError(
    `${source}: “${value}” is not the address of a service, such as https://acme.example.com`,
  );
}

/** Names and addresses of this machine; all of `*.localhost` is (RFC 6761, 6.3). */
export function isLoopback(hostname: string): boolean {
  const name = hostname.toLowerCase().replace(/\.$/, '');
  return /^(?:.+\.)?localhost$/.test(name) || /^127(?:\.\d{1,3}){3}$/.test(name) || name === '[::1]';
}

interface ConfigFile {
  path: string;
  values: Record<string, string | undefined>;
  unknown: string[];
}

const LOOKS_LIKE_A_KEY = /^(?:svc_)?(?:api[-_]?)?(?:key|token|secret)$/i;

function readFile(path: string): ConfigFile {
  if (!existsSync(path)) return { path, values: {}, unknown: [] };
  let content: unknown;
  try {
    content = parse(readFileSync(path, 'utf8')) ?? {};
  } catch (error) {
    throw new UsageError(`${path} cannot be read: ${(error as Error).message.split('\n', 1)[0]}`);
  }
  const { reporting, ...others } = asMap(path, content);
  const given = asMap(`${path}: reporting`, reporting ?? {});
  for (const key of [...Object.keys(others), ...Object.keys(given)]) {
    if (LOOKS_LIKE_A_KEY.test(key))
      throw new UsageError(`${path}: “${key}” is refused. ${KEY_BELONGS_TO_ENVIRONMENT}`);
  }
  const known: string[] = Object.values(KEYS);
  const values: Record<string, string> = {};
  for (const key of known) {
    const value = given[key];
    if (value === undefined || value === null) continue;
    if (typeof value !== 'string') throw new UsageError(`${path}: reporting.${key} must be text`);
    values[key] = value;
  }
  const unknown = Object.keys(given).filter((key) => !known.includes(key));
  return { path, values, unknown: [...Object.keys(others), ...unknown.map((key) => `reporting.${key}`)] };
}

function asMap(what: string, value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new UsageError(`${what} must be a map of settings`);
  }
  return value as Record<string, unknown>;
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** How the service is told which project it is: by its id, or by its slug. */
export const projectReference = (project: string): { project_id: string } | { project: string } =>
  UUID.test(project) ? { project_id: project.toLowerCase() } : { project };
