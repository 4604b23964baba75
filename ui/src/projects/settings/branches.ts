import type { Schemas } from '../../../../lib/client/index.ts';

/** The branches of a project as its settings show them. */
export interface BranchValues {
  default_ref: string;
  /** A pattern on each line. */
  tracked_refs: string;
}

export const branchValues = ({
  default_ref = '',
  tracked_refs = [],
}: Pick<Schemas['Project'], keyof BranchValues>): BranchValues => ({
  default_ref,
  tracked_refs: tracked_refs.join('\n'),
});

/** The changes to save. Empty lines and repeated patterns are left out. */
export function changesOf({ default_ref, tracked_refs }: BranchValues) {
  const patterns = tracked_refs.split('\n').map((line) => line.trim());
  return {
    default_ref: default_ref.trim() || null,
    tracked_refs: [...new Set(patterns)].filter((pattern) => pattern !== ''),
  };
}
