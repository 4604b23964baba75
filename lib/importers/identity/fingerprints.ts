import { createHash } from 'node:crypto';
import type { Identify, Result, Workspace } from '../importer.ts';

const MAX_FINGERPRINT = 256;
export const MAX_PREVIOUS = 5;

export const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

/** A fingerprint that the service can store. One that it cannot is hashed. */
export const limitFingerprint = (fingerprint: string): string =>
  fingerprint !== '' && isShort(fingerprint) && isStorable(fingerprint) ? fingerprint : sha256(fingerprint);

const isShort = (fingerprint: string) =>
  fingerprint.length <= MAX_FINGERPRINT || [...fingerprint].length <= MAX_FINGERPRINT;

const isStorable = (text: string) => !text.includes('\0') && text.isWellFormed();

export interface Fingerprints {
  fingerprint: string;
  previous_fingerprints?: string[];
}

/**
 * The fingerprints of the results of a report, in their order.
 *
 * Results with the same fingerprint get a suffix from their neighbours. If these are equal too, the suffix is their position,
 * their number and the distances of their lines: when one of them changes, nothing tells which of them is gone, so all of them
 * are new findings. A decision about one must not apply to another. Results of one problem get their position only, `#2`.
 * @param vague adds the fingerprints of earlier releases that could identify two problems
 */
export function fingerprintsOf(
  results: readonly Result[],
  { pathPrefix, formerPathsOf }: Pick<Workspace, 'pathPrefix' | 'formerPathsOf'>,
  { vague = false } = {},
): Fingerprints[] {
  const formerPaths = results.map(({ file }) => (file && formerPathsOf?.(file)) || []);
  const pathsWithoutPrefix = results.map(({ file }) => withoutPrefix(file, pathPrefix));
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

  const numbered = (fingerprints: (string | undefined)[], fileOf = own) => {
    const [repeating, others] = [true, false].map((wanted) =>
      fingerprints.map((found, index) => ((results[index]?.repeats ?? false) === wanted ? found : undefined)),
    ) as [(string | undefined)[], (string | undefined)[]];
    const [positions, counts] = [withPosition(repeating), distinguished(others, results, fileOf !== own)];
    return fingerprints.map((_, index) => positions[index] ?? counts[index]);
  };
  const plain = identified(({ identify }) => identify, own);
  const current = numbered(plain);
  const earlier = ({ identifyFormerly }: Result) => identifyFormerly;
  const vaguely = ({ identifyVaguely }: Result) => identifyVaguely;
  // The result is one of several equal ones.
  const beside = plain.map((fingerprint, index) => {
    const result = results[index];
    const isOnly = fingerprint !== undefined && limitFingerprint(fingerprint) === current[index];
    return isOnly && !result?.repeats && result?.identify.neighbours
      ? withNeighbour(fingerprint, result)
      : undefined;
  });
  const previous = [
    beside,
    numbered(
      identified(({ identify }) => identify, former(0)),
      former(0),
    ),
    withPosition(identified(earlier, own)),
    withPosition(identified(earlier, former(0))),
    numbered(
      identified(({ identify }) => identify, former(1)),
      former(1),
    ),
  ];
  if (vague) {
    // Without the prefix, files of different directories have the same path.
    previous.push(
      withPosition(identified(vaguely, own)),
      numbered(
        identified(({ identify }) => identify, unprefixed),
        unprefixed,
      ),
      withPosition(identified(earlier, unprefixed)),
      withPosition(identified(vaguely, unprefixed)),
    );
  }
  // A decision about another result of this report, or one that two results could take over, stays where it is.
  const taken = new Set(current);
  const candidates = results.map((_, index) => [
    ...new Set(previous.flatMap((list) => list[index] ?? []).filter((found) => !taken.has(found))),
  ]);
  const claims = groupsOf(candidates.flat());
  return results.map((_, index) => {
    const others = candidates[index]
      ?.filter((found) => claims.get(found)?.length === 1)
      .slice(0, MAX_PREVIOUS);
    return { fingerprint: current[index] ?? '', ...(others?.length && { previous_fingerprints: others }) };
  });
}

