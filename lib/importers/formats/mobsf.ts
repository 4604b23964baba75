import { z } from 'zod';
import type { Rating } from '../finding.ts';
import { fingerprintOf } from '../identity/identity.ts';
import { sourceIdentity } from '../identity/literals.ts';
import { type ImportContext, type Importer, type Result, readList, skipped } from '../importer.ts';
import { documentOf, firstDocument, hasKind } from '../read/report.ts';
import { anything, fields, list, requiredText, text } from '../read/schema.ts';
import { isObject, property } from '../read/values.ts';
import { nameIn } from '../scanned.ts';
import { cweOf, severityIn } from '../support.ts';
import { htmlToMarkdown, htmlToText } from '../text/html.ts';
import { describeFinding, inlineCode } from '../text/markdown.ts';
import { mask } from '../text/secrets.ts';

/** The JSON report of an app in MobSF. */
export const mobsf: Importer = {
  name: 'mobsf',
  about: {
    tool: '[MobSF](https://mobsf.github.io/docs/)',
    command: '`curl -H "Authorization: KEY" -d hash=… https://…/api/v1/report_json`',
    versions: '3.1, 3.6, 3.7 and 4.0',
    identity: 'app, part of the report, rule, component',
    severity: 'high, warning (medium) or info, as MobSF rates it',
  },

  detects: (report) =>
    hasKind(documentOf(report), { file_name: 'value', permissions: 'value', md5: 'value' }) &&
    ['app_type', 'code_analysis', 'binary_analysis'].some(
      (name) => property(documentOf(report), name) !== undefined,
    ),

  category: (report) =>
    nameIn(report, 'package_name') || nameIn(report, 'bundle_id') || nameIn(report, 'app_name'),

  results(report, context) {
    const document = firstDocument(report);
    const app = text.parse(property(document, 'package_name')) ?? text.parse(property(document, 'bundle_id'));
    const problems = [
      ...codeProblems(document, context),
      ...manifestProblems(document, context),
      ...tupleProblems(document, context),
      ...networkProblems(document, context),
      ...binaryProblems(document, context),
    ];
    const found = problems.flatMap(({ rating, ...problem }): Result[] => {
      if (HARMLESS.test(rating ?? '')) return skipped('MobSF rates them as secure or harmless', context);
      return [resultOf({ ...problem, severity: severityIn(SEVERITIES, rating) }, app)];
    });
    const permissions = Object.values(property(document, 'permissions') ?? {});
    const dangerous = permissions.filter((permission) => property(permission, 'status') === 'dangerous');
    context.skip('they are permissions of the app', dangerous.length);
    const calls = ['android_api', 'ios_api'].flatMap((name) => Object.keys(property(document, name) ?? {}));
    context.skip('they are system functions that the app calls', calls.length);
    return [...found, ...secretResults(document, app)];
  },
};

const SEVERITIES = { insecure: 'high', dangerous: 'high' } as const;
const HARMLESS = /^(?:secure|good|safe|normal|signature)?$/i;

interface Problem {
  entries: readonly unknown[];
  part: string;
  rule: string;
  rating: string | undefined;
  title: string;
  description?: string | undefined;
  component?: string | undefined;
  files?: string[];
  cwe?: string | undefined;
  facts?: Record<string, string | undefined>;
}

function resultOf(problem: Omit<Problem, 'rating'> & { severity: Rating }, app: string | undefined): Result {
  const { part, rule, title, description, component, files = [], cwe, severity, facts } = problem;
  return {
    entries: problem.entries,
    identify: () => fingerprintOf('mobsf', app, part, rule, component),
    title: htmlToText(title),
    rule_id: rule,
    severity,
    description: describeFinding({
      what: htmlToMarkdown(description) || htmlToMarkdown(title),
      facts: {
        App: app,
        Part: part,
        Rule: rule === title ? undefined : rule,
        Component: component,
        ...facts,
      },
      where: files.map((file) => `- ${inlineCode(file)}`).join('\n'),
    }),
    cwe: cweOf(cwe),
  };
}

const Rule = z.object({
  name: z.string(),
  files: anything,
  metadata: z.object(fields(text, 'description', 'severity', 'cwe', 'masvs', 'owasp-mobile')),
});

