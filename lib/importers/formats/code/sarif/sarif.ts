import { fingerprintOf } from '../../../identity.ts';
import { type ImportContext, type Importer, ReportError, read } from '../../../importer.ts';
import {
  describeFinding,
  escapeMarkdown,
  excerpt,
  firstSentence,
  formatLocation,
  sanitizeMarkdown,
  toStrings,
} from '../../../markdown.ts';
import { createMasker, isSecretRule, secretCandidates, sourceIdentity } from '../../../secrets.ts';
import { collapseWhitespace, cveOf, severityOf } from '../../../support.ts';
import { resolveLocation } from './places.ts';
import { cweOfResult, type MessageText, messageOf, ruleOf, severityOfResult } from './rules.ts';
import { Log, type Result, type Rule, type Run } from './schema.ts';

/** SARIF 2.1.0 of any tool. */
export const sarif: Importer = {
  name: 'sarif',
  about: {
    tool: '[SARIF](https://sarifweb.azurewebsites.net) of any tool',
    command: "the tool's SARIF output",
    versions: '2.1.0',
    identity: "tool, rule, file, the tool's fingerprint or the flagged lines",
    severity: '`security-severity`, or the level',
  },

  detects: (report) => {
    const [log] = report.kind === 'json' ? report.documents : [];
    return Array.isArray((log as { runs?: unknown } | null)?.runs);
  },

  results(report, context) {
    const logs = report.kind === 'json' ? report.documents : [undefined];
    return logs.flatMap((log) => {
      const { version, runs } = read(Log, log);
      if (version?.startsWith('1.')) throw new ReportError(`SARIF ${version} is not supported`, 'version');
      return runs.flatMap((run) => {
        const prepared = (run.results ?? [])
          .filter(isActionable)
          .map((result) => prepareResult(result, run, context));
        const maskerFor = createMasker(prepared.map(({ secretLocation }) => secretLocation));
        return prepared.map((result) => toFinding(result, maskerFor(result.secretLocation), run, context));
      });
    });
  },
};

/** Whether a result is neither suppressed nor absent compared with an earlier run. */
const isActionable = ({ suppressions, baselineState }: Result) =>
  baselineState !== 'absent' &&
  !suppressions?.some(({ status }) => status === 'accepted' || status === undefined || status === null);

/** Collects the data of a finding. The secrets of all findings must be known before one is formatted. */
function prepareResult(result: Result, run: Run, context: ImportContext) {
  const { component, rule } = ruleOf(result, run);
  const [location] = result.locations ?? [];
  const { region, contextRegion } = location?.physicalLocation ?? {};
  const ruleId = result.ruleId ?? result.rule?.id ?? rule.id ?? '';
  const tool = run.tool.driver.name?.trim() || 'sarif';
  const tags = [...toStrings(rule.properties?.tags), ...toStrings(result.properties?.tags)];
  const scansSecrets = SECRET_SCANNER.test(tool);
  const cwe = cweOfResult(result, rule, tags) ?? (scansSecrets ? 'CWE-798' : undefined);
  const message = messageOf(result, rule, component);
  const source = [region?.snippet?.text, contextRegion?.snippet?.text].find(hasValue) ?? '';
  const { file, url } = resolveLocation(location, run, context);
  const secrets =
    scansSecrets && source
      ? // Secret scanners report the secret itself as the source.
        [source, ...secretCandidates(source)]
      : isSecretRule(ruleId, rule.name, cwe, ...tags)
        ? secretCandidates(source).concat(
            // A message may contain the file name, which is not a secret.
            secretCandidates(message.text, { prose: true }).filter((part) => !file?.includes(part)),
          )
        : [];
  const secretLocation = { file, line: region?.startLine, secrets };
  return { result, rule, ruleId, tool, tags, cwe, message, source, url, secretLocation };
}

function toFinding(
  {
    result,
    rule,
    ruleId,
    tool,
    tags,
    cwe,
    message,
    source,
    url,
    secretLocation,
  }: ReturnType<typeof prepareResult>,
  mask: (text: string) => string,
  run: Run,
  context: ImportContext,
) {
  const { line } = secretLocation;
  const file = secretLocation.file && mask(secretLocation.file);
  const [name] = result.locations?.[0]?.logicalLocations ?? [];
  const logical = name?.fullyQualifiedName ?? name?.name;
  const providedFingerprint = toolFingerprint(result);
  const identity = providedFingerprint
    ? [providedFingerprint]
    : source
      ? sourceIdentity(source, secretLocation.secrets)
      : [logical, ...sourceIdentity(message.text.replace(/\d+/g, '0'), secretLocation.secrets)];
  const score = Number(result.properties?.['security-severity'] ?? rule.properties?.['security-severity']);
  const cve = cveOf(ruleId, rule.name, ...tags, rule.shortDescription?.text);
  const { driver } = run.tool;
  // In the export of this service, the score may be derived from the severity.
  const exported = tool === 'svc-findings' ? result.properties : undefined;
  return {
    identify: () => fingerprintOf(slug(tool), ruleId, file ?? url, ...identity),
    title: mask(titleOf(message.text, rule)) || ruleId || 'Result without a message',
    severity: severityOf(
      toStrings(exported?.severity)[0],
      severityOfResult(result, rule, SECRET_SCANNER.test(tool) ? 'error' : 'warning'),
    ),
    description: describeFinding({
      ...describeResult(result, rule, message, run, context, mask),
      facts: {
        Rule: [ruleId, rule.name && rule.name !== ruleId ? `(${rule.name})` : ''].join(' '),
        Location: formatLocation(file, line) ?? (url && mask(url)),
        In: logical,
        Kind: result.kind === 'fail' ? undefined : result.kind,
        Precision: toStrings(rule.properties?.precision)[0],
        Tool: [tool, driver.semanticVersion ?? driver.version ?? ''].join(' '),
      },
      snippet: excerpt(mask(source)),
      references: [rule.helpUri, result.hostedViewerUri],
    }),
    cwe,
    cve,
    // For other tools, the score is a CVSS score only if the rule is about a CVE.
    cvss_score: exported ? (exported.cvss_score ?? undefined) : cve && score > 0 ? score : undefined,
    cvss_vector: exported?.cvss_vector ?? undefined,
    file,
    line: line ?? undefined,
    column: result.locations?.[0]?.physicalLocation?.region?.startColumn ?? undefined,
    source: slug(tool),
  };
}