/** The path in the workspace; undefined if it is elsewhere, or there is no prefix. */
export const withoutPrefix = (file: string | undefined, prefix: string | undefined): string | undefined =>
  prefix && file?.startsWith(`${prefix}/`) ? file.slice(prefix.length + 1) : undefined;

type FileOf = (result: Result, index: number) => string | undefined | typeof NONE;

/** A path that does not exist, unlike undefined, which is the file of a result without one. */
const NONE = Symbol('none');

/** Adds a suffix to repeated fingerprints: from the neighbours, or the position, number and distances. */
function distinguished(
  fingerprints: readonly (string | undefined)[],
  results: readonly Result[],
  isFormer = false,
): (string | undefined)[] {
  const distinct = fingerprints.map((fingerprint) => fingerprint && limitFingerprint(fingerprint));
  // Results of two files were not equal ones of their former file: one of the files is a copy.
  const keys = fingerprints.map((fingerprint, index) =>
    fingerprint === undefined || !isFormer ? fingerprint : `${fingerprint} ${results[index]?.file}`,
  );
  for (const group of groupsOf(keys).values()) {
    if (group.length === 1) continue;
    const withNeighbours = group.map((index) => withNeighbour(fingerprints[index], results[index]));
    for (const equal of groupsOf(withNeighbours).values()) {
      const members = equal.map((at) => group[at] as number);
      const [first = 0] = members;
      const lines = members.map((index) => (results[index]?.line ?? 0) - (results[first]?.line ?? 0));
      const [common = ''] = equal.map((at) => withNeighbours[at] ?? '');
      const suffixed = members.length > 1 ? withSuffix(fingerprints[first] ?? '', common, lines) : [common];
      members.forEach((index, position) => {
        distinct[index] = suffixed[position];
      });
    }
  }
  return distinct;
}

/** The fingerprints of results that nothing but their position distinguishes. @param lines their distances from the first */
export function withSuffix(fingerprint: string, common: string, lines: readonly number[]): string[] {
  const base = sha256(`${fingerprint} ${common} ${lines}`);
  return lines.map((_, position) => `${base}#${position + 1}/${lines.length}`);
}

/** The fingerprint that a result has beside equal ones with other neighbours. */
const withNeighbour = (fingerprint: string | undefined, result: Result | undefined): string =>
  `${sha256(neighbourKey(fingerprint, result))}#`;

export const neighbourKey = (fingerprint: string | undefined, result: Result | undefined): string =>
  `${fingerprint} ${result?.identify.neighbours?.() ?? ''}`;

/** Adds the position to repeated fingerprints except the first. Releases before 0.2 did so for all results. */
function withPosition(fingerprints: readonly (string | undefined)[]): (string | undefined)[] {
  const positions = new Map<string, number>();
  return fingerprints.map((fingerprint) => {
    if (fingerprint === undefined) return undefined;
    const limited = limitFingerprint(fingerprint);
    const position = (positions.get(limited) ?? 0) + 1;
    positions.set(limited, position);
    return atPosition(limited, position);
  });
}

export const atPosition = (fingerprint: string, position: number): string =>
  position === 1 ? fingerprint : `${sha256(fingerprint)}#${position}`;

/** The indexes of equal texts. */
function groupsOf(values: readonly (string | undefined)[]): Map<string, number[]> {
  const groups = new Map<string, number[]>();
  values.forEach((value, index) => {
    if (value === undefined) return;
    const group = groups.get(value);
    if (group) group.push(index);
    else groups.set(value, [index]);
  });
  return groups;
}

/** Removes results that a report contains twice: the same in everything that a finding shows. */
export function withoutRepeated(results: readonly Result[]): Result[] {
  const identities = results.map((result) => result.identify(result.file));
  const groups = groupsOf(identities);
  const seen = new Set<string>();
  return results.filter((result, index) => {
    // Most results have an identity of their own.
    if (groups.get(identities[index] as string)?.length === 1) return true;
    const key = contentOf(result);
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

/** Everything that a finding shows. */
export function contentOf({ identify, identifyFormerly: _f, identifyVaguely: _v, ...shown }: Result): string {
  return `${identify(shown.file)} ${JSON.stringify(shown)}`;
}
