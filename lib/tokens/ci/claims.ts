/** Claims of a token that an issuer has signed. */
export type Payload = Readonly<Record<string, unknown>>;

const NUMBER = /^[0-9]{1,20}$/;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The claims that name the same repository or pipeline for good, and their form. Names can be registered again by others. */
const IDS = {
  repository_id: NUMBER,
  repository_owner_id: NUMBER,
  project_id: NUMBER,
  pipeline_id: UUID,
  organization_id: UUID,
  'oidc.circleci.com/project-id': UUID,
} as const;

export const PROVIDERS = ['github', 'gitlab', 'buildkite', 'circleci', 'other'] as const;
export type CiProvider = (typeof PROVIDERS)[number];

interface Rules {
  name: string;
  /** It and addresses below it: some organizations have an issuer of their own. */
  issuer?: string;
  /** A trust needs one of these claims. */
  ids: readonly (keyof typeof IDS)[];
}

const RULES: Record<CiProvider, Rules> = {
  github: {
    name: 'GitHub Actions',
    issuer: 'https://token.actions.githubusercontent.com',
    ids: ['repository_id', 'repository_owner_id'],
  },
  gitlab: { name: 'GitLab', issuer: 'https://gitlab.com', ids: ['project_id'] },
  buildkite: {
    name: 'Buildkite',
    issuer: 'https://agent.buildkite.com',
    ids: ['pipeline_id', 'organization_id'],
  },
  circleci: {
    name: 'CircleCI',
    issuer: 'https://oidc.circleci.com',
    ids: ['oidc.circleci.com/project-id'],
  },
  // Self-managed. The `pipeline_id` of GitLab is another one in each run.
  other: {
    name: 'CI',
    ids: ['repository_id', 'repository_owner_id', 'project_id', 'oidc.circleci.com/project-id'],
  },
};

export const providerOf = (given: string): CiProvider =>
  PROVIDERS.find((name) => {
    const { issuer } = RULES[name];
    return issuer !== undefined && (given === issuer || given.startsWith(`${issuer}/`));
  }) ?? 'other';

/** Why claims identify nobody for good; undefined if they do. */
export function claimsProblem(issuer: string, claims: Readonly<Record<string, string>>): string | undefined {
  const { ids } = RULES[providerOf(issuer)];
  const given = ids.filter((name) => Object.hasOwn(claims, name));
  if (given.length === 0)
    return `must contain ${ids.join(' or ')}: names, such as that of a repository, can be registered again by others`;
  const wrong = given.find((name) => !IDS[name].test(claims[name] ?? ''));
  return wrong && `${wrong} must be ${IDS[wrong] === NUMBER ? 'a number' : 'a UUID in lower case'}`;
}

const textOf = (payload: Payload, name: string): string | undefined => {
  const value = Object.hasOwn(payload, name) ? payload[name] : undefined;
  // Larger numbers have lost their last digits.
  const isText = typeof value === 'string' || Number.isSafeInteger(value);
  return isText ? String(value) : undefined;
};

/** Whether a token has all claims of a trust, with exactly these values. */
export const hasClaims = (payload: Payload, claims: Readonly<Record<string, string>>): boolean =>
  Object.entries(claims).every(([name, value]) => textOf(payload, name) === value);

/** The name of a trust that was not used yet, such as `GitHub Actions repository 74`. */
export const nameOfTrust = (issuer: string, claims: Readonly<Record<string, string>>): string => {
  const provider = providerOf(issuer);
  const { ids, name } = RULES[provider];
  const id = ids.find((one) => Object.hasOwn(claims, one)) ?? '';
  const what = id.split('/').at(-1)?.slice(0, -'_id'.length).replaceAll('_', ' ');
  const system = provider === 'other' ? new URL(issuer).host : name;
  return `${system} ${what} ${claims[id]}`.slice(0, 100);
};

/** The claims that name a source and its run, by system. Self-managed systems have them, too. */
const NAMING: readonly { system: CiProvider; source: readonly string[]; run: string; number: string }[] = [
  { system: 'github', source: ['repository'], run: 'run', number: 'run_number' },
  { system: 'gitlab', source: ['project_path'], run: 'job', number: 'job_id' },
  {
    system: 'buildkite',
    source: ['organization_slug', 'pipeline_slug'],
    run: 'build',
    number: 'build_number',
  },
  {
    system: 'circleci',
    source: ['oidc.circleci.com/vcs-origin'],
    run: 'pipeline',
    number: 'oidc.circleci.com/pipeline-id',
  },
];

const printable = (text: string) => text.replace(/\p{C}/gu, ' ').slice(0, 100).toWellFormed();

/** Claims of several sources: a trust with nothing else keeps its name, because its findings are of all of them. */
const OF_SEVERAL = new Set(['repository_owner_id', 'organization_id']);

/**
 * The present name of the source of a token, such as `GitHub Actions acme/web-shop`, and its run. Self-managed systems are called after
 * their host, because they can claim anything.
 */
export function sourceOf(
  { name, issuer, claims }: { name: string; issuer: string; claims: Readonly<Record<string, string>> },
  payload: Payload,
): { source: string; run: string } {
  const provider = providerOf(issuer);
  for (const { system, source, run, number } of NAMING) {
    const path = source.map((claim) => textOf(payload, claim));
    if (path.includes(undefined) || (provider !== 'other' && provider !== system)) continue;
    const isOne = RULES[provider].ids.some((id) => Object.hasOwn(claims, id) && !OF_SEVERAL.has(id));
    const prefix = provider === 'other' ? new URL(issuer).host : RULES[provider].name;
    const value = textOf(payload, number);
    const which = value === undefined ? '' : `${run} ${value.slice(0, 50)}`;
    return isOne
      ? { source: printable(`${prefix} ${path.join('/')}`), run: printable(which) }
      : { source: name, run: printable(`${path.join('/')} ${which}`) };
  }
  return { source: name, run: '' };
}
