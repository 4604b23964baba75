import type { Schemas } from '../../../lib/client/index.ts';

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
  '-created_at',
  'created_at',
  '-last_seen_at',
  'last_seen_at',
  '-severity',
  'severity',
  '-cvss_score',
  'cvss_score',
] as const;
export const CHANGES = ['new', 'seen_again', 'gone'] as const;

/** The parameters of the list of findings, with the names of `GET /findings`. */
export interface FindingSearch {
  project_id?: string;
  scan_id?: string;
  against?: string;
  change?: (typeof CHANGES)[number];
  severity?: Severity[];
  status?: FindingStatus[];
  cwe?: string;
  q?: string;
  sort?: (typeof SORTS)[number];
  page?: number;
}

/** The parameters of an address, all text. */
type Given = Record<string, unknown>;

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

const oneOf = <T extends string>(values: readonly T[], value: unknown): T | undefined =>
  values.find((one) => one === value);

function someOf<T extends string>(values: readonly T[], value: unknown): T[] | undefined {
  const given = Array.isArray(value) ? value : (textOf(value)?.split(',') ?? []);
  const known = values.filter((one) => given.includes(one));
  return known.length > 0 ? known : undefined;
}

export const wholeNumber = (value: unknown): number | undefined => {
  const number = Number(value);
  return Number.isInteger(number) && number > 0 && number <= 1_000_000 ? number : undefined;
};

/** Parses the parameters of the list of findings and omits invalid ones. */
export function findingSearch(given: Given): FindingSearch {
  return withoutUndefined({
    project_id: textOf(given.project_id),
    scan_id: textOf(given.scan_id),
    against: textOf(given.against),
    change: oneOf(CHANGES, given.change),
    severity: someOf(SEVERITIES, given.severity),
    status: someOf(STATUSES, given.status),
    cwe: textOf(given.cwe),
    q: textOf(given.q),
    sort: oneOf(SORTS, given.sort),
    page: wholeNumber(given.page),
  });
}

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
    .filter(([, value]) => value !== undefined && value !== '')
    .map(([name, value]) => `${name}=${encodeURIComponent(String(value)).replaceAll('%2C', ',')}`)
    .join('&');
  return text && `?${text}`;
}

export const parseSearch = (text: string): Given => Object.fromEntries(new URLSearchParams(text));
