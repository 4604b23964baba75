import { MAX_COUNTED } from '../../../db/events/scans.ts';
import { SEVERITIES } from '../../../db/schema/values.ts';
import type { EventBody } from '../../events/body.ts';
import { line, PRODUCT } from '../../mail/templates/letter.ts';

/** A finding in a message. */
export interface ChatFinding {
  severity: string;
  title: string;
  /** The file with the line. */
  place: string | undefined;
  url: string;
  isRegressed: boolean;
}

/**
 * A message to people, before the markup of a service. `headline` and the labels are words of this service. All other texts come from
 * users and reports: they are cut, and each service must show them as they are.
 */
export interface ChatMessage {
  headline: string;
  facts: readonly (readonly [label: string, value: string])[];
  /** The worst ones. */
  findings: readonly ChatFinding[];
  /** The number of findings that are not listed. */
  more: number;
  /** The page of the scan. */
  url: string | undefined;
}

type ScanEvent = Extract<EventBody, { type: 'scan.completed' | 'scan.failed' }>;

const MAX_FINDINGS = 5;
/** The most characters of titles, of places and names, and of the error of a scan. */
const MAX_TITLE = 150;
const MAX_NAME = 100;
const MAX_ERROR = 300;
const COMMIT_LENGTH = 12;

/** A cut text without the half of a surrogate pair at its ends. */
const whole = (cut: string): string => cut.replaceAll(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, '');

/** One line without invisible characters, of at most `max` UTF-16 units, which all services count at the most. */
function shown(text: string, max: number): string {
  const cut = line(text, max);
  const fitting = cut.length > max ? `${whole(cut.slice(0, max - 1))}…` : cut;
  return fitting || '–';
}

/** An address without characters that end a link of Markdown. Ids of scans come from agents. */
const inLink = (url: string): string =>
  url.replaceAll(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16)}`);

const capitalized = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);

const counted = (count: number, word: string): string[] =>
  count === 0 ? [] : [`${count >= MAX_COUNTED ? `at least ${MAX_COUNTED}` : count} ${word}`];

/** The message about an event. @returns undefined if there is nothing to tell */
export const messageAbout = (event: EventBody): ChatMessage | undefined =>
  event.type === 'scan.completed' || event.type === 'scan.failed' ? scanMessage(event) : undefined;

function scanMessage({ type, data }: ScanEvent): ChatMessage | undefined {
  const { scan, findings } = data;
  const isFailure = type === 'scan.failed';
  const news = [...counted(data.new, 'new'), ...counted(data.regressed, 'regressed')];
  if (news.length === 0 && !isFailure) return undefined;
  const ended = isFailure ? 'Scan failed' : 'Scan completed';
  const listed = findings.slice(0, MAX_FINDINGS);
  return {
    headline: news.length === 0 ? ended : `${ended}: ${news.join(' and ')}`,
    facts: factsOf(scan),
    findings: listed.map(({ severity, title, file, line, url, regressed }) => ({
      severity: capitalized(severity),
      title: shown(title, MAX_TITLE),
      place: file === undefined ? undefined : placeOf(file, line),
      url: inLink(url),
      isRegressed: regressed,
    })),
    more: data.new + data.regressed - listed.length,
    url: inLink(scan.url),
  };
}

function factsOf({ summary, ...scan }: ScanEvent['data']['scan']): [string, string][] {
  const found = SEVERITIES.filter((severity) => (summary?.[severity] ?? 0) > 0);
  const bySeverity = found.map((severity) => `${summary?.[severity]} ${severity}`).join(', ');
  const facts: [string, string | undefined, number][] = [
    ['Project', scan.project, MAX_NAME],
    ['Scan', `${shown(scan.name, MAX_NAME)} (${scan.persona})`, 2 * MAX_NAME],
    ['Branch', scan.ref, MAX_NAME],
    ['Commit', scan.commit && whole(scan.commit.slice(0, COMMIT_LENGTH)), MAX_NAME],
    ['All findings', bySeverity || undefined, MAX_NAME],
    ['Error', scan.error_message, MAX_ERROR],
  ];
  return facts.flatMap(([label, value, max]) => (value === undefined ? [] : [[label, shown(value, max)]]));
}

/** The end of a path tells more than its beginning. */
function placeOf(file: string, line: number | undefined): string {
  const at = line === undefined ? '' : `:${line}`;
  const tail = file.length > MAX_NAME ? `…${whole(file.slice(1 - MAX_NAME))}` : file;
  return shown(tail, MAX_NAME) + at;
}

/** The message of a test. */
export const testMessage = (org: { name: string }): ChatMessage => ({
  headline: `${PRODUCT} is connected`,
  facts: [['Organization', shown(org.name, MAX_NAME)]],
  ...{ findings: [], more: 0, url: undefined },
});

/** The words for the findings that are not listed. */
export const moreText = ({ more }: ChatMessage): string => `and ${more} more`;

export const OPEN_SCAN = 'Open the scan';
