import {
  type ImportContext,
  type Result as Imported,
  type Importer,
  open,
  ReportError,
  readList,
} from '../importer.ts';
import { documentOf, documentsOf, hasKind } from '../read/report.ts';
import { property } from '../read/values.ts';
import { cveOf, severityOf } from '../support.ts';
import { describeFinding, excerpt, firstSentence, formatLocation, toStrings } from '../text/markdown.ts';
import { isSecretRule, mapMasked, secretCandidates } from '../text/secrets.ts';
import { describeResult, placesOf, replaceLinks } from '../tools/sarif-description.ts';
import { hasValue, identityOf } from '../tools/sarif-identity.ts';
import { recordInvocations } from '../tools/sarif-invocations.ts';
import { createResolver, type Resolve } from '../tools/sarif-places.ts';
import {
  createRuleFinder,
  cweOfResult,
  type FoundRule,
  isPassed,
  messageOf,
  severityOfResult,
} from '../tools/sarif-rules.ts';
import { type Location, Result, type Rule, Run } from '../tools/sarif-schema.ts';

/** SARIF 2.1.0 of any tool. */
export const sarif: Importer = {
  name: 'sarif',
  about: {
    tool: '[SARIF](https://sarifweb.azurewebsites.net) of any tool',
    command: "the tool's SARIF output",
    versions: '2.1.0',
    identity:
      "tool, rule, file, the tool's fingerprint or the flagged lines; the message if it is about a whole file",
    severity: "`security-severity`, a severity in the rule's tags, or the level",
  },
  split: {
    json: ['runs.*.results'],
    // Referred to by their number.
    reduced: { 'runs.*.artifacts': (artifact) => ({ location: property(artifact, 'location') }) },
  },

  detects: (report) => hasKind(documentOf(report), { runs: 'list' }),

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

function resultsOfRun(run: Run, index: number, context: ImportContext): Imported[] {
  const tool = run.tool.driver.name?.trim() || 'sarif';
  const resolve = createResolver(run, context);
  recordInvocations(run, tool, resolve, context);
  const listed = readList(Result, run.results, `runs.${index}.results`, context);
  const results = open(listed, reasonToSkip, context);
  const ruleOf = createRuleFinder(run);
  const prepared = results.flatMap((result) => {
    const found = ruleOf(result);
    const places = placesOf(result, resolve);
    return locationsOf(result).map((location, at, { length }) =>
      prepare({ result, found, location, places, at, of: length, tool, run, resolve }),
    );
  });
  return mapMasked(prepared, context, (each, mask) => toResult(each, mask, context));
}

/** Why a result is not imported. A suppression counts unless it was rejected or is under review. */
function reasonToSkip(result: Result): string | undefined {
  const { suppressions, baselineState } = result;
  if (suppressions.length > 0 && suppressions.every(({ status }) => (status ?? 'accepted') === 'accepted'))
    return 'the report lists them as suppressed';
  if (baselineState === 'absent') return 'the report lists them as fixed';
  return isPassed(result) ? 'they are passed or not applicable checks' : undefined;
}

/** The distinct locations of a result. Each becomes a finding. */
function locationsOf({ locations }: Result): (Location | undefined)[] {
  if (locations.length <= 1) return [locations[0]];
  const distinct = new Map(
    locations.map((location) => [JSON.stringify(location.physicalLocation ?? location), location]),
  );
  return distinct.size > 0 ? [...distinct.values()] : [undefined];
}

interface Place {
  result: Result;
  found: FoundRule;
  location: Location | undefined;
  places: string[];
  at: number;
  of: number;
  tool: string;
  run: Run;
  resolve: Resolve;
}

/** Collects the data of a finding. The secrets of all findings must be known before one is formatted. */
function prepare(place: Place) {
  const { result, found, location, tool, resolve } = place;
  const { component, rule } = found;
  const { region, contextRegion } = location?.physicalLocation ?? {};
  const ruleId = result.ruleId ?? result.rule?.id ?? rule.id ?? '';
  const tags = [...toStrings(rule.properties?.tags), ...toStrings(result.properties?.tags)];
  const isSecretScanner = SECRET_SCANNER.test(tool);
  const cwe = cweOfResult(result, rule, tags) ?? (isSecretScanner ? 'CWE-798' : undefined);
  const message = messageOf(result, rule, component);
  const source = [region?.snippet?.text, contextRegion?.snippet?.text].find(hasValue) ?? '';
  const { file, url } = resolve(location);
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
  const secretLocation = { file, line: region?.startLine, secrets };
  return { place, rule, ruleId, tags, cwe, message, source, url, isSecretScanner, location: secretLocation };
}

function toResult(
  prepared: ReturnType<typeof prepare>,
  mask: (text: string) => string,
  context: ImportContext,
): Imported {
  const { result, location, places, at, of, tool, run, resolve } = prepared.place;
  const {
    rule,
    ruleId,
    tags,
    cwe,
    message,
    source,
    url,
    isSecretScanner,
    location: secretLocation,
  } = prepared;
  const { line, secrets } = secretLocation;
  const file = secretLocation.file && mask(secretLocation.file);
  const { region, contextRegion } = location?.physicalLocation ?? {};
  const [name] = location?.logicalLocations ?? [];
  const logical = name?.fullyQualifiedName ?? name?.name;
  const score = Number(result.properties?.['security-severity'] ?? rule.properties?.['security-severity']);
  const cve = cveOf(ruleId, rule.name, ...tags, rule.shortDescription?.text);
  const { driver } = run.tool;
  // In the export of this service, the score may be derived from the severity.
  const exported = tool === 'svc-findings' ? result.properties : undefined;
  return {
    entries: [],
    ...identityOf(
      {
        ...{ tool: slug(tool), ruleId, result, at, of, file, url, logical, region, contextRegion, secrets },
        ...{
          message: message.text,
          isSecretScanner,
          isAdvisory: ADVISORY.test(`${ruleId} ${rule.name ?? ''}`),
        },
      },
      context,
    ),
    title: mask(titleOf(message.text, rule)) || ruleId || 'Result without a message',
    severity: severityOf(
      toStrings(exported?.severity)[0],
      severityOfResult(result, rule, {
        defaultLevel: isSecretScanner ? 'error' : 'warning',
        // Without an account, Checkov rates nothing and writes “error” for all failed checks.
        isRated: tool !== 'Checkov' || ruleId.startsWith('CKV_SECRET_'),
      }),
    ),
    description: describeFinding({
      ...describeResult(result, rule, message, { places, resolve, mask }),
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
    cvss_score: exported ? numberOf(exported.cvss_score) : cve && score > 0 ? score : undefined,
    cvss_vector: toStrings(exported?.cvss_vector)[0],
    file,
    line,
    column: region?.startColumn,
    source: slug(tool),
  };
}

const SECRET_SCANNER =
  /gitleaks|truffle|ggshield|gitguardian|detect-secrets|kingfisher|nosey|secretlint|talisman|whispers|secret/i;

/** Ids of published vulnerabilities in packages. */
const ADVISORY =
  /\b(?:CVE-\d{4}-\d+|GHSA(?:-[0-9a-z]{4}){3}|(?:GO|PYSEC|RUSTSEC|BDSA|MAL|OSV)-\d{4}-\d+|SNYK-[A-Z]+-\w+-\d+)/;

const numberOf = (value: unknown) => (typeof value === 'number' ? value : undefined);

const slug = (name: string) =>
  name
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-|-$/g, '') || 'sarif';

function titleOf(message: string, rule: Rule): string {
  const messageStart = firstSentence(replaceLinks(message, (label) => label));
  const short = firstSentence(rule.shortDescription?.text);
  const heading = (short === rule.id ? '' : short) || (messageStart ? '' : (rule.name ?? ''));
  if (!heading || messageStart.includes(heading)) return messageStart || heading;
  return messageStart && messageStart.length <= 100 && !heading.includes(messageStart)
    ? `${heading}: ${messageStart}`
    : heading;
}