const SECRET_SCANNER =
  /gitleaks|truffle|ggshield|gitguardian|detect-secrets|kingfisher|nosey|secretlint|talisman|whispers|secret/i;

const slug = (name: string) =>
  name
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-|-$/g, '') || 'sarif';

/** Semgrep writes “requires login” for values that it reveals to customers only. */
const hasValue = (value: unknown): value is string =>
  typeof value === 'string' && value.trim() !== '' && value !== 'requires login';

/** Replaces SARIF links: `[text](1)` refers to a related location. Other brackets are escaped with a backslash. */
const replaceLinks = (value: string, target: (text: string, link: string) => string) =>
  value
    .replace(/(?<!\\)\[((?:\\.|[^[\]\\])*)\]\(([^()\s]+)\)/g, (_found, label, link) => target(label, link))
    .replace(/\\(?=[[\]\\])/g, '');

function titleOf(message: string, rule: Rule): string {
  const messageStart = firstSentence(replaceLinks(message, (label) => label));
  const short = firstSentence(rule.shortDescription?.text);
  const heading = (short === rule.id ? '' : short) || (messageStart ? '' : (rule.name ?? ''));
  if (!heading || messageStart.includes(heading)) return messageStart || heading;
  return messageStart && messageStart.length <= 100 && !heading.includes(messageStart)
    ? `${heading}: ${messageStart}`
    : heading;
}

/** The problem, the fix and the documentation of a result. */
function describeResult(
  result: Result,
  rule: Rule,
  message: MessageText,
  run: Run,
  context: ImportContext,
  mask: (value: string) => string,
) {
  const formatLink = (label: string, link: string) => {
    const related = result.relatedLocations?.find(({ id }) => String(id) === link);
    const { file } = resolveLocation(related, run, context);
    const relatedLocation = related
      ? formatLocation(file, related.physicalLocation?.region?.startLine)
      : undefined;
    return /^\d+$/.test(link)
      ? `${label}${relatedLocation ? ` (${relatedLocation})` : ''}`
      : `${label} (${link})`;
  };
  const { help, fullDescription: full } = rule;
  const maskedMessage = mask(message.text);
  const documentation = help?.markdown ? sanitizeMarkdown(help.markdown) : escapeMarkdown(help?.text ?? '');
  const repeats = (longer: string | undefined | null, part: string | undefined | null) =>
    collapseWhitespace(longer ?? '').includes(collapseWhitespace(part ?? ''));

  // Semgrep's documentation repeats the message in Markdown, so the message is omitted.
  const documented = help?.markdown && repeats(help.markdown, message.text);
  const what = documented
    ? mask(documentation)
    : message.markdown
      ? sanitizeMarkdown(mask(message.markdown))
      : escapeMarkdown(replaceLinks(maskedMessage, formatLink));
  return {
    what: [what, repeats(`${message.text} ${help?.text}`, full?.text) ? '' : escapeMarkdown(full?.text ?? '')]
      .filter(Boolean)
      .join('\n\n'),
    fix: result.fixes?.map(({ description }) => escapeMarkdown(mask(description?.text ?? ''))).join('\n\n'),
    help: documented || repeats(message.text, help?.markdown ?? help?.text) ? undefined : documentation,
  };
}

/**
 * The tool's own fingerprint. Of the partial fingerprints, only those of the primary location are used. The others
 * contain commits, authors, file hashes or line numbers.
 */
function toolFingerprint({ fingerprints, partialFingerprints }: Result): string | undefined {
  const parts = [
    ...Object.entries(fingerprints ?? {}),
    ...Object.entries(partialFingerprints ?? {}).filter(([key]) => /^(?:scan)?primaryLocation/i.test(key)),
  ].filter(([, value]) => hasValue(value));
  return parts.length > 0 ? JSON.stringify(parts.sort(([a], [b]) => (a < b ? -1 : 1))) : undefined;
}
