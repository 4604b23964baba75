import type { Scan } from './queries.ts';

/** The parts of a target that comparable scans have in common. */
const PARTS = ['type', 'path', 'url', 'ref', 'category'] as const;

/** Whether two scans of a project can be compared: they are of the same kind, of the same target, and of a scanner in common. */
export function isComparable(scan: Scan, other: Scan): boolean {
  const { sources } = other;
  const isSameScanner = !scan.sources || !sources || scan.sources.some((source) => sources.includes(source));
  return (
    scan.persona === other.persona &&
    isSameScanner &&
    PARTS.every((part) => (scan.target?.[part] ?? '') === (other.target?.[part] ?? ''))
  );
}
