import { REGION } from '#strings/language.ts';
import * as text from '#strings/scans/names.ts';
import type { components } from '../../../lib/client/schema.ts';
import { PERSONA_NAMES } from './persona.ts';

type Scan = components['schemas']['Scan'];

/** The name that the service gives a scan without one. */
const GENERATED = /^(sharingan|senku|killua) scan (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z)$/;

/** More scanners make a name too long. */
const SCANNERS = 3;

const moment = (withYear: boolean) =>
  new Intl.DateTimeFormat(REGION, {
    day: 'numeric',
    month: 'short',
    ...(withYear && { year: 'numeric' }),
    hour: '2-digit',
    minute: '2-digit',
  });
const [short, long] = [moment(false), moment(true)];

const isKnown = (source: string): source is keyof typeof text.scannerNames =>
  Object.hasOwn(text.scannerNames, source);

/** A scanner, or a format of reports, as its vendor writes it. Unknown names get a capital letter. */
export const scannerName = (source: string): string =>
  isKnown(source) ? text.scannerNames[source] : source.charAt(0).toUpperCase() + source.slice(1);

/** The scanners of a scan, such as "Trivy + Semgrep"; undefined if they are not known. */
function scannersOf({ sources = [] }: { sources?: Scan['sources'] | undefined }): string | undefined {
  if (sources.length === 0) return undefined;
  const names = sources.slice(0, SCANNERS).map(scannerName);
  return text.scanners(names, sources.length - names.length);
}

/**
 * The name of a scan. A generated one is shown as "Trivy + Semgrep, 22 Nov 07:38", in the time zone of the user, and with the kind of
 * the scan if its scanners are not known.
 */
export function scanName({ name, sources }: Pick<Scan, 'name' | 'sources'>, now = new Date()): string {
  const [, persona, time = ''] = GENERATED.exec(name) ?? [];
  const at = new Date(time);
  if (Number.isNaN(at.getTime())) return name;
  const format = at.getFullYear() === now.getFullYear() ? short : long;
  const what = scannersOf({ sources }) ?? PERSONA_NAMES[persona as Scan['persona']];
  return text.generatedName(what, format.format(at).replace(', ', ' '));
}

/** The scanners of a scan and its kind, unless its name has them. */
export function aboutScan(scan: Pick<Scan, 'name' | 'sources' | 'persona'>): string {
  const scanners = GENERATED.test(scan.name) ? undefined : scannersOf(scan);
  const kind = PERSONA_NAMES[scan.persona];
  if (scanners === undefined) return kind;
  return scan.name === kind ? scanners : text.scannersAndKind(scanners, kind);
}
