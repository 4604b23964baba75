import { sha256 } from '../identity/fingerprints.ts';
import { shortDigest } from '../identity/literals.ts';
import {
  type ImportContext,
  type Result as Imported,
  type Importer,
  open,
  type Report,
  ReportError,
  readList,
} from '../importer.ts';
import { documentOf, documentsOf, hasKind } from '../read/report.ts';
import { text } from '../read/schema.ts';
import { property } from '../read/values.ts';
import { joinedNames } from '../scanned.ts';
import { cveOf, cweOf, severityOf } from '../support.ts';
import { describeFinding, excerpt, firstSentence, formatLocation, toStrings } from '../text/markdown.ts';
import { isSecretRule, mapMasked, secretCandidates } from '../text/secrets.ts';
import { describeResult, placesOf, replaceLinks } from '../tools/sarif-description.ts';
import { type Details, detailsOf } from '../tools/sarif-details.ts';
import { hasValue, identityOf, type Logical } from '../tools/sarif-identity.ts';
import { recordInvocations } from '../tools/sarif-invocations.ts';
import { createResolver, placeOf, type Resolve } from '../tools/sarif-places.ts';
import {
  createRater,
  createRuleFinder,
  cweOfResult,
  type FoundRule,
  isPassed,
  messageOf,
} from '../tools/sarif-rules.ts';
import { type Location, Result, type Rule, Run } from '../tools/sarif-schema.ts';
import { sourcesOf, type Tool, toolOf } from '../tools/sarif-tool.ts';

/** SARIF 2.1.0 of any tool. */
export const sarif: Importer = {
  name: 'sarif',
  about: {
    tool: '[SARIF](https://sarifweb.azurewebsites.net) of any tool',
    command: "the tool's SARIF output",
    versions: '2.1.0',
    identity:
      "tool, rule, file (with its archive and base) or address, the tool's fingerprint or the flagged lines; offset and message if it has no line",
    severity:
      '`security-severity`, CVSS in properties (the newest version), a property `severity` or tag with a severity, or the level (with overrides); of the result, else of its rule',
  },
  split: {
    json: ['runs.*.results'],
    // Referred to by their number.
    reduced: {
      'runs.*.artifacts': (artifact) => ({
        location: property(artifact, 'location'),
        parentIndex: property(artifact, 'parentIndex'),
        offset: property(artifact, 'offset'),
      }),
    },
  },

  detects: (report) => hasKind(documentOf(report), { runs: 'list' }),

  sources: (report) =>
    runsIn(report).flatMap((run) =>
      sourcesOf(toolOf({ driver: { name: text.parse(property(run, 'tool', 'driver', 'name')) } })),
    ),

  // The id of an analysis is its category, a slash and what identifies the run.
  category: (report) =>
    joinedNames(
      runsIn(report).map((run) =>
        text
          .parse(property(run, 'automationDetails', 'id'))
          ?.split('/')
          .slice(0, -1)
          .join('/'),
      ),
    ),

  results(report, context) {
    const logs = documentsOf(report);
    return logs.flatMap((log) => {
      const version = property(log, 'version');
      if (typeof version === 'string' && /^(?:1|2\.0)\b/.test(version))
        throw new ReportError(`SARIF ${version} is not supported: write SARIF 2.1.0`, 'version');
      const runs = property(log, 'runs');
      return readList(Run, Array.isArray(runs) ? runs : [], 'runs', context).flatMap(
        (run, index, { length }) => {
          try {
            return resultsOfRun(run, index, context);
          } catch (error) {
            if (length === 1 || !(error instanceof ReportError)) throw error;
            context.error(`The results of a run cannot be read: ${error.message}`);
            return [];
          }
        },
      );
    });
  },
};

const runsIn = (report: Report): unknown[] =>
  documentsOf(report).flatMap((log) => {
    const runs = property(log, 'runs');
    return Array.isArray(runs) ? runs : [];
  });

function resultsOfRun(run: Run, index: number, context: ImportContext): Imported[] {
  const tool = toolOf(run.tool);
  const resolve = createResolver(run, context);
  recordInvocations(run, tool.name, resolve, context);
  const listed = readList(Result, run.results, `runs.${index}.results`, context);
  const results = open(listed, reasonToSkip, context);
  const ruleOf = createRuleFinder(run);
  const isSecretScanner = SECRET_SCANNER.test(tool.name);
  const rate = createRater(run, isSecretScanner ? 'error' : 'warning');
  const prepared = results.flatMap((result) => {
    const found = ruleOf(result);
    const places = placesOf(result, resolve);
    const detailsAt = detailsOf(result);
    return locationsOf(result).map((location, at, { length }) =>
      prepare({
        result,
        found,
        location,
        places,
        at,
        of: length,
        tool,
        run,
        resolve,
        rate,
        isSecretScanner,
        details: detailsAt(location, at),
      }),
    );
  });
  return mapMasked(prepared, context, (each, mask) => toResult(each, mask, context));
}

