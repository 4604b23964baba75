import * as words from '#strings/findings/list/chips.ts';
import * as names from '#strings/findings.ts';
import { TEXTS } from '../../../app/search.ts';
import { type FilterChange, filtersBeside, type ListState } from '../../list-state.ts';

/** An active filter in words. */
export interface Chip {
  key: string;
  label: string;
  value: string;
  /** The id of the scan that the value stands for. */
  scan?: string;
  /** The change of the list that removes it. */
  without: FilterChange;
}

/** The names of what filters have by id; undefined while they are not known. */
interface Names {
  project(id: string): string | undefined;
  member(id: string): string | undefined;
}

const FLAGS = Object.keys(words.flags) as readonly (keyof typeof words.flags)[];

const PEOPLE: Readonly<Record<string, string>> = { me: words.me, none: words.nobody };

/** The filters that the view does not set. */
export function chipsOf(list: ListState, { project, member }: Names): Chip[] {
  const beside = filtersBeside(list);
  const { scan_id, against, change, q } = beside;
  const chips: Chip[] = [];
  if (q) chips.push({ key: 'q', label: words.text, value: q, without: { q: undefined } });
  addIds('project_id', words.project, project);
  addIds('assignee', words.assignee, (id) => PEOPLE[id] ?? member(id));
  addIds('mentions', words.mentions, (id) => PEOPLE[id] ?? member(id));
  addIds('changed_by', words.changedBy, (id) => PEOPLE[id] ?? member(id));
  if (scan_id !== undefined) {
    const without = { scan_id: undefined, against: undefined, change: undefined };
    chips.push({ key: 'scan', label: words.scan, value: scan_id, scan: scan_id, without });
  }
  if (against !== undefined && change) {
    const without = { against: undefined, change: undefined };
    chips.push({ key: 'change', label: words.changes[change], value: against, scan: against, without });
  }
  addValues('severity', words.severity, names.severities);
  addValues('status', words.status, names.statuses);
  for (const name of FLAGS) {
    const value = beside[name];
    if (value === undefined) continue;
    const label = words.flags[name];
    chips.push({ key: name, label, value: value ? words.yes : words.no, without: { [name]: undefined } });
  }
  for (const name of TEXTS) {
    const value = beside[name];
    if (value === undefined) continue;
    const label = words.texts[name];
    chips.push({ key: name, label, value: value || words.none, without: { [name]: undefined } });
  }
  return chips;

  function addIds(
    name: 'project_id' | 'assignee' | 'mentions' | 'changed_by',
    label: string,
    nameOf: (id: string) => string | undefined,
  ): void {
    const ids = beside[name]?.split(',') ?? [];
    for (const id of ids) {
      const rest = ids.filter((other) => other !== id).join() || undefined;
      chips.push({ key: `${name} ${id}`, label, value: nameOf(id) ?? id, without: { [name]: rest } });
    }
  }

  function addValues<N extends 'severity' | 'status'>(
    name: N,
    label: string,
    nameOf: Readonly<Record<NonNullable<(typeof beside)[N]>[number], string>>,
  ): void {
    const values: readonly NonNullable<(typeof beside)[N]>[number][] = beside[name] ?? [];
    for (const value of values) {
      const rest = values.filter((other) => other !== value);
      const without = { [name]: rest.length > 0 ? rest : undefined };
      chips.push({ key: `${name} ${value}`, label, value: nameOf[value], without });
    }
  }
}
