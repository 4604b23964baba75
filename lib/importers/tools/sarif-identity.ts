import { fingerprintOf, identifyCode, sourceOf } from '../identity/identity.ts';
import { sourceIdentity } from '../identity/literals.ts';
import type { Identify, ImportContext, Result as Imported } from '../importer.ts';
import type { Place } from './sarif-places.ts';
import type { Address, Region, Result } from './sarif-schema.ts';
import type { Tool } from './sarif-tool.ts';

/** A result at one of its locations. */
export interface Located {
  tool: Pick<Tool, 'id' | 'formerId'>;
  ruleId: string;
  result: Result;
  /** The index of the location, and the number of locations. */
  at: number;
  of: number;
  place: Place;
  logical: Logical;
  address: Address | undefined;
  region: Region | undefined;
  contextRegion: Region | undefined;
  message: string;
  secrets: readonly string[];
  /** The tool reports secrets: the snippet is the secret. */
  isSecretScanner: boolean;
  /** The rule is a published vulnerability of a package. */
  isAdvisory: boolean;
}

/** The name of the function or component, and the one that release 0.2 read. */
export interface Logical {
  name: string | undefined;
  former: string | undefined;
}

type Identity = Pick<
  Imported,
  'identify' | 'identifyBefore' | 'identifyFormerly' | 'identifyVaguely' | 'repeats'
>;

/**
 * The identity of a result: the tool's fingerprint, else the flagged lines of the report or the workspace, else its line.
 * Results about a whole file are identified by their message, which names what they are about.
 */
export function identityOf(located: Located, context: ImportContext): Identity {
  const { tool, place, logical, region, isAdvisory } = located;
  const { file, url, base, former = place } = place;
  const position = region?.startLine ? [] : positionOf(located);
  const more = base === undefined ? position : [...position, 'base', base];
  const identify = identifyAt(located, { tool: tool.id, file, url, logical: logical.name, more }, context);
  const before = {
    tool: tool.formerId,
    file: former.file,
    url: former.url,
    logical: logical.former,
    more: [],
  };
  const isOther =
    place.former !== undefined ||
    tool.id !== tool.formerId ||
    more.length > 0 ||
    (logical.name !== logical.former && isMessage(located));
  return {
    ...formerly(located, before),
    identify,
    identifyBefore: isOther ? asBefore(identifyAt(located, before, context), file, before.file) : undefined,
    repeats: (isAdvisory && isMessage(located)) || undefined,
  };
}

/** The dimensions of an identity that releases read differently. */
interface Dimensions {
  tool: string;
  file?: string | undefined;
  url?: string | undefined;
  logical: string | undefined;
  more: readonly (string | number | undefined)[];
}

/** The identity at the place that release 0.2 read, which a renamed file does not change. */
function asBefore(identify: Identify, file: string | undefined, former: string | undefined): Identify {
  return file === former ? identify : () => identify(former);
}

/** Where a result is in a file without lines. */
function positionOf({ region, address }: Located): (string | number | undefined)[] {
  const { charOffset = -1, charLength, byteOffset = -1, byteLength } = region ?? {};
  if (charOffset >= 0) return ['char', charOffset, charLength];
  if (byteOffset >= 0) return ['byte', byteOffset, byteLength];
  const { fullyQualifiedName, name, relativeAddress, absoluteAddress } = address ?? {};
  const found = [fullyQualifiedName ?? name, relativeAddress ?? absoluteAddress];
  return found.some((part) => part !== undefined) ? ['address', ...found] : [];
}

/** Whether the message identifies a result. */
const isMessage = ({ result, of, isAdvisory, region }: Located): boolean =>
  !(toolFingerprint(result, SAFE) && of === 1) && (isAdvisory || isWholeFile(region));

function identifyAt(located: Located, at: Dimensions, context: ImportContext): Identify {
  const { ruleId, result, region, message, secrets, of, isAdvisory } = located;
  const { tool, url, logical, more } = at;
  const provided = toolFingerprint(result, SAFE);
  if (provided && of === 1) return (file) => fingerprintOf(tool, ruleId, file ?? url, provided);
  const parts = [ruleId, url, provided, ...more];
  if (isMessage(located)) {
    // The versions in the message change with every update of the package.
    const words = isAdvisory ? message.replace(VERSION, '0') : message;
    const subject = [logical, ...sourceIdentity(words, secrets)];
    return (file) => fingerprintOf(tool, ...parts, file, 'message', ...subject);
  }
  const code = flaggedCode(located, at.file, context);
  const { startLine: line, endLine, startColumn: column } = region ?? {};
  return identifyCode(tool, parts, { file: at.file, line, endLine, column, code, secrets }, context);
}

