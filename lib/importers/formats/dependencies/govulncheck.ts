import { z } from 'zod';
import { upgrade, vulnerabilityTitle } from '../../dependency.ts';
import { fingerprintOf } from '../../identity.ts';
import { type Importer, type Report, ReportError, read } from '../../importer.ts';
import { describeFinding, formatLocation } from '../../markdown.ts';
import { relativePath, severityOfScore } from '../../support.ts';
import { cvssOfOsv, databaseSpecificOf, describeAdvisory, Osv } from './osv.ts';

const text = z.string().nullish();

const Frame = z.object({
  module: text,
  version: text,
  package: text,
  function: text,
  receiver: text,
  position: z.object({ filename: text, line: z.number().nullish() }).nullish(),
});

const Message = z.object({
  config: z.object({ scan_mode: text, scan_level: text }).nullish(),
  progress: z.object({}).nullish(),
  SBOM: z.object({ modules: z.array(z.object({ path: text, version: text })).nullish() }).nullish(),
  osv: Osv.nullish(),
  finding: z.object({ osv: z.string(), fixed_version: text, trace: z.array(Frame).nullish() }).nullish(),
});

type Frame = z.output<typeof Frame>;

const KINDS = ['config', 'progress', 'SBOM', 'osv', 'finding'];

/**
 * `govulncheck -format json`: for each vulnerability, a finding for the required module, each imported package and each
 * called symbol.
 */
export const govulncheck: Importer = {
  name: 'govulncheck',
  about: {
    tool: '[govulncheck](https://go.dev/doc/security/vuln/)',
    command: '`govulncheck -format json ./... > report.json`',
    versions: '1.0 to 1.1',
    identity: 'advisory, module',
    severity: 'the advisory',
  },

  detects: (report) => {
    const [first] = messagesOf(report);
    if (typeof first !== 'object' || first === null) return false;
    const [key, value] = Object.entries(first)[0] ?? [];
    return KINDS.includes(key ?? '') && typeof value === 'object' && Object.keys(first).length === 1;
  },

  results(report, context) {
    const messages = messagesOf(report).map((message, index) => read(Message, message, String(index)));
    if (!messages.some((message) => Object.values(message).some(Boolean))) {
      throw new ReportError('The report contains no govulncheck messages');
    }
    const advisories = new Map(messages.flatMap(({ osv }) => (osv ? [[osv.id, osv]] : [])));
    const config = messages.find((message) => message.config)?.config;
    const withDetails = keysWithMoreSpecificFindings(messages);
    // The scanned module is built from source and therefore has no version.
    const main = messages.flatMap(({ SBOM }) => SBOM?.modules ?? []).find(({ version }) => !version)?.path;
    return messages.flatMap(({ finding }) => {
      if (!finding) return [];
      const { osv: id, trace } = finding;
      const [vulnerable, ...callers] = trace ?? [];
      const osv = advisories.get(id);
      const symbol = vulnerable?.function ? symbolOf(vulnerable) : undefined;
      const use = symbol
        ? config?.scan_mode === 'binary'
          ? 'linked'
          : 'called'
        : vulnerable?.package
          ? 'imported'
          : 'required';
      // The frame in the scanned module from which the vulnerable code is called.
      const scannedModule = callers.at(-1)?.module;
      const caller = callers.find(({ module, position }) => module === scannedModule && position?.filename);
      const file = relativePath(caller?.position?.filename, context);
      const line = caller?.position?.line;
      const name = symbol ?? vulnerable?.package ?? vulnerable?.module;
      const advisory = osv && describeAdvisory(osv);
      const cvss = osv && cvssOfOsv(osv);
      return {
        // Without versions and the call stack, which is one of many and changes with every caller.
        identify: () =>
          fingerprintOf('govulncheck', main, id, vulnerable?.module, vulnerable?.package, symbol),
        title: vulnerabilityTitle(
          id,
          `${name ?? 'a dependency'} (${use})`,
          undefined,
          osv?.summary ?? osv?.details,
        ),
        severity: severityOfUse(use, config?.scan_level, cvss?.score),
        description: describeFinding({
          what: advisory?.what,
          facts: {
            Module: vulnerable?.module,
            'Installed version': vulnerable?.version,
            'Fixed version': finding.fixed_version,
            Package: vulnerable?.package,
            Symbol: symbol,
            Use: describeUse(use, withDetails.has(keyOf(id, vulnerable)), config?.scan_level),
            'Called at': formatLocation(file, line),
            Aliases: osv?.aliases?.join(', '),
          },
          snippet: callers.length > 0 ? formatTrace(trace ?? []) : undefined,
          fix:
            vulnerable?.module === 'stdlib' && finding.fixed_version
              ? `Build with Go ${finding.fixed_version.replace(/^v/, '')} or later.`
              : upgrade(vulnerable?.module, [finding.fixed_version]),
          details: advisory?.details,
          references: [
            typeof databaseSpecificOf(osv)?.url === 'string'
              ? String(databaseSpecificOf(osv)?.url)
              : `https://pkg.go.dev/vuln/${id}`,
            ...(advisory?.references ?? []),
          ],
        }),
        cwe: advisory?.cwe,
        cve: advisory?.cve,
        cvss_score: cvss?.score,
        cvss_vector: cvss?.vector,
        file,
        line: file ? (line ?? undefined) : undefined,
      };
    });
  },
};

