import type { Rating } from '../finding.ts';
import { fingerprintOf } from '../identity/identity.ts';
import { sourceIdentity } from '../identity/literals.ts';
import type { ImportContext, Result } from '../importer.ts';
import { groupsOf } from '../read/groups.ts';
import { mostSevere, relativePath } from '../support.ts';
import { codeBlock, describeFinding, escapeMarkdown, formatLocation, joined } from '../text/markdown.ts';
import { maskSecrets, REVOKE_SECRET } from '../text/secrets.ts';

/** A place where a tool found a secret. */
export interface FoundSecret {
  rule: string;
  /** As the tool writes it. */
  path: string | undefined;
  line?: number | undefined;
  column?: number | undefined;
  commit?: string | undefined;
  /** Distinguishes the secrets of a rule in a file: the secret, or a hash of it. Never shown. */
  secret: string;
  /** All texts to mask. Default: the secret. */
  secrets?: readonly string[];
  severity: Rating;
  /** Where the file is, if not in the workspace: the repository or the image. */
  source?: string | undefined;
  /** Further details of the place, such as a channel or a layer of an image. */
  place?: string | undefined;
  what?: string | undefined;
  facts?: Record<string, string | undefined>;
  references?: readonly (string | undefined)[];
}

/** The results of a tool. A secret of a rule in a file is one result, in however many commits and lines it is. */
export function secretResults(
  tool: string,
  places: readonly FoundSecret[],
  context: ImportContext,
): Result[] {
  const keyOf = ({ rule, source, path, secret }: FoundSecret) => JSON.stringify([rule, source, path, secret]);
  return groupsOf(places, keyOf).flatMap((group) => {
    const [first] = group;
    return first ? [toResult(tool, first, group, context)] : [];
  });
}

function toResult(
  tool: string,
  found: FoundSecret,
  group: readonly FoundSecret[],
  context: ImportContext,
): Result {
  const { rule, secret, secrets = [secret], source, line, column } = found;
  const mask = (text: string) => maskSecrets(text, [...secrets, secret]);
  const file = relativePath(mask(found.path ?? ''), context);
  const places = group.map((one) =>
    mask(joined([joined([formatLocation(file, one.line), one.commit], ' in commit '), one.place], ', ')),
  );
  const factOf = (name: string) => joined([...new Set(group.map(({ facts }) => facts?.[name]))], ', ');
  const names = [...new Set(group.flatMap(({ facts }) => Object.keys(facts ?? {})))];
  return {
    entries: [],
    identify: (path) => fingerprintOf(tool, rule, source, path, ...identityOf(secret)),
    title: `Secret (${mask(rule)})${file ? ` in ${file}` : ''}`,
    severity: mostSevere(group.map(({ severity }) => severity)) ?? 'high',
    rule_id: mask(rule),
    description: describeFinding({
      what: escapeMarkdown(mask(found.what ?? '')) || 'A secret was found.',
      facts: {
        Rule: mask(rule),
        Location: formatLocation(file, line),
        Commit: group.length === 1 ? found.commit : undefined,
        Place: group.length === 1 && found.place ? mask(found.place) : undefined,
        ...Object.fromEntries(names.map((name) => [name, mask(factOf(name))])),
      },
      where: group.length > 1 ? codeBlock([...new Set(places)].slice(0, MAX_PLACES).join('\n')) : undefined,
      fix: REVOKE_SECRET,
      references: group.flatMap((one) => one.references ?? []).map((link) => link && mask(link)),
    }),
    cwe: 'CWE-798',
    file,
    line,
    column,
  };
}

const MAX_PLACES = 50;

/** The parts of a fingerprint that distinguish secrets, and reveal none. */
const identityOf = (secret: string) => sourceIdentity(secret, [secret]).slice(1);
