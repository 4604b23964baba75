import { z } from 'zod';
import { type ImportContext, type Importer, ReportError, readList } from '../importer.ts';
import { documentsOf } from '../read/report.ts';
import { anything, fields, flag, number, requiredText, text } from '../read/schema.ts';
import { isObject, property } from '../read/values.ts';
import { joined } from '../text/markdown.ts';
import { type FoundSecret, secretResults } from '../tools/secret-results.ts';
import { isHistoryFinding, secretsInHistory } from '../tools/trufflehog-history.ts';

const Found = z.object({
  SourceMetadata: z.object({ Data: z.record(z.string(), z.unknown()) }),
  ...fields(text, 'DetectorDescription', 'DecoderName', 'VerificationError', 'Raw', 'RawV2', 'Redacted'),
  DetectorName: requiredText,
  Verified: flag,
  ExtraData: anything,
});

type Found = z.output<typeof Found>;

/** Where a secret was found, in Git or elsewhere. */
const Place = z.object({
  ...fields(text, 'file', 'path', 'commit', 'link', 'repository', 'image', 'bucket', 'timestamp'),
  line: number,
});

/** The fields that `Place` reads, and those that do not say where the secret is. */
const NO_PLACE = new Set([...Object.keys(Place.shape), 'email', 'repository_local_path']);

/** `trufflehog … --json` */
export const trufflehog: Importer = {
  name: 'trufflehog',
  about: {
    tool: '[TruffleHog](https://github.com/trufflesecurity/trufflehog)',
    command: '`trufflehog git file://. --json > report.jsonl`',
    versions: '2 and 3',
    identity: 'detector, repository, file, secret',
    severity: 'high; critical if the secret was verified; medium if only its entropy is high',
  },
  acceptsEmptyReport: true,

  detects: (report) => documentsOf(report).some(isFound) || isHistoryFinding(documentsOf(report)[0]),

  results(report, context) {
    const documents = documentsOf(report);
    for (const document of documents) reportLog(document, context);
    const findings = documents.filter((document) => isObject(document) && !isLog(document));
    if (findings.length === 0) throw new ReportError('The report was not written by TruffleHog');
    if (isHistoryFinding(findings[0]))
      return secretResults('trufflehog', secretsInHistory(findings, context), context);
    return secretResults('trufflehog', readList(Found, findings, '', context).map(toPlace), context);
  },
};

const isFound = (document: unknown) =>
  isObject(document) && isObject(document.SourceMetadata) && 'DetectorName' in document;

/** TruffleHog writes its log to the other stream, which may be redirected into the report. */
const isLog = (document: unknown) =>
  isObject(document) && typeof document.level === 'string' && typeof document.msg === 'string';

function reportLog(document: unknown, context: ImportContext): void {
  if (!isLog(document) || !/^(?:error|fatal)/i.test(String(property(document, 'level')))) return;
  const reason = property(document, 'error');
  context.error(joined([property(document, 'msg'), typeof reason === 'string' ? reason : ''], ': '));
}

function toPlace(found: Found): FoundSecret {
  const [data] = Object.values(found.SourceMetadata.Data);
  const place = Place.safeParse(data).data;
  const { Raw: raw = '', RawV2: rawV2 = '', Redacted: redacted = '' } = found;
  const guide = property(found.ExtraData, 'rotation_guide');
  const source = [place?.repository, place?.image, place?.bucket].find(
    // The path of a local repository depends on the machine.
    (name) => name && !/^(?:file:|\/|\.|[a-z]:\\)/i.test(name),
  );
  return {
    rule: found.DetectorName,
    path: place?.file ?? place?.path,
    line: place?.line,
    commit: place?.commit,
    secret: raw || rawV2 || redacted,
    secrets: [raw, decoded(raw), rawV2, decoded(rawV2), redacted].flatMap(partsOf),
    severity: found.Verified ? 'critical' : 'high',
    source: source?.replace(/\.git$/, ''),
    what: found.DetectorDescription,
    place: joined(
      Object.entries(isObject(data) ? data : {}).flatMap(([name, value]) =>
        typeof value === 'string' && value && !NO_PLACE.has(name) ? [`${name} ${value}`] : [],
      ),
      ', ',
    ),
    facts: {
      Verified: found.Verified ? 'yes' : 'no',
      'Verification error': found.VerificationError,
      Encoding: found.DecoderName === 'PLAIN' ? undefined : found.DecoderName,
      Source: source,
      Date: place?.timestamp,
    },
    references: [place?.link, typeof guide === 'string' ? guide : undefined],
  };
}

/** A secret and the password in it, if it is a URL. */
const partsOf = (secret: string): string[] => [
  ...(secret ? [secret] : []),
  ...[...secret.matchAll(/:\/\/[^\s/:@]*:([^\s@]{4,200})@/g)].map(([, password = '']) => password),
];

/** The first releases of version 3 encode the secret. */
function decoded(raw: string): string {
  if (!/^[A-Za-z0-9+/]{8,}={0,2}$/.test(raw)) return '';
  try {
    const plain = atob(raw);
    return /^[\t\n\r\x20-\x7e]{4,}$/.test(plain) ? plain : '';
  } catch {
    return '';
  }
}
