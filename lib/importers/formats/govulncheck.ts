import type { Rating } from '../finding.ts';
import { fingerprintOf } from '../identity/identity.ts';
import type { ImportContext, Importer, Result } from '../importer.ts';
import { folderParts, isMalicious, manifestIn, upgrade, vulnerabilityTitle } from '../kinds/dependency.ts';
import { firstDocument } from '../read/report.ts';
import { relativePath } from '../support.ts';
import { codeBlock, describeFinding, firstLines, formatLocation, joined } from '../text/markdown.ts';
import {
  type Frame,
  formerRun,
  type Hit,
  isFormer,
  isMessage,
  messagesOf,
  type Run,
  runsOf,
} from '../tools/govulncheck-messages.ts';
import { cvssOfOsv, describeAdvisory, type Osv, pageOf, severityOfOsv } from '../tools/osv.ts';

/**
 * `govulncheck -format json`: a finding for each advisory and module. govulncheck lists the module, each imported package and
 * each called symbol.
 */
export const govulncheck: Importer = {
  name: 'govulncheck',
  about: {
    tool: '[govulncheck](https://go.dev/doc/security/vuln/)',
    command: '`govulncheck -format json ./... > report.json`',
    versions: '1.0 and 1.9, and before 1.0',
    identity: 'scanned module, advisory, module, whether its code is called',
    severity: 'CVSS or high if vulnerable code is called, low if it is imported, info if it is only required',
  },

  detects: (report) => isMessage(messagesOf(report)[0]) || isFormer(firstDocument(report)),

  results(report, context) {
    const document = firstDocument(report);
    const runs = isFormer(document) ? [formerRun(document, context)] : runsOf(report, context);
    return runs.flatMap((run) => {
      const groups = new Map<string, Hit[]>();
      for (const hit of run.hits) {
        const key = JSON.stringify([hit.id, hit.trace[0]?.module]);
        const group = groups.get(key);
        if (group) group.push(hit);
        else groups.set(key, [hit]);
      }
      return [...groups.values()].map((hits) => resultOf(hits, run, context));
    });
  },
};

/** How the scanned code depends on a vulnerability, the most specific first. */
const USES = ['called', 'linked', 'imported', 'required'] as const;
type Use = (typeof USES)[number];

function useOf({ trace: [vulnerable] }: Hit, { isBinary }: Run): Use {
  if (vulnerable?.function) return isBinary ? 'linked' : 'called';
  return vulnerable?.package ? 'imported' : 'required';
}

/** @param hits those of one advisory and module */
function resultOf(hits: Hit[], run: Run, context: ImportContext): Result {
  const use = USES.find((one) => hits.some((hit) => useOf(hit, run) === one)) ?? 'required';
  const closest = hits.filter((hit) => useOf(hit, run) === use);
  const [hit] = closest as [Hit];
  const { id, fixed } = hit;
  const [vulnerable] = hit.trace;
  const module = vulnerable?.module;
  const called = closest.filter(({ trace }) => trace[0]?.function);
  const osv = run.advisories.get(id);
  const advisory = osv && describeAdvisory(osv);
  const cvss = osv && cvssOfOsv(osv);
  const place = placeOf(hit, context) ?? requirementOf(module, run, context);
  const isUsed = use === 'called' || use === 'linked';
  const formerly = () =>
    fingerprintOf(
      'govulncheck',
      run.main,
      id,
      module,
      vulnerable?.package,
      vulnerable?.function ? symbolOf(vulnerable) : undefined,
    );
  return {
    entries: [hits],
    // Without versions and call stacks, which change with every caller. A decision that vulnerable code is not called does not
    // apply when it is called.
    identify: () =>
      fingerprintOf(
        'govulncheck',
        ...(run.main ? [run.main] : folderParts(undefined, context)),
        id,
        module,
        isUsed ? 'called' : 'not called',
      ),
    // Each symbol, package and module had a finding.
    ...(closest.length === 1 ? { identifyFormerly: formerly } : { identifyVaguely: formerly }),
    title: vulnerabilityTitle(
      id,
      module ?? 'a dependency',
      joined([vulnerable?.version, `(${use})`], ' '),
      osv?.summary ?? osv?.details,
    ),
    rule_id: id,
    severity: severityOf(use, run, osv),
    description: describeFinding({
      what: advisory?.what,
      facts: {
        Module: module,
        'Installed version': vulnerable?.version,
        'Fixed version': fixed.join(', '),
        Packages: joined([...new Set(hits.map(({ trace }) => trace[0]?.package))], ', '),
        Use: describeUse(use, run.level),
        'Called at': use === 'called' ? formatLocation(place?.file, place?.line) : undefined,
        Aliases: osv?.aliases.join(', '),
      },
      where: called.length > 0 ? symbols(called, context) : undefined,
      snippet: hit.trace.length > 1 ? formatTrace(hit.trace) : undefined,
      fix:
        module === 'stdlib' && fixed.length > 0
          ? `Build with Go ${fixed.map((version) => version.replace(/^v/, '')).join(' or ')} or later.`
          : upgrade(module, fixed),
      details: advisory?.details,
      references: [(osv && pageOf(osv)) ?? `https://pkg.go.dev/vuln/${id}`, ...(advisory?.references ?? [])],
    }),
    cwe: advisory?.cwe,
    cve: advisory?.cve,
    cvss_score: cvss?.score,
    cvss_vector: cvss?.vector,
    ...place,
  };
}

