import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parse } from 'yaml';
import { KEY_BELONGS_TO_ENVIRONMENT, UsageError } from './errors.ts';
import { openFolder } from './folder.ts';
import type { TrustedHosts } from './trust/destination.ts';
import { parseHosts } from './trust/hosts.ts';
import { configHome } from './trust/state.ts';

/** A value and where it came from. */
export interface Setting {
  value: string | undefined;
  /** Such as `--project`, `SVC_PROJECT_ID`, or a file's path; undefined when nobody gave it. */
  source: string | undefined;
  /** Where it comes from. A workspace's file may be a stranger's; all other sources are the user's own. */
  from?: 'flag' | 'environment' | 'workspace' | 'user' | undefined;
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
  /** The address in the user's own file, whether or not it is used. */
  ownBaseUrl: Setting;
  /** Hosts that keys are restricted to: from the environment or the user's own file, never from a workspace. */
  trustedHosts: TrustedHosts | undefined;
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
  const [workspaceFile, userFile] = [readWorkspaceFile(workspace), readUserFile(env)];
  const files = [workspaceFile, userFile];
  const warnings = files.flatMap(({ unknown, path }) =>
    unknown.map((key) => `${path}: “${key}” is no setting`),
  );
  if (workspaceFile.trustedHosts !== undefined) {
    warnings.push(
      `${workspaceFile.path}: “trusted_hosts” is ignored; only SVC_TRUSTED_HOSTS and your own configuration set it`,
    );
  }

  const find = (
    key: keyof typeof KEYS,
    flag: string,
    given: string | undefined,
    variable: string,
  ): Setting => {
    const candidates: Setting[] = [
      { value: given, source: flag, from: 'flag' },
      { value: env[variable], source: variable, from: 'environment' },
      { value: workspaceFile.values[KEYS[key]], source: workspaceFile.path, from: 'workspace' },
      { value: userFile.values[KEYS[key]], source: userFile.path, from: 'user' },
    ];
    return candidates.find(({ value }) => value) ?? { value: undefined, source: undefined };
  };
  const baseUrl = find('baseUrl', '--report-base-url', flags.reportBaseUrl, 'SVC_BASE_URL');
  if (baseUrl.value !== undefined) {
    const url = parseBaseUrl(baseUrl as { value: string; source: string });
    if (url.protocol === 'http:' && !isLoopback(url.hostname)) {
      warnings.push(`${url.origin} is not encrypted: the API key and all findings can be read on the way`);
    }
    baseUrl.value = addressOf(url);
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
    ownBaseUrl: ownBaseUrl(userFile),
    trustedHosts: trustedHostsOf(env, userFile),
    warnings,
  };
}

/** The address of a service as the client takes it. */
const addressOf = (url: URL) => url.href.replace(/\/+$/, '').replace(/\/api\/v1$/, '');

/** A value that is no address is an error only where it is used. */
function ownBaseUrl({ values, path }: ConfigFile): Setting {
  const value = values[KEYS.baseUrl];
  if (!value || !URL.canParse(value)) return { value: undefined, source: undefined };
  return { value: addressOf(new URL(value)), source: path, from: 'user' };
}

/** The hosts that the user restricts keys to, for agents that resolve no other settings. @throws UsageError */
export const readTrustedHosts = (env: Env): TrustedHosts | undefined =>
  trustedHostsOf(env, readUserFile(env));

function trustedHostsOf(env: Env, { trustedHosts, path }: ConfigFile): TrustedHosts | undefined {
  const source = env.SVC_TRUSTED_HOSTS ? 'SVC_TRUSTED_HOSTS' : path;
  const list = env.SVC_TRUSTED_HOSTS || trustedHosts;
  return list === undefined ? undefined : { hosts: parseHosts(list, source), source };
}

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
  /** A comma-separated list. */
  trustedHosts?: string | undefined;
  unknown: string[];
}

const LOOKS_LIKE_A_KEY = /^(?:svc_)?(?:api[-_]?)?(?:key|token|secret)$/i;
const MAX_FILE_BYTES = 1_048_576;

/** A repository can bring this file, so no link is followed to it. @throws UsageError */
function readWorkspaceFile(workspace: string): ConfigFile {
  const path = join(workspace, '.svc/config.yml');
  const folder = openFolder(workspace, '.svc');
  try {
    return parseFile(path, folder?.read('config.yml', MAX_FILE_BYTES));
  } finally {
    folder?.close();
  }
}

function readUserFile(env: Env): ConfigFile {
  const path = join(configHome(env) ?? '', 'svc/config.yml');
  if (configHome(env) === undefined) return parseFile(path, undefined);
  try {
    return parseFile(path, readFileSync(path, 'utf8'));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return parseFile(path, undefined);
    throw code === undefined ? error : new UsageError(`${path} cannot be read: ${message}`);
  }
}

/** @param text undefined when there is no file */
function parseFile(path: string, text: string | undefined): ConfigFile {
  if (text === undefined) return { path, values: {}, unknown: [] };
  let content: unknown;
  try {
    content = parse(text) ?? {};
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
  if (others[TRUSTED_HOSTS] !== undefined && given[TRUSTED_HOSTS] !== undefined) {
    throw new UsageError(`${path}: ${TRUSTED_HOSTS} is given twice`);
  }
  const isUnknown = (key: string) => !known.includes(key) && key !== TRUSTED_HOSTS;
  return {
    path,
    values,
    trustedHosts: listOf(`${path}: ${TRUSTED_HOSTS}`, given[TRUSTED_HOSTS] ?? others[TRUSTED_HOSTS]),
    unknown: [
      ...Object.keys(others).filter((key) => key !== TRUSTED_HOSTS),
      ...Object.keys(given)
        .filter(isUnknown)
        .map((key) => `reporting.${key}`),
    ],
  };
}

const TRUSTED_HOSTS = 'trusted_hosts';

/** A YAML list, or text with commas. */
function listOf(what: string, value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  const list = typeof value === 'string' ? [value] : value;
  if (!Array.isArray(list) || !list.every((item) => typeof item === 'string')) {
    throw new UsageError(`${what} must be a list of hosts`);
  }
  return list.join(',');
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
