import { z } from 'zod';
import { fingerprintOf, identifyCode } from '../identity/identity.ts';
import { sourceIdentity } from '../identity/literals.ts';
import { normalizeCode } from '../identity/source/normalize.ts';
import {
  type Identify,
  type ImportContext,
  type Importer,
  type Report,
  type Result,
  readList,
} from '../importer.ts';
import { groupsOf } from '../read/groups.ts';
import { fields, number, requiredText, text, texts } from '../read/schema.ts';
import { isObject } from '../read/values.ts';
import { relativePath } from '../support.ts';
import {
  bullets,
  describeFinding,
  escapeMarkdown,
  excerpt,
  formatLocation,
  inlineCode,
  joined,
} from '../text/markdown.ts';
import { createMasker, maskSecrets, REVOKE_SECRET } from '../text/secrets.ts';

/** Version 8 */
const Leak = z.object({
  RuleID: requiredText,
  ...fields(text, 'Description', 'Match', 'Secret', 'File', 'Commit', 'Date', 'Message', 'Link'),
  ...fields(number, 'StartLine', 'EndLine', 'StartColumn'),
  Tags: texts,
});
type Leak = z.output<typeof Leak>;

/** Versions 1 to 7. The first ones call the rule a reason. */
const EarlyLeak = z
  .object({
    ...fields(text, 'rule', 'reason', 'line', 'offender', 'file', 'commit', 'date', 'commitMessage'),
    ...fields(text, 'commitMsg', 'leakURL', 'tags'),
    lineNumber: number,
  })
  .transform((leak, context): Leak => {
    const rule = leak.rule ?? leak.reason;
    if (!rule) context.addIssue({ code: 'custom', message: 'expected a rule', path: ['rule'] });
    const tags = (leak.tags ?? '').split(',').map((tag) => tag.trim());
    return {
      ...{ RuleID: rule ?? '', Description: undefined, StartLine: leak.lineNumber, EndLine: undefined },
      ...{ StartColumn: undefined, Match: leak.line?.trim(), Secret: leak.offender, File: leak.file },
      ...{ Commit: leak.commit, Date: leak.date, Message: leak.commitMessage ?? leak.commitMsg },
      ...{ Link: leak.leakURL, Tags: tags.filter((tag) => tag !== '') },
    };
  });

/** `gitleaks git|dir -f json`, and the reports of versions 1 to 7 */
export const gitleaks: Importer = {
  name: 'gitleaks',
  about: {
    tool: '[Gitleaks](https://gitleaks.io)',
    command: '`gitleaks dir . -f json -r report.json`',
    versions: '7 to 8.30',
    identity: 'rule, file, secret; the line if the secret is redacted',
    severity: 'high',
  },

  acceptsNull: true,

  detects: (report) => {
    const leaks = leaksOf(report);
    if (!leaks) return false;
    const [first] = leaks;
    return isObject(first) && (isLeak(first) || isEarlyLeak(first));
  },

  results(report, context) {
    const leaks = leaksOf(report) ?? [];
    const early = isObject(leaks[0]) && isEarlyLeak(leaks[0]);
    const entries = readList(early ? EarlyLeak : Leak, leaks, '', context).map((leak): Entry => {
      const file = relativePath(maskSecrets(leak.File ?? '', [leak.Secret]), context);
      const secrets = leak.Secret && !isHidden(leak.Secret) ? [leak.Secret] : [];
      return { leak, location: { file, line: leak.StartLine, secrets } };
    });
    const maskerFor = createMasker(
      entries.map(({ location }) => location),
      context,
    );
    return grouped(entries, context).map(({ occurrences, identity }) => {
      const [{ location }] = occurrences;
      return { ...toResult(occurrences, maskerFor(location)), ...identity };
    });
  },
};

interface Entry {
  leak: Leak;
  location: { file: string | undefined; line: number | undefined; secrets: string[] };
}

/** Some versions write `null` if they find nothing. */
function leaksOf(report: Report): unknown[] | undefined {
  const [leaks] = report.kind === 'json' ? report.documents : [{}];
  return leaks === null ? [] : Array.isArray(leaks) ? leaks : undefined;
}

