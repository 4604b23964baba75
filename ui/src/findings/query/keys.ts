import { SEVERITIES, STATUSES } from '../../app/search.ts';
import { age, period } from './dates.ts';
import { type Filters, InvalidValue, type Key, type ListName, type Option, requireAffirmed } from './key.ts';
import { quoted } from './terms.ts';

type TextName = 'cwe' | 'cve' | 'rule' | 'file' | 'path' | 'not_path';
type FlagName = 'attention' | 'regressed' | 'overdue' | 'missing' | 'has_exploit';

/** The most values of a filter that the service accepts. */
const MAX_VALUES = 50;

const add = (filters: Filters, name: ListName, values: readonly string[]) => {
  filters[name] = [...new Set([...(filters[name] ?? []), ...values])];
};

/** Values of a fixed set. Excluding some means the others. */
const choice = (name: 'severity' | 'status', values: readonly string[], description: string): Key => ({
  description,
  read(given, isNegated, filters) {
    const wrong = given.find((value) => !values.includes(value.toLowerCase()));
    if (wrong !== undefined) throw new InvalidValue(`“${wrong}” is none of ${values.join(', ')}`);
    const named = given.map((value) => value.toLowerCase());
    const before = filters[name] ?? (isNegated ? values : []);
    const after = isNegated
      ? values.filter((value) => before.includes(value) && !named.includes(value))
      : values.filter((value) => before.includes(value) || named.includes(value));
    if (after.length === 0) throw new InvalidValue('excludes all findings');
    filters[name] = after;
  },
  write: ({ [name]: chosen = [] }) => {
    if (chosen.length === 0) return [];
    const others = values.filter((value) => !chosen.includes(value));
    return others.length > 0 && others.length * 2 < values.length
      ? [`-${name}:${others.join()}`]
      : [`${name}:${chosen.join()}`];
  },
  options: () => values.map((value) => ({ value })),
});

const flag = (name: FlagName, key: string, description: string): Key => ({
  description,
  read([value = ''], isNegated, filters) {
    const isTrue = { true: true, yes: true, false: false, no: false }[value.toLowerCase()];
    if (isTrue === undefined) throw new InvalidValue('must be true or false');
    filters[name] = isTrue !== isNegated;
  },
  write: ({ [name]: value }) => (value === undefined ? [] : [`${key}:${value}`]),
  options: () => [{ value: 'true' }, { value: 'false' }],
});

const text = (
  name: Exclude<TextName, 'not_path'>,
  description: string,
  { not, normalize = (value) => value }: { not?: 'not_path'; normalize?: (value: string) => string } = {},
): Key => ({
  description,
  read(values, isNegated, filters) {
    if (isNegated && !not) throw new InvalidValue('cannot be excluded with “-”');
    const target = isNegated ? (not as TextName) : name;
    const value = normalize(values.join());
    if (value === '') throw new InvalidValue('needs a value');
    if (filters[target] !== undefined && filters[target] !== value)
      throw new InvalidValue('can be given once');
    filters[target] = value;
  },
  write: (filters) => [
    ...(filters[name] === undefined ? [] : [`${name}:${quoted(filters[name])}`]),
    ...(not && filters[not] !== undefined ? [`-${name}:${quoted(filters[not])}`] : []),
  ],
  options: () => [],
});

const project: Key = {
  description: 'Project, by its slug',
  read(values, isNegated, filters, { projects }) {
    const named = values.map((value) => {
      const found = projects.find(({ id, slug, name }) =>
        [id, slug, name.toLowerCase()].includes(value.toLowerCase()),
      );
      if (!found) throw new InvalidValue(`there is no project “${value}”`);
      return found.id;
    });
    const all = projects.map(({ id }) => id);
    const kept = (filters.project_id ?? all).filter((id) => !named.includes(id));
    if (!isNegated) return add(filters, 'project_id', named);
    if (kept.length === 0) throw new InvalidValue('excludes all findings');
    if (kept.length > MAX_VALUES)
      throw new InvalidValue(`leaves more than ${MAX_VALUES} projects: name the ones to include`);
    filters.project_id = kept;
  },
  write: ({ project_id: ids = [] }, { projects }) =>
    ids.length === 0
      ? []
      : [`project:${ids.map((id) => quoted(projects.find((one) => one.id === id)?.slug ?? id)).join()}`],
  options: ({ projects }) => projects.map(({ slug, name }) => ({ value: slug, label: name })),
};

