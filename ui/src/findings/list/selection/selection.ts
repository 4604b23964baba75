import { useSyncExternalStore } from 'react';
import type { OrgSession } from '../../../app/session.ts';
import { createStore } from '../../../app/store.ts';
import { BATCH } from '../../../triage/engine/change-statuses.ts';
import { type FindingFilter, type ListedFinding, readFindings } from '../../list-queries.ts';

/** A finding with its title and project, and the status that the user saw when selecting it. */
export type Titled = Pick<ListedFinding, 'id' | 'title' | 'status' | 'project_id'>;

const titled = ({ id, title, status, project_id }: Titled): Titled => ({ id, title, status, project_id });

/** The selected findings. Each row subscribes to its own state, so that a click does not render all rows again. */
export interface Selection {
  subscribe(this: void, listener: () => void): () => void;
  has(id: string): boolean;
  size(this: void): number;
  set(findings: readonly Titled[], selected: boolean): void;
  remove(findings: readonly Pick<Titled, 'id'>[]): void;
  /** Selects all findings that match the filter of the list, without knowing them. */
  setAll(count: number): void;
  clear(this: void): void;
  /** Whether all findings that match are selected. */
  isAll(this: void): boolean;
  /** The selected findings; none if all that match are selected. */
  known(): Titled[];
}

export function createSelection(): Selection {
  /** The selected findings, or the number of findings that match, if all of them are selected. */
  const { get, set, subscribe } = createStore<ReadonlyMap<string, Titled> | number>(new Map());
  const known = () => {
    const selected = get();
    return typeof selected === 'number' ? new Map<string, Titled>() : selected;
  };
  const isAll = () => typeof get() === 'number';
  const remove: Selection['remove'] = (findings) => {
    const next = new Map(known());
    for (const { id } of findings) next.delete(id);
    set(next);
  };
  return {
    subscribe,
    has: (id) => isAll() || known().has(id),
    size() {
      const selected = get();
      return typeof selected === 'number' ? selected : selected.size;
    },
    set(findings, isSelected) {
      if (!isSelected) return remove(findings);
      const added = findings.map((finding) => [finding.id, titled(finding)] as const);
      set(new Map([...known(), ...added]));
    },
    remove,
    setAll: set,
    clear: () => set(new Map()),
    isAll,
    known: () => [...known().values()],
  };
}

export const useSelected = (selection: Selection, id: string | undefined): boolean =>
  useSyncExternalStore(selection.subscribe, () => id !== undefined && selection.has(id));

export const useSelectionSize = (selection: Selection): number =>
  useSyncExternalStore(selection.subscribe, selection.size);

/**
 * Reads ids, titles, statuses and projects of all matching findings, if one request can change them: then each is changed only
 * if it still has the status that was read.
 * @returns their number if there are more
 */
export async function collect(
  org: Pick<OrgSession, 'api'>,
  filter: FindingFilter,
  signal?: AbortSignal,
): Promise<Titled[] | number> {
  const { rows, total } = await readFindings(org, filter, 1, BATCH, signal, { isExact: true });
  return total > BATCH ? total : rows.map(titled);
}
