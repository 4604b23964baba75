import { z } from 'zod';
import { type Importer, type Result, readList, readRequired, skipped } from '../importer.ts';
import { imageName } from '../kinds/dependency.ts';
import { fixedVersions, vulnerablePackage } from '../kinds/resources.ts';
import { documentOf, hasKind } from '../read/report.ts';
import { fields, requiredText, text, texts } from '../read/schema.ts';
import { isObject, property } from '../read/values.ts';
import { nameIn } from '../scanned.ts';

/** A vulnerability in a report of clair-scanner. */
const Vulnerability = z.object({
  vulnerability: requiredText,
  ...fields(text, 'featurename', 'featureversion', 'namespace', 'description', 'link', 'severity', 'fixedby'),
});
/** A vulnerability in a report of Klar. */
const Feature = z.object({
  Name: requiredText,
  ...fields(text, 'FeatureName', 'FeatureVersion', 'NamespaceName', 'Description', 'Link', 'Severity'),
  FixedBy: text,
});

/** Clair, through clair-scanner or Klar. */
export const clair: Importer = {
  name: 'clair',
  about: {
    tool: '[Clair](https://github.com/quay/clair), through clair-scanner or Klar',
    command: '`clair-scanner -r report.json <image>`, or `JSON_OUTPUT=true klar <image> > report.json`',
    versions: 'the report names no version',
    identity: 'image, vulnerability, package',
    severity: '`severity`; Defcon1 is critical',
  },

  detects: (report) =>
    hasKind(documentOf(report), { unapproved: 'list', vulnerabilities: 'list' }) ||
    hasKind(documentOf(report), { LayerCount: 'value', Vulnerabilities: 'object' }),

  category: (report) => imageName(nameIn(report, 'image') ?? ''),

  results(report, context) {
    const document = documentOf(report);
    const bySeverity = property(document, 'Vulnerabilities');
    if (isObject(bySeverity)) {
      return Object.entries(bySeverity).flatMap(([severity, found]) =>
        readList(Feature, found, `Vulnerabilities.${severity}`, context).map((feature) =>
          resultOf(feature, {
            vulnerability: feature.Name,
            featurename: feature.FeatureName,
            featureversion: feature.FeatureVersion,
            namespace: feature.NamespaceName,
            description: feature.Description,
            link: feature.Link,
            severity: feature.Severity ?? severity,
            fixedby: feature.FixedBy,
          }),
        ),
      );
    }
    const image = text.parse(property(document, 'image'));
    const unapproved = new Set(texts.parse(property(document, 'unapproved')));
    return readRequired(Vulnerability, document, 'vulnerabilities', context).flatMap((one) => {
      if (unapproved.has(one.vulnerability) || !Array.isArray(property(document, 'unapproved')))
        return [resultOf(one, one, image)];
      return skipped('approved', context);
    });
  },
};

function resultOf(entry: unknown, found: z.output<typeof Vulnerability>, image?: string): Result {
  return vulnerablePackage({
    tool: 'clair',
    entries: [entry],
    id: found.vulnerability,
    name: found.featurename,
    version: found.featureversion,
    fixed: fixedVersions(found.fixedby),
    artifact: image,
    artifactIdentity: [image && imageName(image), found.namespace],
    severity: /^defcon1$/i.test(found.severity ?? '') ? 'critical' : found.severity,
    details: found.description,
    facts: { Distribution: found.namespace },
    references: [found.link],
  });
}
