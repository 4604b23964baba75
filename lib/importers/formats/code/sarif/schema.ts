import { z } from 'zod';

/* The used fields of SARIF 2.1.0 (OASIS). Fields that some tools omit are optional. */

const text = z.string().nullish();
const Multiformat = z.object({ text, markdown: text });
const Message = Multiformat.extend({ id: text, arguments: z.array(z.string()).nullish() });
const Reference = z.object({
  id: text,
  index: z.number().nullish(),
  toolComponent: z.object({ index: z.number().nullish(), name: text }).nullish(),
});
const Properties = z
  .object({
    tags: z.unknown(),
    cwe: z.unknown(),
    precision: z.unknown(),
    'security-severity': z.unknown(),
    severity: z.unknown(),
    cvss_score: z.number().nullish().catch(undefined),
    cvss_vector: text.catch(undefined),
  })
  .partial();

export const Rule = z.object({
  id: text,
  name: text,
  shortDescription: Multiformat.nullish(),
  fullDescription: Multiformat.nullish(),
  help: Multiformat.nullish(),
  helpUri: text,
  messageStrings: z.record(z.string(), Multiformat).nullish(),
  defaultConfiguration: z.object({ level: text }).nullish(),
  relationships: z.array(z.object({ target: Reference.nullish() })).nullish(),
  properties: Properties.nullish(),
});
export const Component = z.object({
  name: text,
  version: text,
  semanticVersion: text,
  rules: z.array(Rule).nullish(),
  globalMessageStrings: z.record(z.string(), Multiformat).nullish(),
});

const Artifact = z.object({ uri: text, uriBaseId: text, index: z.number().nullish() });
const Region = z.object({
  startLine: z.number().nullish(),
  startColumn: z.number().nullish(),
  snippet: z.object({ text }).nullish(),
});
export const Location = z.object({
  id: z.number().nullish(),
  physicalLocation: z
    .object({
      artifactLocation: Artifact.nullish(),
      region: Region.nullish(),
      contextRegion: Region.nullish(),
    })
    .nullish(),
  logicalLocations: z.array(z.object({ fullyQualifiedName: text, name: text })).nullish(),
});

export const Result = z.object({
  ruleId: text,
  ruleIndex: z.number().nullish(),
  rule: Reference.nullish(),
  level: text,
  kind: text,
  message: Message.nullish(),
  locations: z.array(Location).nullish(),
  relatedLocations: z.array(Location).nullish(),
  fingerprints: z.record(z.string(), z.unknown()).nullish(),
  partialFingerprints: z.record(z.string(), z.unknown()).nullish(),
  suppressions: z.array(z.object({ status: text })).nullish(),
  baselineState: text,
  fixes: z.array(z.object({ description: Multiformat.nullish() })).nullish(),
  taxa: z.array(Reference).nullish(),
  hostedViewerUri: text,
  properties: Properties.nullish(),
});
export const Run = z.object({
  tool: z.object({ driver: Component, extensions: z.array(Component).nullish() }),
  artifacts: z.array(z.object({ location: Artifact.nullish() })).nullish(),
  originalUriBaseIds: z.record(z.string(), Artifact).nullish(),
  results: z.array(Result).nullish(),
});
export const Log = z.object({ version: text, runs: z.array(Run) });

export type Run = z.output<typeof Run>;
export type Rule = z.output<typeof Rule>;
export type Result = z.output<typeof Result>;
export type Component = z.output<typeof Component>;
export type Location = z.output<typeof Location>;
