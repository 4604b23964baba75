import { sha256 } from '../identity/fingerprints.ts';
import { isObject } from '../read/values.ts';
import type { Location, Result } from './sarif-schema.ts';

/** The content of a result at one of its locations. */
export interface Details {
  /** All of it, except what depends on the run. */
  raw: () => string;
  /** The part that does not change with other results or lines of a file. */
  stable: string;
}

/** Fields that differ from run to run, or that hold somebody's decision. */
const RUN_DEPENDENT = new Set([
  ...['guid', 'correlationGuid', 'baselineState', 'rank', 'occurrenceCount', 'provenance', 'workItemUris'],
  ...['suppressions'],
]);

/** The index of a file in the list of the run, whose path stands before it. */
const INDEX_OF_FILE = /("uri":"(?:[^"\\]|\\.)*"(?:,"uriBaseId":"(?:[^"\\]|\\.)*")?),"index":\d+/g;

/** Lines, positions in lists, code, directories of a machine, fingerprints that count equal results, times and GUIDs. */
const UNSTABLE = new RegExp(
  [
    /"(?:(?:start|end)Line|(?:char|byte)Offset|index|parentIndex|ruleIndex)":-?\d+/,
    /"snippet":\{(?:"(?:[^"\\]|\\.)*"|[^"{}\\])*\}/,
    /"uri":"(?:file:|\/)(?:[^"\\]|\\.)*"/,
    /"(?:(?:scan)?primaryLocation|matchBasedId)[^"]*":"[^"]*"/,
    /\d{4}-\d\d-\d\d[T ][\d:.]+/,
    /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'gi',
);

/** Summarizes a result, for each of its locations. */
export function detailsOf(result: Result): (location: Location | undefined, at: number) => Details {
  const { locations, ...fields } = isObject(result.raw) ? result.raw : {};
  const contentOf = () => {
    const content: Record<string, unknown> = {};
    for (const [name, value] of Object.entries(fields))
      if (!RUN_DEPENDENT.has(name) && !(name === 'ruleIndex' && result.ruleId)) content[name] = value;
    return JSON.stringify(content);
  };
  let known: string | undefined;
  // Only results that have the same identity as another need it.
  const raw = (): string => {
    known ??= sha256(`${contentOf()} ${JSON.stringify(locations)}`.replace(INDEX_OF_FILE, '$1'));
    return known;
  };
  const stable = contentOf().replace(UNSTABLE, '');
  // A result may have many locations.
  const digest = result.locations.length > 1 ? sha256(stable) : stable;
  return (location, at) => {
    const { artifactLocation, region } = location?.physicalLocation ?? {};
    const place = JSON.stringify([location?.logicalLocations, region, artifactLocation?.uriBaseId]);
    return { raw: () => `${raw()} ${at}`, stable: `${place.replace(UNSTABLE, '')} ${digest}` };
  };
}
