import { z } from 'zod';
import { type Importer, readAt } from '../importer.ts';
import { addressIdentity, cvesIn, type Issue, resultsOf, shownAddress } from '../kinds/issues.ts';
import { documentOf, hasKind } from '../read/report.ts';
import { fields, flag, object, optional, requiredText, text } from '../read/schema.ts';
import { nameIn, siteName } from '../scanned.ts';
import { cweOf, severityOf } from '../support.ts';
import { maskCredentials } from '../text/credentials.ts';
import { escapeMarkdown, inlineCode, joined } from '../text/markdown.ts';
import { isSecretRule } from '../text/secrets.ts';

const Found = z.object({
  name: requiredText,
  ...fields(text, 'description', 'severity', 'remedy_guidance', 'cwe', 'proof'),
  references: optional(z.record(z.string(), text)),
  check: object({ shortname: text }),
  vector: object({ type: text, url: text, action: text, affected_input_name: text, method: text }),
  trusted: flag,
  request: object({ url: text, method: text, headers_string: text, effective_body: text }),
});

/** JSON of Arachni. */
export const arachni: Importer = {
  name: 'arachni',
  about: {
    tool: '[Arachni](https://github.com/Arachni/arachni)',
    command: '`arachni_reporter scan.afr --reporter=json:outfile=report.json`',
    versions: '1.5',
    identity: 'check, kind of input, address, names of the query parameters, input',
  },

  detects: (report) => hasKind(documentOf(report), { issues: 'list', sitemap: 'object', plugins: 'object' }),

  category: (report) => siteName(nameIn(report, 'options', 'url')),

  results: (report, context) =>
    resultsOf('arachni', readAt(Found, documentOf(report), 'issues', context).map(toIssue), context),
};

function toIssue({ name, check, vector, request, ...found }: z.output<typeof Found>): Issue {
  const address = vector?.action ?? vector?.url ?? request?.url;
  const [page, input] = [shownAddress(address), vector?.affected_input_name];
  return {
    identity: [check?.shortname ?? name, vector?.type, addressIdentity(address), input],
    title: `${name}${page && ` (${page}${input ? `, ${input}` : ''})`}`,
    rule_id: check?.shortname ?? name,
    severity: severityOf(found.severity),
    what: escapeMarkdown(paragraphs(found.description)),
    facts: {
      Check: check?.shortname,
      Input: joined([vector?.type, input], ' '),
      Page: vector?.url === address ? undefined : shownAddress(vector?.url),
      Proof: found.proof && !isSecretRule(name) ? maskCredentials(found.proof).slice(0, 300) : undefined,
      Trusted: found.trusted === false ? 'no: needs a manual check' : undefined,
    },
    places: page ? [inlineCode(`${(vector?.method ?? request?.method ?? 'GET').toUpperCase()} ${page}`)] : [],
    evidence:
      request?.headers_string && joined([request.headers_string.trim(), request.effective_body], '\n\n'),
    fix: escapeMarkdown(paragraphs(found.remedy_guidance)),
    references: Object.values(found.references ?? {}),
    cwe: cweOf(found.cwe),
    cves: cvesIn(name, found.description),
  };
}

/** Joins the lines of a paragraph, which Arachni wraps. */
const paragraphs = (value: string | undefined) =>
  (value ?? '').trim().replace(/(?<=[^\n])\n(?=[a-zA-Z(])/g, ' ');
