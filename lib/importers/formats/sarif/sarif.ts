import { type ImportContext, type Importer, ReportError, read } from '../../importer.ts';
import { beginning, describeFinding, excerpt, markdown, placeOf, plain, texts } from '../../markdown.ts';
import { findsSecrets, identityOf, masking, possibleSecrets } from '../../secrets.ts';
import { cveOf, fingerprintOf, normalized, severityOf } from '../../support.ts';
import { placeIn } from './places.ts';
import { messageOf, ruleOf, type Said, severityIn, weaknessOf } from './rules.ts';
import { Log, type Result, type Rule, type Run } from './schema.ts';

/** Any tool's SARIF 2.1.0 */
export const sarif: Importer = {
  name: 'sarif',

  detects: (report) => {
    const [log] = report.kind === 'json' ? report.documents : [];
    return Array.isArray((log as { runs?: unknown } | null)?.runs);
  },

  findings(report, context) {
    const logs = report.kind === 'json' ? report.documents : [undefined];
    return logs.flatMap((log) => {
      const { version, runs } = read(Log, log);
      if (version?.startsWith('1.')) throw new ReportError(`SARIF ${version} is not read`, 'version');
      return runs.flatMap((run) => {
        const found = (run.results ?? []).filter(isToActOn).map((result) => prepared(result, run, context));
        const masked = masking(found.map(({ place }) => place));
        return found.map((result) => findingOf(result, masked(result.place), run, context));
      });
    });
  },
};

/** Neither suppressed, as viewers of SARIF see it, nor gone since an earlier run. */
const isToActOn = ({ suppressions, baselineState }: Result) =>
  baselineState !== 'absent' &&
  !suppressions?.some(({ status }) => status === 'accepted' || status === undefined || status === null);

/** What the findings of a run are made from; the secrets of all of them are known before any is shown. */
function prepared(result: Result, run: Run, context: ImportContext) {
  const { component, rule } = ruleOf(result, run);
  const [location] = result.locations ?? [];
  const { region, contextRegion } = location?.physicalLocation ?? {};
  const ruleId = result.ruleId ?? result.rule?.id ?? rule.id ?? '';
  const tool = run.tool.driver.name?.trim() || 'sarif';
  const tags = [...texts(rule.properties?.tags), ...texts(result.properties?.tags)];
  const scansSecrets = SECRET_SCANNER.test(tool);
  const cwe = weaknessOf(result, rule, tags) ?? (scansSecrets ? 'CWE-798' : undefined);
  const message = messageOf(result, rule, component);
  const source = [region?.snippet?.text, contextRegion?.snippet?.text].find(isGiven) ?? '';
  const { file, url } = placeIn(location, run, context);
  const secrets =
    scansSecrets && source
      ? // These give the secret itself as the source.
        [source, ...possibleSecrets(source)]
      : findsSecrets(ruleId, rule.name, cwe, ...tags)
        ? possibleSecrets(source).concat(
            // A message may name the file.
            possibleSecrets(message.text, { prose: true }).filter((part) => !file?.includes(part)),
          )
        : [];
  const place = { file, line: region?.startLine, secrets };
  return { result, rule, ruleId, tool, tags, cwe, message, source, url, place };
}