/** The line in the scanned module from which the vulnerable code is called. */
function placeOf({ trace: [, ...callers] }: Hit, context: ImportContext) {
  const scanned = callers.at(-1)?.module;
  const caller = callers.find(({ module, position }) => module === scanned && position?.filename);
  const file = relativePath(caller?.position?.filename, context);
  return file ? { file, line: caller?.position?.line } : undefined;
}

/** The line of go.mod that requires a module. */
function requirementOf(module: string | undefined, run: Run, context: ImportContext) {
  const file = run.isBinary ? undefined : manifestIn(['go.mod'], context);
  if (!file) return undefined;
  const at = context.linesOf?.('go.mod')?.findIndex((line) => line.split(/\s+/).includes(module ?? ''));
  return { file, line: at === undefined || at < 0 ? undefined : at + 1 };
}

const MAX_SYMBOLS = 20;

/** The vulnerable symbols, with the lines that call them. */
function symbols(called: readonly Hit[], context: ImportContext): string {
  const lines = called.map((hit) => {
    const place = placeOf(hit, context);
    const [vulnerable] = hit.trace;
    return joined(
      [vulnerable && symbolOf(vulnerable), formatLocation(place?.file, place?.line)],
      ' called at ',
    );
  });
  return codeBlock(firstLines(lines, MAX_SYMBOLS).join('\n'));
}

/** The scan level that cannot find anything more specific than this use. */
const LEVEL_OF_USE: Partial<Record<Use, string>> = { required: 'module', imported: 'package' };

/** Describes how the vulnerable code is used. */
function describeUse(use: Use, level: string | undefined): string {
  if (use === 'called') return 'the code calls vulnerable symbols';
  if (use === 'linked') return 'vulnerable symbols are in the binary';
  const [what, rest] =
    use === 'imported'
      ? ['a vulnerable package is imported', 'none of its vulnerable symbols is called']
      : ['the vulnerable module is required', 'none of its vulnerable packages is imported'];
  return level === LEVEL_OF_USE[use] ? what : `${what}, ${rest}`;
}

/** The Go database has no ratings. As in govulncheck itself, vulnerable code counts only if it is called. */
function severityOf(use: Use, { level }: Run, osv: Osv | undefined): Rating {
  if (isMalicious(osv?.id, ...(osv?.aliases ?? []))) return 'critical';
  if (level && level === LEVEL_OF_USE[use]) return 'medium';
  if (use === 'required') return 'info';
  if (use === 'imported') return 'low';
  return (osv && severityOfOsv([osv])) ?? 'high';
}

const symbolOf = ({ package: path, receiver, function: name }: Frame) =>
  joined([path?.split('/').at(-1), receiver?.replace(/^\*/, ''), name], '.');

/** The call stack as govulncheck prints it: from the entry point to the vulnerable symbol. */
const formatTrace = (trace: Frame[]) =>
  [...trace]
    .reverse()
    .map(
      (frame) =>
        `${formatLocation(frame.position?.filename, frame.position?.line) ?? '-'} ${symbolOf(frame)}`,
    )
    .join('\n');