/** The decompiled code has other names and lines in every build: a rule is one finding. */
function codeProblems(document: unknown, context: ImportContext): Problem[] {
  const analysis = property(document, 'code_analysis');
  const rules = property(analysis, 'findings') ?? analysis;
  if (!isObject(rules)) return [];
  const named = Object.entries(rules).map(([name, rule]) => (isObject(rule) ? { ...rule, name } : rule));
  return readList(Rule, named, 'code_analysis', context).map(({ name, files, metadata }) => ({
    entries: [name],
    part: 'code',
    rule: name,
    rating: metadata.severity,
    title: metadata.description ?? name,
    description: metadata.description,
    cwe: metadata.cwe,
    files: isObject(files)
      ? Object.entries(files).map(([file, lines]) => `${file}:${text.parse(lines) ?? ''}`)
      : [],
    facts: { 'OWASP Mobile': metadata['owasp-mobile'], MASVS: metadata.masvs },
  }));
}

const Manifest = z.object({
  ...fields(text, 'rule', 'stat', 'severity', 'desc', 'description', 'name'),
  title: requiredText,
  component: list(requiredText),
});

function manifestProblems(document: unknown, context: ImportContext): Problem[] {
  const analysis = property(document, 'manifest_analysis');
  const listed = Array.isArray(analysis) ? analysis : property(analysis, 'manifest_findings');
  return readList(Manifest, listed, 'manifest_analysis', context).map((found) => ({
    entries: [found],
    part: 'manifest',
    rule: found.rule ?? htmlToText(found.name ?? found.title),
    rating: found.severity ?? found.stat,
    title: found.title,
    description: found.description ?? found.desc,
    component: found.component.join(' '),
  }));
}

/** Findings of the certificate: `[rating, description, title]`. */
function tupleProblems(document: unknown, context: ImportContext): Problem[] {
  const listed = property(document, 'certificate_analysis', 'certificate_findings');
  return readList(z.array(requiredText).min(2), listed, 'certificate_findings', context).map(
    ([rating, description, title = description ?? '', ...rest]) => ({
      entries: [rest],
      part: 'certificate',
      rule: title,
      rating,
      title,
      description,
    }),
  );
}

const Network = z.object({ scope: list(requiredText), description: requiredText, severity: text });
const Transport = z.object({ issue: requiredText, status: text, severity: text, description: text });

function networkProblems(document: unknown, context: ImportContext): Problem[] {
  const network = property(document, 'network_security');
  const transport = property(document, 'ats_analysis');
  const rules = Array.isArray(network) ? network : property(network, 'network_findings');
  const settings = Array.isArray(transport) ? transport : property(transport, 'ats_findings');
  return [
    ...readList(Network, rules, 'network_security', context).map((found) => ({
      entries: [found],
      part: 'network',
      rule: found.description,
      rating: found.severity,
      title: found.description,
      component: found.scope.join(' '),
    })),
    ...readList(Transport, settings, 'ats_analysis', context).map((found) => ({
      entries: [found],
      part: 'transport security',
      rule: found.issue,
      rating: found.severity ?? found.status,
      title: found.issue,
      description: found.description,
    })),
  ];
}

const Check = z.object({ severity: text, description: text, detailed_desc: text, cwe: text });

/** The checks of the libraries of an Android app, or of the binary of an iOS app. */
function binaryProblems(document: unknown, context: ImportContext): Problem[] {
  const analysis = property(document, 'binary_analysis');
  const groups = Array.isArray(analysis) ? analysis : [property(analysis, 'findings') ?? analysis];
  return groups.filter(isObject).flatMap(({ name, ...checks }) => {
    const library = text.parse(name);
    const named = Object.entries(checks).filter(([, check]) => isObject(check));
    return named.flatMap(([rule, check]) =>
      readList(Check, [check], `binary_analysis.${rule}`, context).map((found) => ({
        entries: [found],
        part: 'binary',
        rule,
        // A check that passes is rated as info.
        rating: found.severity === 'info' ? 'secure' : found.severity,
        title: library ? `${rule.replaceAll('_', ' ')}: ${library}` : rule,
        description: found.detailed_desc ?? found.description,
        component: library,
        cwe: found.cwe,
      })),
    );
  });
}

/** Strings that may be secrets: `"name" : "value"`. */
function secretResults(document: unknown, app: string | undefined): Result[] {
  const { data: secrets = [] } = list(requiredText).safeParse(property(document, 'secrets'));
  return secrets.map((secret) => {
    const [, name, value = secret] = /^"([^"]*)"\s*:\s*"?(.*?)"?$/s.exec(secret) ?? [];
    return {
      entries: [secret],
      identify: () => fingerprintOf('mobsf', app, 'secret', name, ...sourceIdentity(value, [value])),
      title: `Possible secret in the app${name ? `: ${name}` : ''}`,
      rule_id: 'secret',
      severity: 'medium' as const,
      description: describeFinding({
        what: 'A string in the app may be a secret.',
        facts: { App: app, Name: name, Value: mask(value) },
      }),
      cwe: 'CWE-798',
    };
  });
}
