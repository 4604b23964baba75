/*
 * Links to a file and line at the commit that was scanned. A project has the address of its repository on a known host, or a
 * template. Scans and findings are untrusted: what they contain is encoded and never changes the host, nor leaves the repository.
 */

export const MAX_SOURCE_URL = 200;

/** The scanned version. Without any part, links lead to the default branch. */
export interface Revision {
  commit?: string | undefined;
  branch?: string | undefined;
  tag?: string | undefined;
}

/** A line of a file at a revision. */
export interface SourcePlace extends Revision {
  /** Relative to the root of the repository. */
  path: string;
  line?: number | undefined;
}

/** The values for the placeholders of a link, encoded; the revision is as it was reported. */
interface Parts {
  /** Address of the repository, without a slash at the end. */
  root: string;
  path: string;
  line: number | undefined;
  revision: Revision;
}

interface Host {
  /** The address of the repository that an address belongs to; undefined if this host has no such addresses. */
  rootOf(url: URL): string | undefined;
  link(parts: Parts): string;
}

/** Names the default branch on every host. */
const DEFAULT = 'HEAD';

const nameOf = ({ commit, tag, branch }: Revision): string => commit ?? tag ?? branch ?? DEFAULT;

/** Unpaired surrogates cannot be encoded. */
function isEncodable(text: string): boolean {
  try {
    encodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/** Encodes each segment of a path. */
const encodePath = (path: string): string => path.split('/').map(encodeURIComponent).join('/');

const isHost = ({ hostname }: URL, known: string, label?: string): boolean =>
  hostname === known || (label !== undefined && hostname.startsWith(`${label}.`));

const segmentsOf = ({ pathname }: URL): string[] => pathname.split('/').filter((part) => part !== '');

/** The address of the first segments of a path. */
const addressOf = ({ origin }: URL, segments: readonly string[]): string =>
  [origin, ...segments].join('/').replace(/\.git$/, '');

/** Hosts show these files formatted, without lines, unless `plain=1` asks for the source. */
const isFormatted = (path: string): boolean => /\.(?:md|markdown|mdx|rst|adoc|ipynb)$/i.test(path);

const plain = (path: string, line: number | undefined): string =>
  line !== undefined && isFormatted(path) ? '?plain=1' : '';

const anchor = (prefix: string, line: number | undefined): string =>
  line === undefined ? '' : `#${prefix}${line}`;

const github: Host = {
  rootOf(url) {
    const segments = segmentsOf(url);
    return isHost(url, 'github.com', 'github') && segments.length === 2
      ? addressOf(url, segments)
      : undefined;
  },
  link: ({ root, path, line, revision }) =>
    `${root}/blob/${encodePath(nameOf(revision))}/${path}${plain(path, line)}${anchor('L', line)}`,
};

const gitlab: Host = {
  rootOf(url) {
    const segments = segmentsOf(url);
    // Below `-` are pages of the repository, on GitLab only.
    const end = segments.indexOf('-');
    const own = end === -1 ? segments : segments.slice(0, end);
    return (end !== -1 || isHost(url, 'gitlab.com', 'gitlab')) && own.length >= 2
      ? addressOf(url, own)
      : undefined;
  },
  link: ({ root, path, line, revision }) =>
    `${root}/-/blob/${encodePath(nameOf(revision))}/${path}${plain(path, line)}${anchor('L', line)}`,
};

const bitbucketCloud: Host = {
  rootOf(url) {
    const segments = segmentsOf(url);
    return isHost(url, 'bitbucket.org') && segments.length === 2 ? addressOf(url, segments) : undefined;
  },
  // A slash in the name of a branch is encoded, because the path follows.
  link: ({ root, path, line, revision }) =>
    `${root}/src/${encodeURIComponent(nameOf(revision))}/${path}${anchor('lines-', line)}`,
};

const bitbucketServer: Host = {
  rootOf(url) {
    const segments = segmentsOf(url);
    const at = segments.indexOf('repos');
    return ['projects', 'users'].includes(segments[at - 2] ?? '') && segments.length > at + 1
      ? addressOf(url, segments.slice(0, at + 2))
      : undefined;
  },
  link({ root, path, line, revision }) {
    const name = nameOf(revision);
    const at = name === DEFAULT ? '' : `?at=${encodeURIComponent(name)}`;
    return `${root}/browse/${path}${at}${anchor('', line)}`;
  },
};

const azure: Host = {
  rootOf(url) {
    const segments = segmentsOf(url);
    const at = segments.indexOf('_git');
    return at > 0 && segments.length > at + 1 ? addressOf(url, segments.slice(0, at + 2)) : undefined;
  },
  link({ root, path, line, revision: { commit, tag, branch } }) {
    const version = commit ? `GC${commit}` : tag ? `GT${tag}` : branch && `GB${branch}`;
    return [
      `${root}?path=/${path}`,
      ...(version ? [`version=${encodeURIComponent(version)}`] : []),
      ...(line === undefined
        ? []
        : [`line=${line}`, `lineEnd=${line + 1}`, 'lineStartColumn=1', 'lineEndColumn=1']),
    ].join('&');
  },
};

const HOSTS: readonly Host[] = [github, bitbucketCloud, bitbucketServer, azure, gitlab];

const PLACEHOLDER = /\{[^{}]*\}/g;
const KNOWN: ReadonlySet<string> = new Set(['{commit}', '{branch}', '{path}', '{line}']);

const isTemplate = (text: string): boolean => /[{}]/.test(text);

/** Says what is wrong with a value of the setting; undefined if it is valid. The text follows the name of the field. */
export function sourceUrlProblem(text: string): string | undefined {
  if (!/^https?:\/\/[^/]/i.test(text)) return 'must begin with https:// or http://';
  if (/[\s\p{Cc}\p{Cf}\\<>"`]/u.test(text))
    return 'must not contain spaces, control characters or \\ < > " `';
  // A name that an agent reports must not choose the host.
  if (/^https?:\/\/[^/?#]*[{}]/i.test(text)) return 'must not contain a placeholder in the host';
  if (!URL.canParse(text)) return 'must be a URL';
  const url = new URL(text);
  if (url.username !== '' || url.password !== '') return 'must not contain a user name or a password';
  if (!isTemplate(text)) {
    if (HOSTS.some((host) => host.rootOf(url) !== undefined)) return undefined;
    return 'must be the address of a repository on GitHub, GitLab, Bitbucket or Azure DevOps, or a template with {path}';
  }
  const names = [...text.matchAll(PLACEHOLDER)].map(([name]) => name);
  if (isTemplate(text.replace(PLACEHOLDER, '')) || !names.every((name) => KNOWN.has(name)))
    return 'may contain {commit}, {branch}, {path} and {line} only';
  return names.includes('{path}') ? undefined : 'must contain {path}';
}

/** The link of a project to a place in its code; undefined if the path cannot be one in the repository. */
export function sourceLink(sourceUrl: string, { path, line, ...revision }: SourcePlace): string | undefined {
  if (sourceUrlProblem(sourceUrl) !== undefined) return undefined;
  const file = repositoryPath(path);
  if (file === undefined) return undefined;
  const parts = { path: encodePath(file), line, revision: safeRevision(revision) };
  const url = new URL(sourceUrl);
  if (isTemplate(sourceUrl)) return fill(sourceUrl, parts);
  for (const host of HOSTS) {
    const root = host.rootOf(url);
    if (root !== undefined) return host.link({ ...parts, root });
  }
  return undefined;
}

function fill(template: string, { path, line, revision }: Omit<Parts, 'root'>): string {
  const { branch = revision.tag ?? DEFAULT } = revision;
  const values: Readonly<Record<string, string>> = {
    '{commit}': encodePath(nameOf(revision)),
    '{branch}': encodePath(branch),
    '{path}': path,
    '{line}': String(line ?? 1),
  };
  const text = line === undefined ? withoutLine(template) : template;
  return new URL(text.replace(PLACEHOLDER, (name) => values[name] ?? '')).href;
}

/** Removes the fragment and the parameters that contain the line. */
function withoutLine(template: string): string {
  const [, address = '', query, fragment] = /^([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/.exec(template) ?? [];
  const parameters = query?.split('&').filter((part) => !part.includes('{line}')) ?? [];
  return [
    address,
    parameters.length > 0 ? `?${parameters.join('&')}` : '',
    fragment === undefined || fragment.includes('{line}') ? '' : `#${fragment}`,
  ].join('');
}

/** A path with slashes and without `.` segments; undefined for what is no path in a repository: URLs, absolute paths, `..`. */
function repositoryPath(path: string): string | undefined {
  const segments = path.replaceAll('\\', '/').split('/');
  // A drive, a URL or the coordinates of a package.
  if (segments[0] === '' || segments[0]?.includes(':') || !isEncodable(path)) return undefined;
  const own = segments.filter((segment) => segment !== '' && segment !== '.');
  return own.length === 0 || own.includes('..') ? undefined : own.join('/');
}

/** Drops names that would leave their place in the path. */
function safeRevision({ commit, branch, tag }: Revision): Revision {
  const safe = (name: string | undefined) =>
    name !== undefined &&
    isEncodable(name) &&
    name.split('/').every((segment) => !['', '.', '..'].includes(segment))
      ? name
      : undefined;
  return { commit: safe(commit), branch: safe(branch), tag: safe(tag) };
}

const FULL_COMMIT = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/i;

/** The version that a scan reports to have scanned: its commit, and the branch, tag or commit of its target. */
export function revisionOf(scan: {
  commit?: string | undefined;
  target?: { ref?: string | undefined } | undefined;
}): Revision {
  const ref = scan.target?.ref?.trim() ?? '';
  const [, kind, name] = /^refs\/(heads|tags)\/(.+)$/.exec(ref) ?? [];
  if (kind === 'tags') return { commit: scan.commit, tag: name };
  if (FULL_COMMIT.test(ref)) return { commit: scan.commit ?? ref };
  return { commit: scan.commit, branch: (name ?? ref) || undefined };
}
