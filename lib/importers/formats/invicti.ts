import { z } from 'zod';
import { type Importer, open, read, readList } from '../importer.ts';
import { addressIdentity, cvesIn, type Issue, resultsOf, shownAddress, statedCvss } from '../kinds/issues.ts';
import { documentOf, hasKind } from '../read/report.ts';
import { fields, object, objects, requiredText, text } from '../read/schema.ts';
import { nameIn, siteName } from '../scanned.ts';
import { cweOf, severityOf } from '../support.ts';
import { maskCredentials } from '../text/credentials.ts';
import { htmlLines, htmlMarkdown, linksIn } from '../text/html.ts';
import { inlineCode, joined } from '../text/markdown.ts';
import { isSecretRule } from '../text/secrets.ts';

const Cvss = object({ Vector: text, BaseScore: object({ Value: text }) });

const Vulnerability = z.object({
  ...fields(text, 'Name', 'Url', 'Severity', 'State', 'Certainty', 'Confirmed', 'Description', 'Impact'),
  ...fields(text, 'RemedialActions', 'RemedialProcedure', 'RemedyReferences', 'ExternalReferences'),
  Type: requiredText,
  Classification: object({ Cwe: text, Owasp: text, Cvss, Cvss31: Cvss, Cvss40: Cvss }),
  ExtraInformation: objects({ Name: text, Value: text }),
  HttpRequest: object({ Content: text, Method: text, Parameters: objects({ Name: text, Type: text }) }),
  KnownVulnerabilities: objects({ Title: text, Severity: text }),
});
type Vulnerability = z.output<typeof Vulnerability>;

/** JSON of Invicti (formerly Netsparker) and Acunetix 360. */
export const invicti: Importer = {
  name: 'invicti',
  about: {
    tool: '[Invicti](https://www.invicti.com), formerly Netsparker; Acunetix 360',
    command: '*Scan > Report > Vulnerabilities List > JSON*',
    versions: 'the report names no version: reports of 2021 to 2024',
    identity: 'vulnerability type, address, names of the query parameters, attacked parameter',
    severity: '`Severity`',
  },

  detects: (report) =>
    hasKind(documentOf(report), { Vulnerabilities: 'list', Target: 'object', Generated: 'value' }),

  category: (report) => siteName(nameIn(report, 'Target', 'Url')),

  results(report, context) {
    const { Vulnerabilities } = read(z.object({ Vulnerabilities: z.array(z.unknown()) }), documentOf(report));
    const found = readList(Vulnerability, Vulnerabilities, 'Vulnerabilities', context);
    const reasonOf = ({ State = '' }: Vulnerability) => REASONS.find(([state]) => state.test(State))?.[1];
    return resultsOf('invicti', open(found, reasonOf, context).map(toIssue), context);
  },
};

/** States of results that are no open problems: `Present, False Positive`. */
const REASONS: readonly [RegExp, string][] = [
  [/\bFalse ?Positive$/i, 'they are marked as false positives'],
  [/\b(?:Accepted ?Risk|Ignored)$/i, 'their risk was accepted'],
  [/^Fixed(?: ?\(?confirmed\)?)?$/i, 'they are fixed'],
];

function toIssue(found: Vulnerability): Issue {
  const name = found.Name ?? found.Type;
  const classes = found.Classification;
  const attacked = found.ExtraInformation.find(({ Name }) =>
    /^(?:Parameter|Input) Name/i.test(Name ?? ''),
  )?.Value;
  const page = shownAddress(found.Url);
  const isSecret = isSecretRule(name);
  const information = found.ExtraInformation.filter(({ Value }) => Value).map(
    ({ Name, Value }) =>
      `${inlineCode(Name ?? 'Detail')}: ${inlineCode(isSecret ? '********' : maskCredentials(htmlLines(Value)).slice(0, 300))}`,
  );
  return {
    identity: [found.Type, addressIdentity(found.Url), attacked],
    title: `${name}${page && ` (${page}${attacked ? `, ${attacked}` : ''})`}`,
    rule_id: found.Type,
    severity: severityOf(found.Severity === 'BestPractice' ? 'info' : found.Severity),
    what: joined([found.Description, found.Impact].map(htmlMarkdown), '\n\n'),
    facts: {
      Type: found.Type,
      Parameter: attacked,
      Certainty: found.Certainty,
      Confirmed: found.Confirmed,
      OWASP: classes?.Owasp,
      'Known vulnerabilities': joined(
        found.KnownVulnerabilities.map(({ Title }) => Title),
        ', ',
      ),
    },
    places: page ? [[inlineCode(page), ...information].join(', ')] : information,
    evidence: found.HttpRequest?.Content,
    fix: joined([found.RemedialProcedure, found.RemedialActions].map(htmlMarkdown), '\n\n'),
    references: [...linksIn(found.ExternalReferences), ...linksIn(found.RemedyReferences)],
    cwe: cweOf(classes?.Cwe),
    cves: cvesIn(...found.KnownVulnerabilities.map(({ Title }) => Title), name),
    cvss: [classes?.Cvss40, classes?.Cvss31, classes?.Cvss]
      .map((cvss) => cvss && statedCvss(cvss.Vector, Number(cvss.BaseScore?.Value) || undefined))
      .find(Boolean),
  };
}
