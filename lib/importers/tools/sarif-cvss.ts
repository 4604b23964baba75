import { isObject } from '../read/values.ts';
import { cvssOf, severityOf, severityOfScore } from '../support.ts';

/** A rating by CVSS, as the properties of a result or a rule state it. */
export interface StatedCvss {
  score?: number | undefined;
  vector?: string | undefined;
  severity: ReturnType<typeof severityOf>;
}

/** The properties of one rating: `cvssv3_baseScore` and `cvssv3_baseSeverity`, or the members of an object `cvss`. */
interface Group {
  version?: number | undefined;
  score?: number | undefined;
  vector?: string | undefined;
  word?: string | undefined;
}

/** The rating by the newest version of CVSS. Tools write it in many ways: flat, as objects, and in lists. */
export function statedCvss(properties: unknown): StatedCvss | undefined {
  const groups = new Map<string, Group>();
  collect(properties, '', undefined, groups);
  const rated = [...groups.values()].flatMap(({ version, score, vector, word }) => {
    const cvss = cvssOf(vector);
    const stated = score ?? cvss?.score;
    const known = KNOWN.test(word ?? '') ? word : undefined;
    if (stated === undefined && known === undefined) return [];
    const [, newer = '2'] = /^CVSS:(\d)/.exec(cvss?.vector ?? 'CVSS:3') ?? [];
    const severity = known === undefined ? severityOfScore(stated, 'medium') : severityOf(known);
    return [{ version: version ?? Number(newer), score: stated, vector: cvss?.vector, severity }];
  });
  return rated.toSorted((a, b) => b.version - a.version || (b.score ?? 0) - (a.score ?? 0))[0];
}

const KNOWN = /^(?:critical|high|important|medium|moderate|low|none)$/i;

/** `cvssScore`, `cvssv3_baseScore`, `cvss`, but not `cvssv3_impactScore`. */
const SCORE = /(?:^|[^a-z]|base|cvss)_?score$|cvss[\s_.v-]*(?:\d[\d._]*)?$/i;

/** `cvssV3_1`, `cvss_v2`; in an object that is named so, also `v3` and `V2Score`. */
const VERSION = /cvss[\s_-]*(?:v[\s_-]*)?([234])/i;
const VERSION_IN_RATING = /(?:^|cvss)[\s_-]*(?:v[\s_-]*)?([234])/i;

const MAX_DEPTH = 6;

/** @param rating the object that states one rating; undefined outside of one */
function collect(value: unknown, path: string, rating: Group | undefined, groups: Map<string, Group>): void {
  if (!isObject(value) && !Array.isArray(value)) return;
  if (path.split('/').length > MAX_DEPTH) return;
  for (const [key, child] of Object.entries(value)) {
    const [, version] = (rating ? VERSION_IN_RATING : VERSION).exec(key) ?? [];
    const isNamed = /cvss/i.test(key);
    const isMember = rating !== undefined && Array.isArray(value);
    const group =
      isNamed || isMember || (rating && version)
        ? groupAt(groups, isMember ? `${path}/${key}` : `${path} ${version}`)
        : rating;
    if (group && version) group.version = Number(version);
    if (isObject(child) || Array.isArray(child)) collect(child, `${path}/${key}`, group, groups);
    else if (group) note(group, key, child);
  }
}

function groupAt(groups: Map<string, Group>, name: string): Group {
  const known = groups.get(name) ?? {};
  groups.set(name, known);
  return known;
}

function note(group: Group, key: string, value: unknown): void {
  const number = typeof value === 'number' ? value : typeof value === 'string' ? Number(value) : Number.NaN;
  if (number > 0 && number <= 10 && /version$/i.test(key)) group.version ??= Math.floor(number);
  else if (number > 0 && number <= 10 && SCORE.test(key)) group.score ??= number;
  else if (typeof value !== 'string') return;
  else if (/severity$|rating$/i.test(key)) group.word ??= value;
  else if (value.length <= MAX_VECTOR && cvssOf(value)) group.vector ??= value;
}

const MAX_VECTOR = 500;
