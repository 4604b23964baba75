import type { Schemas } from '../../../lib/client/index.ts';
import { FINDING_PARAMETERS } from '../../../lib/client/parameters.ts';

export type Severity = Schemas['Finding']['severity'];
export type FindingStatus = Schemas['Finding']['status'];

export const SEVERITIES = [
  'critical',
  'high',
  'medium',
  'low',
  'info',
] as const satisfies readonly Severity[];
export const STATUSES = [
  'open',
  'confirmed',
  'fixed',
  'false_positive',
  'wontfix',
  'verified',
] as const satisfies readonly FindingStatus[];
/** The statuses that still need attention. */
export const UNRESOLVED = ['open', 'confirmed'] as const satisfies readonly FindingStatus[];
export const SORTS = [
  '-priority',
  'priority',
  '-created_at',
  'created_at',
  '-last_seen_at',
  'last_seen_at',
  '-severity',
  'severity',
  '-cvss_score',
  'cvss_score',
  'due_at',
  '-due_at',
] as const;
export const GROUP_KEYS = ['rule', 'cve', 'file', 'project'] as const;
export type GroupKey = (typeof GROUP_KEYS)[number];
/** The views of the list of findings, in the order of their tabs. */
export const VIEW_IDS = ['attention', 'regressed', 'mine', 'mentions', 'overdue', 'verify', 'all'] as const;
export type ViewId = (typeof VIEW_IDS)[number];
export const CHANGES = ['new', 'seen_again', 'gone'] as const;

/** Whether the service can filter findings by a parameter. */
export const has = (parameter: string): boolean => FINDING_PARAMETERS.includes(parameter);

/** The parameters of the list of findings, with the names of `GET /findings`. */
export interface FindingSearch {
  /** One id, or several separated by commas. */
  project_id?: string;
  scan_id?: string;
  against?: string;
  change?: (typeof CHANGES)[number];
  severity?: Severity[];
  status?: FindingStatus[];
  /** Unresolved findings, and those that have regressed. */
  attention?: true;
  regressed?: boolean;
  /** `me`, `none` or user ids, separated by commas. */
  assignee?: string;
  /** `me` or user ids, separated by commas. */
  mentions?: string;
  overdue?: boolean;
  missing?: boolean;
  /** Findings that only refs which are not tracked have reported. */
  proposed?: boolean;
  has_exploit?: boolean;
  /** A branch, tag or pull request that they are present on. */
  ref?: string;
  /** Names of scanners, separated by commas. */
  source?: string;
  not_source?: string;
  cwe?: string;
  /** Empty: findings without one; the file likewise. */
  cve?: string;
  /** The title, exactly. */
  rule?: string;
  file?: string;
  /** A glob. */
  path?: string;
  not_path?: string;
  /** Dates, or times (RFC 3339). */
  found_after?: string;
  found_before?: string;
  seen_after?: string;
  seen_before?: string;
  resolved_after?: string;
  resolved_before?: string;
  /** Whether they were resolved within their due date. */
  resolved_in_time?: boolean;
  /** Since when they are unresolved. */
  unresolved_after?: string;
  unresolved_before?: string;
  /** When an entry was added to their activity. */
  changed_after?: string;
  changed_before?: string;
  /** `me` or ids of users, tokens or rules, separated by commas. */
  changed_by?: string;
  q?: string;
  group_by?: GroupKey;
  /** The view that the list is part of, where the filters alone would select another one. */
  view?: ViewId;
  sort?: (typeof SORTS)[number];
  page?: number;
}

/** The filters and the order of the list of findings. */
export type FindingFilter = Omit<FindingSearch, 'page' | 'group_by' | 'view'>;

/** The parameters of an address, all text. */
export type Given = Record<string, unknown>;

export const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

/** A date, such as 2026-11-03. */
export const dateIn = (value: unknown): string | undefined => {
  const text = textOf(value);
  return text && /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text)) ? text : undefined;
};

/** Values separated by commas, each once. */
const listOf = (value: unknown): string | undefined =>
  textOf([...new Set(textOf(value)?.split(','))].filter((one) => one !== '').join());

export const oneOf = <T extends string>(values: readonly T[], value: unknown): T | undefined =>
  values.find((one) => one === value);

/** Some of the values; undefined if another one is among them. */
function someOf<T extends string>(values: readonly T[], value: unknown): T[] | undefined {
  const given = new Set<string>(Array.isArray(value) ? value : textOf(value)?.split(','));
  const known = values.filter((one) => given.has(one));
  return known.length > 0 && known.length === given.size ? known : undefined;
}

const flagOf = (value: unknown): boolean | undefined =>
  String(value) === 'true' ? true : String(value) === 'false' ? false : undefined;

export const wholeNumber = (value: unknown): number | undefined => {
  const number = Number(value);
  return Number.isInteger(number) && number > 0 && number <= 1_000_000 ? number : undefined;
};

