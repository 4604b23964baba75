import { z } from 'zod';
import { type ImportContext, type Report, ReportError, readList } from '../importer.ts';
import { documentsOf } from '../read/report.ts';
import { anything, fields, list, number, object, objects, requiredText, text } from '../read/schema.ts';
import { isObject } from '../read/values.ts';
import { fixedVersions, Osv } from './osv.ts';

const Frame = z.object({
  ...fields(text, 'module', 'version', 'package', 'function', 'receiver'),
  position: object({ filename: text, line: number }),
});

export type Frame = z.output<typeof Frame>;

const Message = z.object({
  config: object({ scan_mode: text, scan_level: text }),
  progress: object({ message: text }),
  SBOM: object({ modules: objects({ path: text, version: text }) }),
  osv: Osv.nullish(),
  finding: z.object({ osv: requiredText, fixed_version: text, trace: list(Frame) }).nullish(),
});

type Message = z.output<typeof Message>;

const KINDS = ['config', 'progress', 'SBOM', 'osv', 'finding'];

/** A way in which the scanned code depends on a vulnerability. */
export interface Hit {
  id: string;
  fixed: string[];
  /** The vulnerable module, package or symbol, and the callers of a symbol up to the entry point. */
  trace: Frame[];
}

/** The result of one run of govulncheck. */
export interface Run {
  advisories: Map<string, Osv>;
  hits: Hit[];
  /** The scanned module. */
  main: string | undefined;
  level: string | undefined;
  isBinary: boolean;
}

export const messagesOf = (report: Report): unknown[] => documentsOf(report).flat();

/** Whether a value is a message: an object with one of the known names and nothing else. */
export function isMessage(value: unknown): boolean {
  if (!isObject(value)) return false;
  const [key, ...others] = Object.keys(value);
  return others.length === 0 && KINDS.includes(key ?? '') && isObject(value[key ?? '']);
}

/** The runs in a stream of messages. Each starts with its configuration. */
export function runsOf(report: Report, context: ImportContext): Run[] {
  const messages = readList(Message, messagesOf(report), '', context);
  if (!messages.some((message) => Object.values(message).some(Boolean))) {
    throw new ReportError('The report contains no govulncheck messages');
  }
  const runs: Message[][] = [];
  for (const message of messages) {
    if (message.config || runs.length === 0) runs.push([]);
    runs.at(-1)?.push(message);
  }
  return runs.map((run) => {
    if (!isComplete(run)) {
      const last = run.findLast(({ progress }) => progress?.message)?.progress?.message;
      const where = last ? ` after “${last}”` : '';
      context.error(`govulncheck stopped${where}: its vulnerability database or the code could not be read`);
    }
    const config = run.find((message) => message.config)?.config;
    return {
      advisories: new Map(run.flatMap(({ osv }) => (osv ? [[osv.id, osv]] : []))),
      hits: run.flatMap(({ finding }) =>
        finding
          ? [
              {
                id: finding.osv,
                fixed: finding.fixed_version ? [finding.fixed_version] : [],
                trace: finding.trace,
              },
            ]
          : [],
      ),
      // The scanned module is built from source and therefore has no version.
      main: run.flatMap(({ SBOM }) => SBOM?.modules ?? []).find(({ version }) => !version)?.path,
      level: config?.scan_level,
      isBinary: config?.scan_mode === 'binary',
    };
  });
}

/**
 * A run that failed ends without a message. Since 1.1, govulncheck announces that it fetches the vulnerabilities and then that it
 * checks the code. Before, it announced the scan only.
 */
function isComplete(run: readonly Message[]): boolean {
  const announced = (pattern: RegExp) => run.some(({ progress }) => pattern.test(progress?.message ?? ''));
  if (announced(/^Fetching/)) return announced(/^Checking/);
  return announced(/^(?:Scanning|Checking)/) || run.some(({ osv, finding }) => osv || finding);
}

const Position = object({ Filename: text, Line: number });

const FunctionNode = z.object({
  ...fields(text, 'Name', 'RecvType', 'PkgPath'),
  Pos: Position,
  CallSites: objects({ Parent: text, Pos: Position }),
});

const Vulnerability = z.object({
  OSV: Osv,
  ...fields(text, 'Symbol', 'PkgPath', 'ModPath'),
  CallSink: number,
  ImportSink: number,
});

const Former = z.object({
  Vulns: anything,
  Modules: objects({ Path: text, Version: text }),
  Calls: object({ Functions: z.record(z.string(), z.unknown()) }),
});

/** Whether govulncheck before 1.0 wrote the report. */
export const isFormer = (document: unknown): boolean =>
  isObject(document) && 'Vulns' in document && ('Modules' in document || 'Calls' in document);

/** The run in a report of govulncheck before 1.0. */
export function formerRun(document: unknown, context: ImportContext): Run {
  const { Vulns, Modules, Calls } = Former.parse(document);
  const vulnerabilities = readList(Vulnerability, Vulns, 'Vulns', context);
  const main = Modules.find(({ Version }) => !Version)?.Path;
  const functionOf = (id: string) => FunctionNode.safeParse(Calls?.Functions[id]).data;
  return {
    advisories: new Map(vulnerabilities.map(({ OSV }) => [OSV.id, OSV])),
    hits: vulnerabilities.map(({ OSV, Symbol: symbol, PkgPath, ModPath, CallSink, ImportSink }) => {
      const [receiver, name = receiver] = symbol?.split('.') ?? [];
      const vulnerable = {
        module: ModPath,
        version: Modules.find(({ Path }) => Path === ModPath)?.Version,
        package: CallSink || ImportSink ? PkgPath : undefined,
        function: CallSink ? name : undefined,
        receiver: CallSink && name !== receiver ? receiver : undefined,
        position: undefined,
      };
      const callers = CallSink ? callersOf(String(CallSink), functionOf, main) : [];
      return { id: OSV.id, fixed: fixedVersions(OSV, 'Go', ModPath ?? ''), trace: [vulnerable, ...callers] };
    }),
    main,
    level: undefined,
    isBinary: false,
  };
}

const MAX_CALLERS = 50;

function callersOf(
  sink: string,
  functionOf: (id: string) => z.output<typeof FunctionNode> | undefined,
  main: string | undefined,
): Frame[] {
  const frames: Frame[] = [];
  const seen = new Set<string>();
  let id = sink;
  while (!seen.has(id) && frames.length < MAX_CALLERS) {
    seen.add(id);
    const site = functionOf(id)?.CallSites.find(({ Parent }) => Parent && !seen.has(Parent));
    const caller = site?.Parent ? functionOf(site.Parent) : undefined;
    if (!site?.Parent || !caller) break;
    id = site.Parent;
    frames.push({
      module: main && `${caller.PkgPath}/`.startsWith(`${main}/`) ? main : undefined,
      version: undefined,
      package: caller.PkgPath,
      function: caller.Name,
      receiver: caller.RecvType,
      position: site.Pos && { filename: site.Pos.Filename, line: site.Pos.Line },
    });
  }
  return frames;
}