const messagesOf = (report: Report): unknown[] => (report.kind === 'json' ? report.documents.flat() : []);

type Use = 'called' | 'linked' | 'imported' | 'required';

const keyOf = (id: string, frame?: Frame) => JSON.stringify([id, frame?.module, frame?.package]);

/** The keys of modules and packages for which more specific findings exist. */
function keysWithMoreSpecificFindings(messages: z.output<typeof Message>[]): Set<string> {
  const keys = messages.flatMap(({ finding }) => {
    const [frame] = finding?.trace ?? [];
    if (!finding || !frame?.package) return [];
    const outer = keyOf(finding.osv, { module: frame.module });
    return frame.function ? [outer, keyOf(finding.osv, frame)] : [outer];
  });
  return new Set(keys);
}

/** The scan level that cannot find anything more specific than this use. */
const LEVEL_OF_USE: Partial<Record<Use, string>> = { required: 'module', imported: 'package' };

/** Describes how the vulnerable code is used. */
function describeUse(use: Use, hasMoreSpecific: boolean, level: string | undefined | null): string {
  if (use === 'called') return 'the code calls the vulnerable symbol';
  if (use === 'linked') return 'the vulnerable symbol is in the binary';
  const [what, rest] =
    use === 'imported'
      ? ['the vulnerable package is imported', 'none of its vulnerable symbols is called']
      : ['the vulnerable module is required', 'none of its vulnerable packages is imported'];
  if (hasMoreSpecific) return `${what}, separate findings show its use`;
  return level === LEVEL_OF_USE[use] ? what : `${what}, ${rest}`;
}

/** The Go database has no ratings. As in govulncheck itself, vulnerable code counts only if it is called. */
function severityOfUse(use: Use, level: string | undefined | null, score: number | undefined) {
  if (level && level === LEVEL_OF_USE[use]) return 'medium' as const;
  if (use === 'required') return 'info' as const;
  if (use === 'imported') return 'low' as const;
  return score === undefined ? ('high' as const) : severityOfScore(score);
}

const symbolOf = ({ package: path, receiver, function: name }: Frame) =>
  [path?.split('/').at(-1), receiver?.replace(/^\*/, ''), name].filter(Boolean).join('.');

/** The call stack as govulncheck prints it: from the entry point to the vulnerable symbol. */
const formatTrace = (trace: Frame[]) =>
  [...trace]
    .reverse()
    .map(
      (frame) =>
        `${formatLocation(frame.position?.filename, frame.position?.line) ?? '-'} ${symbolOf(frame)}`,
    )
    .join('\n');