function findingOf(
  { result, rule, ruleId, tool, tags, cwe, message, source, url, place }: ReturnType<typeof prepared>,
  shown: (text: string) => string,
  run: Run,
  context: ImportContext,
) {
  const { line } = place;
  const file = place.file && shown(place.file);
  const [name] = result.locations?.[0]?.logicalLocations ?? [];
  const logical = name?.fullyQualifiedName ?? name?.name;
  const own = ownFingerprint(result);
  const identity = own
    ? [own]
    : source
      ? identityOf(source, place.secrets)
      : [logical, ...identityOf(message.text.replace(/\d+/g, '0'), place.secrets)];
  const score = Number(result.properties?.['security-severity'] ?? rule.properties?.['security-severity']);
  const cve = cveOf(ruleId, rule.name, ...tags, rule.shortDescription?.text);
  const { driver } = run.tool;
  // A score of the service's own export may only stand for a severity.
  const exported = tool === 'svc-findings' ? result.properties : undefined;
  return {
    fingerprint: fingerprintOf(slug(tool), ruleId, file ?? url, ...identity),
    title: shown(titleOf(message.text, rule)) || ruleId || 'Result without a message',
    severity: severityOf(
      texts(exported?.severity)[0],
      severityIn(result, rule, SECRET_SCANNER.test(tool) ? 'error' : 'warning'),
    ),
    description: describeFinding({
      ...prose(result, rule, message, run, context, shown),
      facts: {
        Rule: [ruleId, rule.name && rule.name !== ruleId ? `(${rule.name})` : ''].join(' '),
        Location: placeOf(file, line) ?? (url && shown(url)),
        In: logical,
        Kind: result.kind === 'fail' ? undefined : result.kind,
        Precision: texts(rule.properties?.precision)[0],
        Tool: [tool, driver.semanticVersion ?? driver.version ?? ''].join(' '),
      },
      snippet: excerpt(shown(source)),
      references: [rule.helpUri, result.hostedViewerUri],
    }),
    cwe,
    cve,
    // The score of a rule for a weakness is no CVSS score of this place.
    cvss_score: exported ? (exported.cvss_score ?? undefined) : cve && score > 0 ? score : undefined,
    cvss_vector: exported?.cvss_vector ?? undefined,
    file,
    line: line ?? undefined,
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

/** Semgrep puts these words where only its customers get a value. */
const isGiven = (value: unknown): value is string =>
  typeof value === 'string' && value.trim() !== '' && value !== 'requires login';

/** SARIF's links: `[text](1)` is a related location; brackets that are none are escaped. */
const linked = (value: string, target: (text: string, link: string) => string) =>
  value
    .replace(/(?<!\\)\[((?:\\.|[^[\]\\])*)\]\(([^()\s]+)\)/g, (_found, label, link) => target(label, link))
    .replace(/\\(?=[[\]\\])/g, '');

function titleOf(message: string, rule: Rule): string {
  const said = beginning(linked(message, (label) => label));
  const short = beginning(rule.shortDescription?.text);
  const heading = (short === rule.id ? '' : short) || (said ? '' : (rule.name ?? ''));
  if (!heading || said.includes(heading)) return said || heading;
  return said && said.length <= 100 && !heading.includes(said) ? `${heading}: ${said}` : heading;
}

/** What a finding is, how it is fixed, and what the documentation says beyond. */
function prose(
  result: Result,
  rule: Rule,
  message: Said,
  run: Run,
  context: ImportContext,
  shown: (value: string) => string,
) {
  const place = (label: string, link: string) => {
    const related = result.relatedLocations?.find(({ id }) => String(id) === link);
    const { file } = placeIn(related, run, context);
    const at = related ? placeOf(file, related.physicalLocation?.region?.startLine) : undefined;
    return /^\d+$/.test(link) ? `${label}${at ? ` (${at})` : ''}` : `${label} (${link})`;
  };
  const { help, fullDescription: full } = rule;
  const said = shown(message.text);
  const documentation = help?.markdown ? markdown(help.markdown) : plain(help?.text ?? '');
  const repeats = (longer: string | undefined | null, part: string | undefined | null) =>
    normalized(longer ?? '').includes(normalized(part ?? ''));

  // Where the documentation is the message in Markdown (Semgrep's), it is enough.
  const documented = help?.markdown && repeats(help.markdown, message.text);
  const what = documented
    ? shown(documentation)
    : message.markdown
      ? markdown(shown(message.markdown))
      : plain(linked(said, place));
  return {
    what: [what, repeats(`${message.text} ${help?.text}`, full?.text) ? '' : plain(full?.text ?? '')]
      .filter(Boolean)
      .join('\n\n'),
    fix: result.fixes?.map(({ description }) => plain(shown(description?.text ?? ''))).join('\n\n'),
    help: documented || repeats(message.text, help?.markdown ?? help?.text) ? undefined : documentation,
  };
}

/**
 * What a tool knows a result by. Of partial fingerprints only those that are of the place in the code: others hold
 * commits, authors, hashes of whole files or line numbers.
 */
function ownFingerprint({ fingerprints, partialFingerprints }: Result): string | undefined {
  const parts = [
    ...Object.entries(fingerprints ?? {}),
    ...Object.entries(partialFingerprints ?? {}).filter(([key]) => /^(?:scan)?primaryLocation/i.test(key)),
  ].filter(([, value]) => isGiven(value));
  return parts.length > 0 ? JSON.stringify(parts.sort(([a], [b]) => (a < b ? -1 : 1))) : undefined;
}
