import { readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parse } from 'yaml';
import { KEY_BELONGS_TO_ENVIRONMENT, UsageError } from './errors.ts';
import { errorCode, openFolder } from './journal/folder.ts';
import type { TrustedHosts } from './trust/destination.ts';
import { parseHosts } from './trust/hosts.ts';
import { configHome, isMissing } from './trust/state.ts';
import { findGitRoot } from './workspace/git.ts';
import { isInside, realPathOf } from './workspace/source.ts';

export interface Setting {
  value: string | undefined;
  /** Such as `--project`, `SVC_PROJECT_ID` or the path of a file; undefined if the setting is not set. */
  source: string | undefined;
  /** The kind of source. A stranger may have written the workspace file; all other sources belong to the user. */
  from?: 'flag' | 'environment' | 'workspace' | 'user' | undefined;
}

/** The settings of a run. Precedence: flag, environment, workspace file, user file. */
export interface Settings {
  /** The address of the service, without a trailing slash and without `/api/v1`. */
  baseUrl: Setting;
  /** From the environment only. */
  apiKey: Setting;
  /** A project's id or slug. */
  project: Setting;
  /** The organization's slug, required if the service has no base domain. */
  org: Setting;
  /** Absolute path of the directory that contains `.svc/` and that the paths of findings are relative to. */
  workspace: string;
  /** The address in the user file, also if another source takes precedence. */
  userBaseUrl: Setting;
  /** Hosts that may receive keys, from the environment or the user file, never from a workspace. */
  trustedHosts: TrustedHosts | undefined;
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

/** Resolves the settings. @throws UsageError if a value is invalid or a file contains a key */
export function resolveSettings(flags: Flags, env: Env): Settings {
  const workspace = resolve(flags.workspace ?? '.');
  const [workspaceFile, userFile] = [readWorkspaceFile(workspace), readUserFile(env, workspace)];
  const files = [workspaceFile, userFile];
  const warnings = files.flatMap(({ unknown, path }) =>
    unknown.map((key) => `${path}: “${key}” is not a known setting`),
  );
  for (const { from, path, trustedHosts } of files) {
    if (from === 'user' || trustedHosts === undefined) continue;
    warnings.push(
      `${path}: “trusted_hosts” is ignored here. Set SVC_TRUSTED_HOSTS, or trusted_hosts in your own config.yml, outside of the workspace.`,
    );
  }

  const findSetting = (
    key: keyof typeof KEYS,
    flag: string,
    flagValue: string | undefined,
    variable: string,
  ): Setting => {
    const candidates: Setting[] = [
      { value: flagValue, source: flag, from: 'flag' },
      { value: env[variable], source: variable, from: 'environment' },
      { value: workspaceFile.values[KEYS[key]], source: workspaceFile.path, from: 'workspace' },
      { value: userFile.values[KEYS[key]], source: userFile.path, from: userFile.from },
    ];
    return candidates.find(({ value }) => value) ?? { value: undefined, source: undefined };
  };
  const baseUrl = findSetting('baseUrl', '--report-base-url', flags.reportBaseUrl, 'SVC_BASE_URL');
  if (baseUrl.value !== undefined) {
    const url = parseBaseUrl(baseUrl as { value: string; source: string });
    if (url.protocol === 'http:' && !isLoopback(url.hostname)) {
      warnings.push(
        `${url.origin} is not encrypted: others on the network can read the API key and all findings. Use https.`,
      );
    }
    baseUrl.value = normalizeBaseUrl(url);
  }
  const apiKey = { value: env.SVC_API_KEY?.trim() || undefined, source: env.SVC_API_KEY && 'SVC_API_KEY' };
  if (apiKey.value && !/^svc_[0-9a-f]{32}$/.test(apiKey.value)) {
    throw new UsageError(
      'SVC_API_KEY is not an API token. A token is svc_ followed by 32 hexadecimal digits.',
    );
  }
  return {
    baseUrl,
    apiKey,
    project: findSetting('project', '--project', flags.project, 'SVC_PROJECT_ID'),
    org: findSetting('org', '--org', flags.org, 'SVC_ORG'),
    workspace,
    userBaseUrl: userBaseUrlOf(userFile),
    trustedHosts: trustedHostsOf(env, userFile),
    warnings,
  };
}

/** The address without a trailing slash and `/api/v1`. */
export const normalizeBaseUrl = (url: URL) => url.href.replace(/(?<!\/)\/+$/, '').replace(/\/api\/v1$/, '');

/** An invalid address is ignored here. It is an error only if the setting is used. */
function userBaseUrlOf({ values, path, from }: ConfigFile): Setting {
  const value = from === 'user' ? values[KEYS.baseUrl] : undefined;
  if (!value || !URL.canParse(value)) return { value: undefined, source: undefined };
  return { value: normalizeBaseUrl(new URL(value)), source: path, from: 'user' };
}

/** The trusted hosts, for agents that do not resolve other settings. @throws UsageError if the list is invalid */
export const readTrustedHosts = (env: Env, workspace: string): TrustedHosts | undefined =>
  trustedHostsOf(env, readUserFile(env, workspace));

function trustedHostsOf(env: Env, { trustedHosts, path, from }: ConfigFile): TrustedHosts | undefined {
  const source = env.SVC_TRUSTED_HOSTS ? 'SVC_TRUSTED_HOSTS' : path;
  const list = env.SVC_TRUSTED_HOSTS || (from === 'user' ? trustedHosts : undefined);
  return list === undefined ? undefined : { hosts: parseHosts(list, source), source };
}

function parseBaseUrl({ value, source }: { value: string; source: string }): URL {
  if (URL.canParse(value)) {
    const url = new URL(value);
    const hasNoExtras = url.username === '' && url.password === '' && url.search === '' && url.hash === '';
    if (/^https?:$/.test(url.protocol) && hasNoExtras) return url;
  }
  throw new UsageError(
    `${source}: “${value}” is not the address of a service. Example: https://acme.example.com`,
  );
}

/** Whether a host name refers to this machine, such as `*.localhost` (RFC 6761, section 6.3). */
export function isLoopback(hostname: string): boolean {
  const name = hostname.toLowerCase().replace(/\.$/, '');
  return /^(?:.+\.)?localhost$/.test(name) || /^127(?:\.\d{1,3}){3}$/.test(name) || name === '[::1]';
}

interface ConfigFile {
  path: string;
  from: 'workspace' | 'user';
  values: Record<string, string | undefined>;
  /** A comma-separated list. */
  trustedHosts?: string | undefined;
  unknown: string[];
}

const SECRET_NAME = /^(?:svc_)?(?:api[-_]?)?(?:key|token|secret)$/i;
const MAX_FILE_BYTES = 1_048_576;

/** A repository can contain this file, so links are not followed. @throws UsageError */
function readWorkspaceFile(workspace: string): ConfigFile {
  const path = join(workspace, '.svc/config.yml');
  const folder = openFolder(workspace, '.svc');
  try {
    return { from: 'workspace', ...parseFile(path, folder?.read('config.yml', MAX_FILE_BYTES)) };
  } finally {
    folder?.close();
  }
}

/** In some CI systems, HOME is the checkout. The file is then one of the repository. */
function readUserFile(env: Env, workspace: string): ConfigFile {
  const path = join(configHome(env) ?? '', 'svc/config.yml');
  const root = findGitRoot(workspace) ?? realPathOf(workspace) ?? workspace;
  const isOfWorkspace = isInside(workspace, path) || isInside(root, realPathOf(path) ?? path);
  const from = isOfWorkspace ? ('workspace' as const) : ('user' as const);
  const none = { from, ...parseFile(path, undefined) };
  if (configHome(env) === undefined) return none;
  try {
    return { from, ...parseFile(path, readFileSync(path, 'utf8')) };
  } catch (error) {
    // A container may run as a user that cannot enter HOME.
    if (isMissing(error) || isOutOfReach(path)) return none;
    const { code, message } = error as NodeJS.ErrnoException;
    throw code === undefined ? error : new UsageError(`${path} cannot be read: ${message}`);
  }
}

function isOutOfReach(path: string): boolean {
  try {
    statSync(path);
    return false;
  } catch (error) {
    return errorCode(error) === 'EACCES';
  }
}

/** @param text undefined if the file does not exist */
function parseFile(path: string, text: string | undefined): Omit<ConfigFile, 'from'> {
  if (text === undefined) return { path, values: {}, unknown: [] };
  let content: unknown;
  try {
    content = parse(text) ?? {};
  } catch (error) {
    throw new UsageError(`${path} cannot be read: ${(error as Error).message.split('\n', 1)[0]}`);
  }
  const { reporting, ...topLevel } = asMap(path, content);
  const section = asMap(`${path}: reporting`, reporting ?? {});
  for (const key of [...Object.keys(topLevel), ...Object.keys(section)]) {
    if (SECRET_NAME.test(key))
      throw new UsageError(`${path}: “${key}” is refused. ${KEY_BELONGS_TO_ENVIRONMENT}`);
  }
  const known: string[] = Object.values(KEYS);
  const values: Record<string, string> = {};
  for (const key of known) {
    const value = section[key];
    if (value === undefined || value === null) continue;
    if (typeof value !== 'string') throw new UsageError(`${path}: reporting.${key} must be a string`);
    values[key] = value;
  }
  if (topLevel[TRUSTED_HOSTS] !== undefined && section[TRUSTED_HOSTS] !== undefined) {
    throw new UsageError(`${path}: ${TRUSTED_HOSTS} is set twice`);
  }
  const isUnknown = (key: string) => !known.includes(key) && key !== TRUSTED_HOSTS;
  return {
    path,
    values,
    trustedHosts: parseHostList(
      `${path}: ${TRUSTED_HOSTS}`,
      section[TRUSTED_HOSTS] ?? topLevel[TRUSTED_HOSTS],
    ),
    unknown: [
      ...Object.keys(topLevel).filter((key) => key !== TRUSTED_HOSTS),
      ...Object.keys(section)
        .filter(isUnknown)
        .map((key) => `reporting.${key}`),
    ],
  };
}

const TRUSTED_HOSTS = 'trusted_hosts';

/** Parses a YAML list or a comma-separated string. */
function parseHostList(label: string, value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  const list = typeof value === 'string' ? [value] : value;
  if (!Array.isArray(list) || !list.every((item) => typeof item === 'string')) {
    throw new UsageError(`${label} must be a list of hosts`);
  }
  return list.join(',');
}

function asMap(label: string, value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new UsageError(`${label} must be a map of settings`);
  }
  return value as Record<string, unknown>;
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The request field that names a project: its id or its slug. */
export const projectReference = (project: string): { project_id: string } | { project: string } =>
  UUID.test(project) ? { project_id: project.toLowerCase() } : { project };