/** Why a result is not imported. */
function reasonToSkip(result: Result): string | undefined {
  const { suppressions, baselineState } = result;
  if (suppressions.length > 0 && suppressions.every(isAccepted)) return 'the report lists them as suppressed';
  if (baselineState === 'absent') return 'the report lists them as fixed';
  return isPassed(result) ? 'they are passed or not applicable checks' : undefined;
}

/** A suppression without a status is accepted. Drafts of SARIF 2.1.0 named it `state`. */
const isAccepted = ({ status, state }: Result['suppressions'][number]): boolean =>
  [status, state].every((value) => value === undefined || value === null || value === 'accepted');

/** The distinct locations of a result. Each becomes a finding. */
function locationsOf({ locations }: Result): (Location | undefined)[] {
  if (locations.length <= 1) return [locations[0]];
  const distinct = new Map(
    locations.map((location) => [JSON.stringify(location.physicalLocation ?? location), location]),
  );
  return distinct.size > 0 ? [...distinct.values()] : [undefined];
}

interface Reported {
  result: Result;
  found: FoundRule;
  location: Location | undefined;
  places: string[];
  at: number;
  of: number;
  tool: Tool;
  run: Run;
  resolve: Resolve;
  rate: ReturnType<typeof createRater>;
  isSecretScanner: boolean;
  details: Details;
}

/** Collects the data of a finding. The secrets of all findings must be known before one is formatted. */
function prepare(reported: Reported) {
  const { result, found, location, run, resolve, isSecretScanner, details } = reported;
  const { component, rule } = found;
  const { region, contextRegion } = location?.physicalLocation ?? {};
  const ruleId = result.ruleId ?? result.rule?.id ?? rule.id ?? '';
  const tags = [...toStrings(rule.properties?.tags), ...toStrings(result.properties?.tags)];
  const cwe = cweOfResult(result, rule, run, tags) ?? (isSecretScanner ? 'CWE-798' : undefined);
  const message = messageOf(result, rule, component);
  const source = [region?.snippet?.text, contextRegion?.snippet?.text].find(hasValue) ?? '';
  const place = placeOf(result, location, run, resolve);
  const { file } = place;
  const secrets =
    isSecretScanner && source
      ? // Secret scanners report the secret itself as the source.
        [source, ...secretCandidates(source)]
      : isSecretRule(ruleId, rule.name, cwe, ...tags)
        ? secretCandidates(source).concat(
            // A message may contain the file name, which is not a secret.
            secretCandidates(message.text, { prose: true }).filter((part) => !file?.includes(part)),
          )
        : [];
  const logical = logicalOf(location, run);
  // A digest of a whole secret would allow guessing it by trial.
  const digest = secrets.length > 0 ? shortDigest : sha256;
  return {
    reported,
    rule,
    ruleId,
    tags,
    cwe,
    message,
    source,
    place,
    logical,
    location: { file, line: region?.startLine, secrets },
    distinct: {
      raw: details.raw,
      // Numbers in a message may be lines.
      details: [`${message.text.replace(/\d+/g, '0')} ${logical.name}`, details.stable].map(digest),
    },
  };
}

