import * as words from '#strings/findings/query.ts';
import { SEVERITIES, STATUSES } from '../../app/search.ts';
import { age, period } from './dates.ts';
import { type Filters, InvalidValue, type Key, type ListName, type Option, requireAffirmed } from './key.ts';
import { quoted } from './terms.ts';

type TextName = 'ref' | 'cwe' | 'cve' | 'rule' | 'file' | 'path' | 'not_path';
type FlagName = 'attention' | 'regressed' | 'overdue' | 'missing' | 'proposed' | 'has_exploit';

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
    if (wrong !== undefined) throw new InvalidValue(words.noneOf(wrong, values));
    const named = given.map((value) => value.toLowerCase());
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

const flag = (name: FlagName, key: string, description: string): Key => ({
  description,
  read([value = ''], isNegated, filters) {
    const isTrue = { true: true, yes: true, false: false, no: false }[value.toLowerCase()];
    if (isTrue === undefined) throw new InvalidValue(words.trueOrFalse);
    filters[name] = isTrue !== isNegated;
  },
  write: ({ [name]: value }) => (value === undefined ? [] : [`${key}:${value}`]),
  options: () => [{ value: 'true' }, { value: 'false' }],
});

const text = (
  name: Exclude<TextName, 'not_path'>,
  description: string,
  {
    not,
    normalize = (value) => value,
    options = () => [],
  }: { not?: 'not_path'; normalize?: (value: string) => string; options?: Key['options'] } = {},
): Key => ({
  description,
  read(values, isNegated, filters) {
    if (isNegated && !not) throw new InvalidValue(words.cannotBeExcluded);
    const target = isNegated ? (not as TextName) : name;
    const value = normalize(values.join());
    if (value === '') throw new InvalidValue(words.needsValue);
    if (filters[target] !== undefined && filters[target] !== value) throw new InvalidValue(words.onlyOnce);
    filters[target] = value;
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
      const found = projects.find(({ id, slug, name }) =>
        [id, slug, name.toLowerCase()].includes(value.toLowerCase()),
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
      // Tokens and rules change findings, too.
      if (name === 'changed_by' && UUID.test(wanted)) return wanted;
      if (others.some(({ value }) => value === wanted)) return wanted;
      const matching = members.filter(({ id, name, email }) =>
        [id, email.toLowerCase(), name.toLowerCase()].includes(wanted),
      );
      if (matching.length > 1) throw new InvalidValue(words.severalMembers(value));
      if (!matching[0]) throw new InvalidValue(words.noMember(value));
      return matching[0].id;
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
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const source: Key = {
  description: words.source,
  read(values, isNegated, filters) {
    if (values.some((value) => value === '')) throw new InvalidValue(words.needsValue);
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
  attention: flag('attention', 'attention', words.attention),
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
  cve: text('cve', words.cve, { normalize: (value) => value.toUpperCase() }),
  rule: text('rule', words.rule),
  file: text('file', words.file),
  path: text('path', words.path, { not: 'not_path' }),
  found: period('found', words.found),
  seen: period('seen', words.seen),
  changed: period('changed', words.changed),
  changed_by: people('changed_by', [ME], words.changedBy),
  older: age('found_before', words.older),
  newer: age('found_after', words.newer),
};