const VERSION = /(?<![\d.])\d+(?:\.\d+)+(?:[-+.~]?[a-z0-9]+)*/gi;

/** A result without a position. Tools write line 1 where a position is required. */
const isWholeFile = (region: Region | undefined): boolean =>
  !region?.startLine ||
  (region.startLine === 1 &&
    !hasValue(region.snippet?.text) &&
    [region.startColumn, region.endLine, region.endColumn].every((position) => (position ?? 1) <= 1));

/** The flagged lines in the report, if they are whole lines or the source code is not available. */
function flaggedCode(located: Located, file: string | undefined, context: ImportContext): string | undefined {
  const { region, isSecretScanner } = located;
  const snippet = hasValue(region?.snippet?.text) ? region.snippet.text : undefined;
  if (isSecretScanner && snippet) return snippet;
  const within = linesOfContext(located);
  if (within) return within;
  if (!snippet || isPart(snippet, region)) return undefined;
  const [start = 0, end = start] = [region?.startLine, region?.endLine];
  const hasNeighbours = snippet.trim().split('\n').length > end - start + 1;
  return hasNeighbours && sourceOf(file, context) ? undefined : snippet;
}

/** The flagged lines of the lines around them. */
function linesOfContext({ region, contextRegion }: Located): string | undefined {
  const text = contextRegion?.snippet?.text;
  const { startLine, endLine = startLine } = region ?? {};
  const first = contextRegion?.startLine;
  if (!hasValue(text) || !first || !startLine || !endLine || startLine < first) return undefined;
  const lines = text.split('\n').slice(startLine - first, endLine - first + 1);
  return lines.join('').trim() ? lines.join('\n') : undefined;
}

/** Whether a snippet is a part of a line, such as `eval`: another problem may have the same. */
function isPart(snippet: string, region: Region | undefined): boolean {
  const { startLine, endLine = startLine, startColumn, endColumn } = region ?? {};
  if (startColumn === undefined || endColumn === undefined || startLine !== endLine) return false;
  return snippet.length <= endColumn - startColumn;
}

/** The fingerprints of releases before 0.2. */
function formerly(
  located: Located,
  { tool, url, logical }: Dimensions,
): Pick<Identity, 'identifyFormerly' | 'identifyVaguely'> {
  const { ruleId, result, at, region, contextRegion, message, secrets } = located;
  if (at > 0) return {};
  const provided = toolFingerprint(result, ANY);
  const source = [region?.snippet?.text, contextRegion?.snippet?.text].find(hasValue);
  const parts = provided
    ? [provided]
    : source
      ? sourceIdentity(source, secrets)
      : [logical, ...sourceIdentity(message.replace(/\d+/g, '0'), secrets)];
  const identify: Identify = (file) => fingerprintOf(tool, ruleId, file ?? url, ...parts);
  // A snippet does not say in which function it is: an equal statement elsewhere had the same fingerprint.
  const isSafe = provided !== undefined && toolFingerprint(result, SAFE) !== undefined;
  return isSafe ? { identifyFormerly: identify } : { identifyVaguely: identify };
}

/** Semgrep writes “requires login” for values that it reveals to customers only. */
export const hasValue = (value: unknown): value is string =>
  typeof value === 'string' && value.trim() !== '' && !/^(?:requires login|REDACTED)$/.test(value.trim());

type Convert = (name: string, value: string) => string | undefined;

const ANY: Convert = (_name, value) => value;

/**
 * Two fingerprints end with the position among equal results in the file, which a result takes over when an earlier one is
 * removed. CodeQL's identifies the source code without it. Semgrep's identifies the rule only, and is not used.
 */
const SAFE: Convert = (name, value) => {
  if (/^matchBasedId\b/i.test(name)) return undefined;
  return /^primaryLocationLineHash$/i.test(name) ? value.replace(/^([0-9a-f]{6,}):\d+$/i, '$1') : value;
};

/**
 * The tool's own fingerprint. Only partial fingerprints of the primary location are used. The others
 * contain commits, authors, file hashes or line numbers.
 */
function toolFingerprint(
  { fingerprints, partialFingerprints }: Result,
  convert: Convert,
): string | undefined {
  const parts = [
    ...Object.entries(fingerprints ?? {}),
    ...Object.entries(partialFingerprints ?? {}).filter(([name]) => /^(?:scan)?primaryLocation/i.test(name)),
  ].flatMap(([name, value]) => {
    const converted = hasValue(value) ? convert(name, value) : undefined;
    return converted === undefined ? [] : [[name, converted] as const];
  });
  return parts.length > 0 ? JSON.stringify(parts.sort(([a], [b]) => (a < b ? -1 : 1))) : undefined;
}
