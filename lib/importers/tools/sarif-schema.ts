import { z } from 'zod';
import { list, number, optional, text, texts } from '../read/schema.ts';

/* The used fields of SARIF 2.1.0 (OASIS). Only the structure is required: tools omit fields and write other types. */

/** A list whose members are referred to by their index: invalid ones are replaced, not left out. */
const indexed = <S extends z.ZodType>(member: S) =>
  z
    .array(member.catch(() => member.parse({}) as never))
    .optional()
    .catch(undefined);

const record = <S extends z.ZodType>(value: S) => optional(z.record(z.string(), value));

const Multiformat = z.object({ text, markdown: text });
const Message = Multiformat.extend({ id: text, arguments: texts });
const Reference = z.object({
  id: text,
  index: number,
  toolComponent: optional(z.object({ index: number, name: text })),
});
const Properties = optional(z.record(z.string(), z.unknown()));

export const Rule = z.object({
  id: text,
  name: text,
  shortDescription: optional(Multiformat),
  fullDescription: optional(Multiformat),
  help: optional(Multiformat),
  helpUri: text,
  messageStrings: record(Multiformat.catch({})),
  defaultConfiguration: optional(z.object({ level: text })),
  relationships: list(z.object({ target: optional(Reference) })),
  properties: Properties,
});
const Component = z.object({
  name: text,
  version: text,
  semanticVersion: text,
  rules: indexed(Rule),
  globalMessageStrings: record(Multiformat.catch({})),
});

const Artifact = z.object({ uri: text, uriBaseId: text, index: number });
const Region = z.object({
  startLine: number,
  startColumn: number,
  endLine: number,
  endColumn: number,
  snippet: optional(z.object({ text })),
});
const Location = z.object({
  id: text,
  message: optional(Message),
  physicalLocation: optional(
    z.object({
      artifactLocation: optional(Artifact),
      region: optional(Region),
      contextRegion: optional(Region),
    }),
  ),
  logicalLocations: list(z.object({ fullyQualifiedName: text, name: text })),
});

const ThreadFlow = z.object({ locations: list(z.object({ location: optional(Location) })) });

export const Result = z.object({
  ruleId: text,
  ruleIndex: number,
  rule: optional(Reference),
  level: text,
  kind: text,
  message: optional(Message),
  locations: list(Location),
  relatedLocations: list(Location),
  codeFlows: list(z.object({ threadFlows: list(ThreadFlow) })),
  fingerprints: record(z.unknown()),
  partialFingerprints: record(z.unknown()),
  suppressions: list(z.object({ status: text })),
  baselineState: text,
  fixes: list(z.object({ description: optional(Multiformat) })),
  taxa: list(Reference),
  hostedViewerUri: text,
  properties: Properties,
});

const Notification = z.object({
  level: text,
  message: optional(Message),
  descriptor: optional(z.object({ id: text })),
  exception: optional(z.object({ kind: text, message: text })),
  locations: list(Location),
});
const Invocation = z.object({
  executionSuccessful: z.unknown().optional(),
  exitCode: number,
  exitCodeDescription: text,
  exitSignalName: text,
  processStartFailureMessage: text,
  toolExecutionNotifications: list(Notification),
  toolConfigurationNotifications: list(Notification),
});

export const Run = z.object({
  tool: z
    .object({ driver: Component.catch(() => Component.parse({})), extensions: indexed(Component) })
    .catch(() => ({ driver: Component.parse({}), extensions: undefined })),
  artifacts: indexed(z.object({ location: optional(Artifact) })),
  originalUriBaseIds: record(Artifact.catch({})),
  invocations: list(Invocation),
  externalPropertyFileReferences: optional(z.object({ results: z.unknown().optional() })),
  results: z.unknown().optional(),
});

export type Run = z.output<typeof Run>;
export type Rule = z.output<typeof Rule>;
export type Result = z.output<typeof Result>;
export type Component = z.output<typeof Component>;
export type Location = z.output<typeof Location>;
export type Region = z.output<typeof Region>;
export type Invocation = z.output<typeof Invocation>;
export type Notification = z.output<typeof Notification>;