const isLeak = (leak: Record<string, unknown>) => ['RuleID', 'Secret', 'File'].every((key) => key in leak);

const isEarlyLeak = (leak: Record<string, unknown>) =>
  'offender' in leak && 'file' in leak && ('rule' in leak || 'reason' in leak);

/** Whether the secret is redacted, in whole or in part, or is only the first line of a key. */
const isHidden = (secret: string) => /REDACTED|\.\.\.$|^-----BEGIN [^-]*-----$/.test(secret.trim());

interface Group {
  occurrences: [Entry, ...Entry[]];
  identity: Pick<Result, 'identify' | 'identifyFormerly' | 'identifyVaguely'>;
}

/** The same secret in several commits or lines of a file is one finding. */
function grouped(entries: readonly Entry[], context: ImportContext): Group[] {
  const keyOf = (entry: Entry) => {
    const isKnown = entry.location.secrets.length > 0;
    const { identify } = identityOf(entry, context);
    return isKnown ? JSON.stringify([identify(entry.location.file), entry.leak.Secret]) : undefined;
  };
  return groupsOf(entries, keyOf).map((group) => {
    const occurrences = group as Group['occurrences'];
    return { occurrences, identity: identityOf(occurrences[0], context) };
  });
}

/** Gitleaks' own fingerprint is not used, because it contains the line. */
function identityOf({ leak, location }: Entry, context: ImportContext): Group['identity'] {
  const { RuleID: rule, Match: match, Secret: secret, Commit: commit } = leak;
  const { line, secrets } = location;
  const source = sourceIdentity(match ?? secret ?? '', secret ? [secret] : []);
  const former: Identify = (file) => fingerprintOf('gitleaks', rule, file, commit, ...source);
  if (secrets.length > 0) {
    const code = sourceIdentity(normalizeCode(match ?? secret ?? ''), secrets);
    return { identify: (file) => fingerprintOf('gitleaks', rule, file, ...code), identifyFormerly: former };
  }
  const place = { ...location, endLine: leak.EndLine, column: leak.StartColumn };
  const identify: Identify = commit
    ? // In the history, the line is the one of the commit and not of the workspace.
      (file) => fingerprintOf('gitleaks', rule, file, commit, line, leak.StartColumn)
    : identifyCode('gitleaks', [rule], place, context);
  return { identify, identifyVaguely: former };
}

const MAX_OCCURRENCES = 30;

function toResult(
  occurrences: Group['occurrences'],
  mask: (text: string) => string,
): Omit<Result, 'identify'> {
  const [{ leak, location }] = occurrences;
  const { file, line } = location;
  const { RuleID: rule, Match: match, Secret: secret, Commit: commit } = leak;
  // If the match does not contain the secret, it is unknown which part to mask.
  const masked = secret && match?.includes(secret) ? mask(match) : '';
  const snippet = secret && !isHidden(secret) && masked.includes(secret) ? '' : masked;
  return {
    entries: occurrences.map((one) => one.leak),
    title: `Secret (${mask(rule)})${file ? ` in ${file}` : ''}`,
    rule_id: mask(rule),
    severity: 'high' as const,
    description: describeFinding({
      what: escapeMarkdown(mask(leak.Description ?? '')) || 'A secret was found.',
      facts: {
        Rule: mask(rule),
        Location: formatLocation(file, line),
        Commit: commit,
        'Commit message': mask(leak.Message ?? '').split('\n')[0],
        Date: leak.Date,
        Tags: mask(leak.Tags.join(', ')),
      },
      where: occurrences.length > 1 ? describeOccurrences(occurrences) : undefined,
      snippet: excerpt(snippet),
      fix: REVOKE_SECRET,
      references: [mask(leak.Link ?? '')],
    }),
    cwe: 'CWE-798',
    file,
    line,
    column: leak.StartColumn,
  };
}

function describeOccurrences(occurrences: readonly Entry[]): string {
  const places = occurrences.map(({ leak, location }) =>
    joined(
      [formatLocation(location.file, location.line), leak.Commit && `in commit ${leak.Commit}`, leak.Date],
      ' ',
    ),
  );
  return bullets([...new Set(places)], MAX_OCCURRENCES, inlineCode);
}