/** The parameters whose value is any text. */
export const TEXTS = [
  ...(['source', 'not_source', 'ref', 'cwe', 'cve', 'rule', 'file', 'path', 'not_path'] as const),
  ...(['found_after', 'found_before', 'seen_after', 'seen_before'] as const),
  ...(['resolved_after', 'resolved_before', 'unresolved_after', 'unresolved_before'] as const),
  ...(['changed_after', 'changed_before'] as const),
];

const textsOf = <Name extends string>(given: Given, names: readonly Name[]) =>
  Object.fromEntries(
    // An empty CVE or file selects findings without one.
    names.map((name) => [name, given[name] === '' && MAY_BE_EMPTY.has(name) ? '' : textOf(given[name])]),
  ) as {
    [N in Name]: string | undefined;
  };

const MAY_BE_EMPTY: ReadonlySet<string> = new Set(['cve', 'file']);

/** Parses the parameters of the list of findings and omits invalid ones. */
export function findingSearch(given: Given): FindingSearch {
  return withoutUndefined({
    project_id: listOf(given.project_id),
    scan_id: textOf(given.scan_id),
    against: textOf(given.against),
    change: oneOf(CHANGES, given.change),
    severity: someOf(SEVERITIES, given.severity),
    status: someOf(STATUSES, given.status),
    // `false` selects every finding.
    attention: flagOf(given.attention) || undefined,
    regressed: flagOf(given.regressed),
    assignee: has('assignee') ? listOf(given.assignee) : undefined,
    mentions: has('mentions') ? listOf(given.mentions) : undefined,
    changed_by: listOf(given.changed_by),
    overdue: has('overdue') ? flagOf(given.overdue) : undefined,
    missing: flagOf(given.missing),
    proposed: flagOf(given.proposed),
    has_exploit: flagOf(given.has_exploit),
    resolved_in_time: flagOf(given.resolved_in_time),
    ...textsOf(given, TEXTS),
    source: listOf(given.source),
    not_source: listOf(given.not_source),
    q: textOf(given.q),
    group_by: oneOf(GROUP_KEYS, given.group_by),
    view: oneOf(VIEW_IDS, given.view),
    sort: oneOf(SORTS, given.sort),
    page: wholeNumber(given.page),
  });
}

/** The filter in an address of the list or of one of its findings. Routes also pass on unknown parameters. */
export function filterOf(search: FindingSearch): FindingFilter {
  const { page: _, group_by: __, view: ___, ...filter } = findingSearch({ ...search });
  return filter;
}

/** The filters without the order: those of numbers and of bulk changes. */
export function matchingOf({ sort: _, ...filters }: FindingFilter): FindingFilter {
  return filters;
}

/** The parameters of the page of a scan. */
export interface ScanSearch {
  /** The scan to compare with. */
  against?: string;
  /** The lowest severity that fails the gate. */
  fail_on?: Severity;
}

export const scanSearch = (given: Given): ScanSearch =>
  withoutUndefined<ScanSearch>({
    against: textOf(given.against),
    fail_on: oneOf(SEVERITIES, given.fail_on),
  });

/** Parses text parameters of an address. */
export const textSearch =
  <K extends string>(...names: K[]) =>
  (given: Given): { [Name in K]?: string } =>
    withoutUndefined(
      Object.fromEntries(names.map((name) => [name, textOf(given[name])])) as { [Name in K]?: string },
    );

export function withoutUndefined<T extends object>(value: { [K in keyof T]: T[K] | undefined }): T {
  return Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined)) as T;
}

/** Formats parameters as the API does: `?severity=critical,high&page=2`. */
export function stringifySearch(search: Record<string, unknown>): string {
  const text = Object.entries(search)
    .filter(([name, value]) => value !== undefined && (value !== '' || MAY_BE_EMPTY.has(name)))
    .map(([name, value]) => `${name}=${encodeURIComponent(String(value)).replaceAll('%2C', ',')}`)
    .join('&');
  return text && `?${text}`;
}

/** Parses the parameters of an address. A repeated one has its values separated by commas. */
export function parseSearch(text: string): Given {
  const given: Record<string, string> = {};
  for (const [name, value] of new URLSearchParams(text))
    given[name] = given[name] === undefined ? value : `${given[name]},${value}`;
  return given;
}

/**
 * The parameters of an address that its page does not have, or whose values it does not take.
 * @param parse omits them
 */
export function misunderstood(given: Given, parse: (given: Given) => object): string[] {
  const understood = parse(given) as Given;
  const valuesOf = (value: unknown) => [...new Set(String(value).split(','))].sort().join();
  return Object.keys(given).filter((name) => {
    const value = given[name];
    // These find everything.
    if (value === undefined || (name === 'q' && value === '')) return false;
    if (name === 'attention' && String(value) === 'false') return false;
    return understood[name] === undefined || valuesOf(understood[name]) !== valuesOf(value);
  });
}
