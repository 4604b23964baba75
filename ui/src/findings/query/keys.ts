import * as words from '#strings/findings/query.ts';
import { SEVERITIES, STATUSES } from '../../app/search.ts';
import { age, period } from './dates.ts';
import {
  type Filters,
  InvalidValue,
  isId,
  type Key,
  type ListName,
  matchOf,
  type Option,
  requireAffirmed,
  setOnce,
} from './key.ts';
import { quoted } from './terms.ts';

type TextName = 'ref' | 'cwe' | 'cve' | 'rule' | 'file' | 'path' | 'not_path';
type FlagName = 'regressed' | 'overdue' | 'missing' | 'proposed' | 'has_exploit' | 'resolved_in_time';

/** The most values of a filter that the service accepts. */
const MAX_VALUES = 50;

const add = (filters: Filters, name: ListName, values: readonly string[]) => {
  filters[name] = [...new Set([...(filters[name] ?? []), ...values])];
};

/** A value as pages write it, such as “False positive” or “Won't fix”, and as the API does. */
const lettersOf = (value: string): string => value.toLowerCase().replace(/[\s_'’-]/g, '');

/** One of some values, by its name or the start of it. */
function oneOf(values: readonly string[], given: string): string {
  const found = matchOf(
    values,
    (value) => [lettersOf(value)],
    lettersOf(given),
    (letters) =>
      words.severalOf(
        given,
        values.filter((one) => lettersOf(one).startsWith(letters)),
      ),
  );
  if (found === undefined) throw new InvalidValue(words.noneOf(given, values));
  return found;
}

/** Values of a fixed set. Excluding some means the others. */
const choice = (name: 'severity' | 'status', values: readonly string[], description: string): Key => ({
  description,
  read(given, isNegated, filters) {
    const named = given.map((value) => oneOf(values, value));
    const before = filters[name] ?? (isNegated ? values : []);
    const after = isNegated
      ? values.filter((value) => before.includes(value) && !named.includes(value))
      : values.filter((value) => before.includes(value) || named.includes(value));
    if (after.length === 0) throw new InvalidValue(words.excludesAll);
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

const BOOLEANS: Readonly<Record<string, boolean>> = { true: true, yes: true, false: false, no: false };

function booleanOf(given: string): boolean {
  const found = Object.keys(BOOLEANS).find((name) => given !== '' && name.startsWith(given.toLowerCase()));
  if (found === undefined) throw new InvalidValue(words.trueOrFalse);
  return BOOLEANS[found] === true;
}

const flag = (name: FlagName, key: string, description: string): Key => ({
  description,
  read([value = ''], isNegated, filters) {
    setOnce(filters, name, booleanOf(value) !== isNegated);
  },
  write: ({ [name]: value }) => (value === undefined ? [] : [`${key}:${value}`]),
  options: () => [{ value: 'true' }, { value: 'false' }],
});

/** The service has no filter for the other findings. */
const attention: Key = {
  description: words.attention,
  read([value = ''], isNegated, filters) {
    if (booleanOf(value) === isNegated) throw new InvalidValue(words.onlyTrue);
    filters.attention = true;
  },
  write: (filters) => (filters.attention ? ['attention:true'] : []),
  options: () => [{ value: 'true' }],
};

const text = (
  name: Exclude<TextName, 'not_path'>,
  description: string,
  {
    not,
    mayBeEmpty = false,
    normalize = (value) => value,
    options = () => [],
  }: {
    not?: 'not_path';
    mayBeEmpty?: boolean;
    normalize?: (value: string) => string;
    options?: Key['options'];
  } = {},
): Key => ({
  description,
  isFreeText: true,
  read(values, isNegated, filters) {
    if (isNegated && !not) throw new InvalidValue(words.cannotBeExcluded);
    const target = isNegated ? (not as TextName) : name;
    const value = normalize(values.join());
    if (value === '' && !mayBeEmpty) throw new InvalidValue(words.needsValue);
    setOnce(filters, target, value);
  },
  write: (filters) => [
    ...(filters[name] === undefined ? [] : [`${name}:${quoted(filters[name])}`]),
    ...(not && filters[not] !== undefined ? [`-${name}:${quoted(filters[not])}`] : []),
  ],
  options,
});

const project: Key = {
  description: words.project,
  read(values, isNegated, filters, { projects }) {
    const named = values.map((value) => {
      if (isId(value)) return value.toLowerCase();
      const found = matchOf(
        projects,
        ({ slug, name }) => [slug, name.toLowerCase()],
        value,
        words.severalProjects,
      );
      if (!found) throw new InvalidValue(words.noProject(value));
      return found.id;
    });
    const all = projects.map(({ id }) => id);
    const kept = (filters.project_id ?? all).filter((id) => !named.includes(id));
    if (!isNegated) return add(filters, 'project_id', named);
    if (kept.length === 0) throw new InvalidValue(words.excludesAll);
    if (kept.length > MAX_VALUES) throw new InvalidValue(words.tooManyProjects(MAX_VALUES));
    filters.project_id = kept;
  },
  write: ({ project_id: ids = [] }, { projects }) =>
    ids.length === 0
      ? []
      : [`project:${ids.map((id) => quoted(projects.find((one) => one.id === id)?.slug ?? id)).join()}`],
  options: ({ projects }) => projects.map(({ slug, name }) => ({ value: slug, label: name })),
};

/** Members, and values that stand for some. */
const people = (
  name: 'assignee' | 'mentions' | 'changed_by',
  others: readonly Option[],
  description: string,
): Key => ({
  description,
  read(values, isNegated, filters, { members }) {
    requireAffirmed(isNegated);
    const ids = values.map((value) => {
      const wanted = value.replace(/^@/, '').toLowerCase();
      if (isId(wanted) || others.some(({ value }) => value === wanted)) return wanted;
      const found = matchOf(
        members,
        ({ name, email }) => [email.toLowerCase(), name.toLowerCase()],
        wanted,
        words.severalMembers,
      );
      if (!found) throw new InvalidValue(words.noMember(value));
      return found.id;
    });
    add(filters, name, ids);
  },
  write: ({ [name]: ids = [] }, { members }) =>
    ids.length === 0
      ? []
      : [`${name}:${ids.map((id) => quoted(members.find((one) => one.id === id)?.email ?? id)).join()}`],
  options: ({ members }) => [...others, ...members.map(({ email, name }) => ({ value: email, label: name }))],
});

const ME = { value: 'me' };

const source: Key = {
  description: words.source,
  isFreeText: true,
  read(values, isNegated, filters) {
    // Names with commas cannot be written in an address.
    const names = values.flatMap((value) => value.split(','));
    if (names.includes('')) throw new InvalidValue(words.needsValue);
    add(filters, isNegated ? 'not_source' : 'source', names);
  },
  write: ({ source: chosen = [], not_source: excluded = [] }) => [
    ...(chosen.length > 0 ? [`source:${chosen.map(quoted).join()}`] : []),
    ...(excluded.length > 0 ? [`-source:${excluded.map(quoted).join()}`] : []),
  ],
  options: () => [],
};

const cweOf = (value: string): string => {
  const digits = /^(?:cwe-?)?(\d{1,9})$/i.exec(value)?.[1];
  if (!digits) throw new InvalidValue(words.noCwe(value));
  return `CWE-${digits}`;
};

/** The default branches, and the tracked refs that have a name. */
const namedRefs: Key['options'] = ({ projects }) =>
  [...new Set(projects.flatMap(({ default_ref, tracked_refs = [] }) => [default_ref ?? '', ...tracked_refs]))]
    .filter((ref) => ref !== '' && !ref.includes('*'))
    .map((value) => ({ value }));

/** All keys, in the order in which they are written. */
export const KEYS: Readonly<Record<string, Key>> = {
  severity: choice('severity', SEVERITIES, words.severity),
  status: choice('status', STATUSES, words.status),
  attention,
  regressed: flag('regressed', 'regressed', words.regressed),
  overdue: flag('overdue', 'overdue', words.overdue),
  missing: flag('missing', 'missing', words.missing),
  proposed: flag('proposed', 'proposed', words.proposed),
  exploit: flag('has_exploit', 'exploit', words.exploit),
  project,
  assignee: people('assignee', [ME, { value: 'none', label: words.nobody }], words.assignee),
  mentions: people('mentions', [ME], words.mentions),
  source,
  ref: text('ref', words.ref, { options: namedRefs }),
  cwe: text('cwe', words.cwe, { normalize: cweOf }),
  cve: text('cve', words.cve, { mayBeEmpty: true, normalize: (value) => value.toUpperCase() }),
  rule: text('rule', words.rule),
  file: text('file', words.file, { mayBeEmpty: true }),
  path: text('path', words.path, { not: 'not_path' }),
  found: period('found', words.found),
  seen: period('seen', words.seen),
  resolved: period('resolved', words.resolved),
  unresolved: period('unresolved', words.unresolved),
  in_time: flag('resolved_in_time', 'in_time', words.inTime),
  changed: period('changed', words.changed),
  changed_by: people('changed_by', [ME], words.changedBy),
  older: age('found_before', words.older),
  newer: age('found_after', words.newer),
};
