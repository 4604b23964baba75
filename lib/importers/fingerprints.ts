import { createHash } from 'node:crypto';
import type { Identify, Result, Workspace } from './importer.ts';

const MAX_FINGERPRINT = 256;
const MAX_PREVIOUS = 5;

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

/** A fingerprint that the service can store. One that it cannot is hashed. */
export const limitFingerprint = (fingerprint: string): string =>
  fingerprint !== '' && [...fingerprint].length <= MAX_FINGERPRINT && isStorable(fingerprint)
    ? fingerprint
    : sha256(fingerprint);

const isStorable = (text: string) => !text.includes('\0') && text.isWellFormed();

export interface Fingerprints {
  fingerprint: string;
  previous_fingerprints?: string[];
}

/**
 * The fingerprints of the results of a report, in their order.
 *
 * Results with the same fingerprint get a suffix with their position and their number, `#2/3`. When their number changes,
 * nothing tells which of them is gone, so all of them are new findings: a decision about one must not apply to another.
 * Results of one problem get their position only, `#2`.
 * @param vague adds the fingerprints of earlier releases that could identify two problems
 */
export function fingerprintsOf(
  results: readonly Result[],
  { pathPrefix, formerPathsOf }: Pick<Workspace, 'pathPrefix' | 'formerPathsOf'>,
  { vague = false } = {},
): Fingerprints[] {
  const formerPaths = results.map(({ file }) => (file && formerPathsOf?.(file)) || []);
  const pathsWithoutPrefix = results.map(({ file }) => {
    return pathPrefix && file?.startsWith(`${pathPrefix}/`) ? file.slice(pathPrefix.length + 1) : undefined;
  });
  const identified = (identifyOf: (result: Result) => Identify | undefined, fileOf: FileOf) =>
    results.map((result, index) => {
      const file = fileOf(result, index);
      const identify = identifyOf(result);
      return file === NONE || !identify ? undefined : identify(file);
    });

  const own: FileOf = ({ file }) => file;
  const unprefixed: FileOf = (_, index) => pathsWithoutPrefix[index] ?? NONE;
  const former =
    (age: number): FileOf =>
    (_, index) =>
      formerPaths[index]?.[age] ?? NONE;

  const numbered = (fingerprints: (string | undefined)[]) => {
    const [repeating, others] = [true, false].map((wanted) =>
      fingerprints.map((found, index) => ((results[index]?.repeats ?? false) === wanted ? found : undefined)),
    ) as [(string | undefined)[], (string | undefined)[]];
    const [positions, counts] = [withPosition(repeating), withCount(others)];
    return fingerprints.map((_, index) => positions[index] ?? counts[index]);
  };
  const current = numbered(identified(({ identify }) => identify, own));
  const earlier = ({ identifyFormerly }: Result) => identifyFormerly;
  const vaguely = ({ identifyVaguely }: Result) => identifyVaguely;
  const previous = [
    numbered(identified(({ identify }) => identify, former(0))),
    withPosition(identified(earlier, own)),
    withPosition(identified(earlier, former(0))),
    numbered(identified(({ identify }) => identify, former(1))),
  ];
  if (vague) {
    // Without the prefix, files of different directories have the same path.
    previous.push(
      withPosition(identified(vaguely, own)),
      numbered(identified(({ identify }) => identify, unprefixed)),
      withPosition(identified(earlier, unprefixed)),
      withPosition(identified(vaguely, unprefixed)),
    );
  }
  return results.map((_, index) => {
    const fingerprint = current[index] ?? '';
    const candidates = previous.map((list) => list[index]).filter((found) => found !== undefined);
    const others = [...new Set(candidates)].filter((found) => found !== fingerprint).slice(0, MAX_PREVIOUS);
    return { fingerprint, ...(others.length > 0 && { previous_fingerprints: others }) };
  });
}

type FileOf = (result: Result, index: number) => string | undefined | typeof NONE;

/** There is no such path. Unlike undefined, which is the file of a result without one. */
const NONE = Symbol('none');

/** Adds position and number to repeated fingerprints. */
function withCount(fingerprints: readonly (string | undefined)[]): (string | undefined)[] {
  const counts = countOf(fingerprints);
  const positions = new Map<string, number>();
  return fingerprints.map((fingerprint) => {
    if (fingerprint === undefined) return undefined;
    const count = counts.get(fingerprint) ?? 1;
    if (count === 1) return limitFingerprint(fingerprint);
    const position = (positions.get(fingerprint) ?? 0) + 1;
    positions.set(fingerprint, position);
    return `${sha256(fingerprint)}#${position}/${count}`;
  });
}

/** Adds the position to repeated fingerprints except the first. Releases before 0.2 did so for all results. */
function withPosition(fingerprints: readonly (string | undefined)[]): (string | undefined)[] {
  const positions = new Map<string, number>();
  return fingerprints.map((fingerprint) => {
    if (fingerprint === undefined) return undefined;
    const limited = limitFingerprint(fingerprint);
    const position = (positions.get(limited) ?? 0) + 1;
    positions.set(limited, position);
    return position === 1 ? limited : `${sha256(limited)}#${position}`;
  });
}

function countOf(fingerprints: readonly (string | undefined)[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const fingerprint of fingerprints)
    if (fingerprint !== undefined) counts.set(fingerprint, (counts.get(fingerprint) ?? 0) + 1);
  return counts;
}

/** Removes results that a report contains twice: the same in everything that a finding shows. */
export function withoutRepeated(results: readonly Result[]): Result[] {
  const seen = new Set<string>();
  return results.filter(({ identify, identifyFormerly: _f, identifyVaguely: _v, ...shown }) => {
    const key = `${identify(shown.file)} ${JSON.stringify(shown)}`;
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}
