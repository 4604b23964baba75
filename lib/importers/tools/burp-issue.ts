import { addressIdentity, cvesIn, type Issue, shownAddress } from '../kinds/issues.ts';
import { cweOf, severityOf } from '../support.ts';
import { maskCredentials } from '../text/credentials.ts';
import { htmlMarkdown, linksIn } from '../text/html.ts';
import { inlineCode, joined } from '../text/markdown.ts';

/** The fields that all layouts share. Texts are HTML. */
export interface Found {
  type?: string | undefined;
  name: string;
  host?: string | undefined;
  path?: string | undefined;
  /** The path, and the insertion point in brackets. */
  location?: string | undefined;
  severity?: string | undefined;
  confidence?: string | undefined;
  texts: (string | undefined)[];
  fixes: (string | undefined)[];
  classifications?: string | undefined;
  references?: string | undefined;
  requests: string[];
}

/** Extensions share one type. */
const EXTENSION_TYPE = '134217728';

export function toIssue({ type, name, host = '', path = '', location, requests, ...found }: Found): Issue {
  const address = `${host}${path}`;
  const [, point = location !== path && !location?.startsWith('/') ? location : undefined] =
    /\[([^\]]{1,300})\]\s*$/.exec(location?.slice(-400) ?? '') ?? [];
  const page = shownAddress(address);
  const [detail, background] = found.texts;
  return {
    identity: [!type || type === EXTENSION_TYPE ? name : type, addressIdentity(address), point],
    title: `${name}${page && ` (${page}${point ? `, ${point}` : ''})`}`,
    severity: severityOf(found.severity),
    what: joined([htmlMarkdown(detail && maskCredentials(detail)), htmlMarkdown(background)], '\n\n'),
    facts: { Type: type, Confidence: found.confidence },
    places: page ? [`${inlineCode(page)}${point ? `, ${inlineCode(point)}` : ''}`] : [],
    evidence: requests.find(Boolean),
    fix: joined(found.fixes.map(htmlMarkdown), '\n\n'),
    references: [...linksIn(found.references), ...linksIn(found.classifications)],
    cwe: cweOf(/CWE-\d+/.exec(found.classifications ?? '')?.[0]),
    cves: cvesIn(name, found.references, found.texts[0]),
  };
}
