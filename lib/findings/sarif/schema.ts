import { Finding } from '../../resources.ts';
import { EXAMPLE_ID, shown, timestamp, z } from '../../schema.ts';

/* The part of SARIF 2.1.0 (OASIS) that exports use. */

export const TOOL = 'svc-findings';
export const SARIF_SCHEMA = 'https://json.schemastore.org/sarif-2.1.0.json';

const score = (description: string) => shown('9.8', description);

export const Rule = z
  .object({
    id: shown('CWE-89', 'The `rule_id`, else the CVE, else the CWE, else what found it.'),
    shortDescription: z.object({ text: shown('CWE-89') }),
    helpUri: shown('https://cwe.mitre.org/data/definitions/89.html').optional(),
    properties: z.object({
      tags: z.array(shown('external/cwe/cwe-89')),
      'security-severity': score('The highest of its results.'),
    }),
  })
  .openapi('SarifRule');

const Suppression = z
  .object({
    kind: z.enum(['external']),
    status: z.enum(['accepted']),
    justification: shown('False positive'),
  })
  .openapi('SarifSuppression');

const Location = z
  .object({
    physicalLocation: z.object({
      artifactLocation: z.object({ uri: shown('src/search.ts') }),
      region: z.object({ startLine: z.int().openapi({ example: 42 }) }).optional(),
    }),
  })
  .openapi('SarifLocation');

const Properties = Finding.omit({
  title: true,
  description: true,
  fingerprint: true,
  file: true,
  line: true,
}).extend({
  project_slug: shown('web-shop'),
  project_name: shown('Web shop'),
  tags: z.array(shown('external/cwe/cwe-89')),
  'security-severity': score('The CVSS score, where that says the same as the severity; else one that does.'),
});

export const Result = z
  .object({
    ruleId: shown('CWE-89'),
    level: z.enum(['error', 'warning', 'note']),
    message: z.object({
      text: shown('SQL injection in search', 'The title.'),
      markdown: shown('User input reaches the **query**.', 'The description.').optional(),
    }),
    locations: z.array(Location).optional(),
    fingerprints: z.object({ 'svcFindings/v1': shown(`${EXAMPLE_ID}/sqli-search-7f3a`) }),
    partialFingerprints: z.object({ primaryLocationLineHash: shown(`${EXAMPLE_ID}/sqli-search-7f3a`) }),
    baselineState: z.enum(['absent']).optional().openapi({ description: 'It was fixed.' }),
    suppressions: z.array(Suppression).optional(),
    provenance: z.object({
      firstDetectionTimeUtc: timestamp(),
      lastDetectionTimeUtc: timestamp(),
    }),
    properties: Properties,
  })
  .openapi('SarifResult');

export const SarifLog = z
  .object({
    $schema: shown(SARIF_SCHEMA),
    version: z.enum(['2.1.0']),
    runs: z.array(
      z
        .object({
          results: z.array(Result),
          tool: z.object({ driver: z.object({ name: z.enum([TOOL]), rules: z.array(Rule) }) }),
        })
        .openapi('SarifRun'),
    ),
  })
  .openapi('SarifLog', { description: 'One run, its results in the order of the list.' });