function toResult(
  prepared: ReturnType<typeof prepare>,
  mask: (text: string) => string,
  context: ImportContext,
): Imported {
  const { reported, rule, ruleId, tags, cwe, message, source, place, logical, distinct } = prepared;
  const { result, found, location, places, at, of, tool, run, resolve, rate, isSecretScanner } = reported;
  const { line, secrets } = prepared.location;
  const file = place.file && mask(place.file);
  const { region, contextRegion, address } = location?.physicalLocation ?? {};
  const title = titleOf(message.text, rule);
  const cve = cveOf(ruleId, rule.name, ...tags, rule.shortDescription?.text);
  // Without an account, Checkov rates nothing and writes “error” for all failed checks.
  const { severity, cvss } = rate(result, found, tool.name !== 'Checkov' || ruleId.startsWith('CKV_SECRET_'));
  const score = Number(result.properties?.['security-severity'] ?? rule.properties?.['security-severity']);
  const { driver } = run.tool;
  const imported: Imported = {
    entries: [],
    ...identityOf(
      {
        tool,
        ruleId,
        result,
        at,
        of,
        place,
        logical,
        address,
        region,
        contextRegion,
        secrets,
        message: message.text,
        isSecretScanner,
        isAdvisory: ADVISORY.test(`${ruleId} ${rule.name ?? ''}`),
      },
      context,
    ),
    ...distinct,
    title: mask(title) || ruleId || 'Result without a message',
    rule_id: mask(ruleId),
    severity,
    description: describeFinding({
      ...describeResult(result, rule, message, { places, resolve, mask }),
      facts: {
        Rule: [ruleId, rule.name && rule.name !== ruleId ? `(${rule.name})` : ''].join(' '),
        Location: formatLocation(file, line) ?? (place.url && mask(place.url)),
        In: logical.name,
        Kind: result.kind === 'fail' ? undefined : result.kind,
        Precision: toStrings(rule.properties?.precision)[0],
        Tool: [tool.name, driver.semanticVersion ?? driver.version ?? ''].join(' '),
      },
      snippet: excerpt(mask(source)),
      references: [rule.helpUri, result.hostedViewerUri],
    }),
    cwe,
    cve,
    // The score of other tools is a CVSS score if it is named so, or the rule is about a CVE.
    cvss_score: cvss?.score ?? (cve && score > 0 ? score : undefined),
    cvss_vector: cvss?.vector,
    file,
    line,
    column: region?.startColumn,
    source: tool.id,
  };
  return tool.id === TOOL ? asExported(imported, result) : imported;
}

/** A result of a file that this service has exported, as the finding that it was. */
function asExported(imported: Imported, { message, properties = {}, fingerprints }: Result): Imported {
  const { identify, severity, cwe, cve } = imported;
  const [, fingerprint] = /^[^/]*\/(.+)$/s.exec(textOf(fingerprints?.['svcFindings/v1']) ?? '') ?? [];
  const title = message?.text ?? '';
  const score = properties.cvss_score;
  return {
    ...imported,
    ...(fingerprint && { identify: () => fingerprint, identifyBefore: identify }),
    // Links are escaped.
    title: title.includes('\\](') ? title.replace(/\\(?=[[\]])/g, '') : title,
    description: message?.markdown ?? '',
    severity: severityOf(textOf(properties.severity), severity),
    cwe: cweOf(textOf(properties.cwe)) ?? cwe,
    cve: cveOf(textOf(properties.cve)) ?? cve,
    cvss_score: typeof score === 'number' ? score : undefined,
    cvss_vector: textOf(properties.cvss_vector),
    source: textOf(properties.source),
    rule_id: textOf(properties.rule_id),
  };
}

const TOOL = 'svc-findings';

const textOf = (value: unknown): string | undefined => text.parse(value);

/** The name of the function or component at a location. */
function logicalOf(location: Location | undefined, run: Run): Logical {
  const [own] = location?.logicalLocations ?? [];
  const listed = run.logicalLocations?.[own?.index ?? -1];
  const names = [];
  for (let at = listed; at && names.length < MAX_PARENTS; at = run.logicalLocations?.[at.parentIndex ?? -1]) {
    names.unshift(at.fullyQualifiedName ?? at.name ?? '');
    if (at.fullyQualifiedName) break;
  }
  const former = own?.fullyQualifiedName ?? own?.name;
  return { name: own?.fullyQualifiedName ?? (names.filter(Boolean).join('.') || former), former };
}

const MAX_PARENTS = 16;

const SECRET_SCANNER =
  /gitleaks|truffle|ggshield|gitguardian|detect-secrets|kingfisher|nosey|secretlint|talisman|whispers|secret/i;

/** Ids of published vulnerabilities in packages. */
const ADVISORY =
  /\b(?:CVE-\d{4}-\d+|GHSA(?:-[0-9a-z]{4}){3}|(?:GO|PYSEC|RUSTSEC|BDSA|MAL|OSV)-\d{4}-\d+|SNYK-[A-Z]+-\w+-\d+)/;

function titleOf(message: string, rule: Rule): string {
  const messageStart = firstSentence(replaceLinks(message, (label) => label));
  const short = firstSentence(rule.shortDescription?.text);
  const heading = (short === rule.id ? '' : short) || (messageStart ? '' : (rule.name ?? ''));
  if (!heading || messageStart.includes(heading)) return messageStart || heading;
  return messageStart && messageStart.length <= 100 && !heading.includes(messageStart)
    ? `${heading}: ${messageStart}`
    : heading;
}