/** Members, and words that stand for some. */
const people = (name: 'assignee' | 'mentions', words: readonly Option[], description: string): Key => ({
  description,
  read(values, isNegated, filters, { members }) {
    requireAffirmed(isNegated);
    const ids = values.map((value) => {
      const wanted = value.replace(/^@/, '').toLowerCase();
      if (words.some((word) => word.value === wanted)) return wanted;
      const matching = members.filter(({ id, name, email }) =>
        [id, email.toLowerCase(), name.toLowerCase()].includes(wanted),
      );
      if (matching.length > 1)
        throw new InvalidValue(`several members are called “${value}”: use the address`);
      if (!matching[0]) throw new InvalidValue(`there is no member “${value}”`);
      return matching[0].id;
    });
    add(filters, name, ids);
  },
  write: ({ [name]: ids = [] }, { members }) =>
    ids.length === 0
      ? []
      : [`${name}:${ids.map((id) => quoted(members.find((one) => one.id === id)?.email ?? id)).join()}`],
  options: ({ members }) => [...words, ...members.map(({ email, name }) => ({ value: email, label: name }))],
});

const ME = { value: 'me' };

const source: Key = {
  description: 'Scanner that reported it',
  read(values, isNegated, filters) {
    if (values.some((value) => value === '')) throw new InvalidValue('needs a value');
    add(filters, isNegated ? 'not_source' : 'source', values);
  },
  write: ({ source: chosen = [], not_source: excluded = [] }) => [
    ...(chosen.length > 0 ? [`source:${chosen.map(quoted).join()}`] : []),
    ...(excluded.length > 0 ? [`-source:${excluded.map(quoted).join()}`] : []),
  ],
  options: () => [],
};

const cweOf = (value: string): string => {
  const digits = /^(?:cwe-?)?(\d{1,9})$/i.exec(value)?.[1];
  if (!digits) throw new InvalidValue(`“${value}” is not a CWE such as CWE-79`);
  return `CWE-${digits}`;
};

/** All keys, in the order in which they are written. */
export const KEYS: Readonly<Record<string, Key>> = {
  severity: choice('severity', SEVERITIES, 'Severity'),
  status: choice('status', STATUSES, 'Status'),
  attention: flag('attention', 'attention', 'Unresolved or regressed'),
  regressed: flag('regressed', 'regressed', 'Fixed before and seen again'),
  overdue: flag('overdue', 'overdue', 'Past its due date'),
  missing: flag('missing', 'missing', 'Absent from the latest scan'),
  exploit: flag('has_exploit', 'exploit', 'Has an exploit'),
  project,
  assignee: people(
    'assignee',
    [ME, { value: 'none', label: 'nobody' }],
    'Who is assigned: me, none, or a member',
  ),
  mentions: people('mentions', [ME], 'Whom a comment mentions: me, or a member'),
  source,
  cwe: text('cwe', 'Weakness, such as CWE-79', { normalize: cweOf }),
  cve: text('cve', 'Vulnerability, such as CVE-2026-1234', { normalize: (value) => value.toUpperCase() }),
  rule: text('rule', 'Title of the finding'),
  file: text('file', 'File, exactly'),
  path: text('path', 'Files that match a pattern, such as src/**', { not: 'not_path' }),
  found: period('found', 'When it was found first'),
  seen: period('seen', 'When it was seen last'),
  older: age('found_before', 'Found longer ago than'),
  newer: age('found_after', 'Found within'),
};
