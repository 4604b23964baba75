import { z } from 'zod';
import {
  anything,
  fields,
  list,
  number,
  object,
  objects,
  optional,
  record,
  text,
  texts,
} from '../read/schema.ts';

/* The used fields of SARIF 2.1.0 (OASIS). Only the structure is required: tools omit fields and write other types. */

/** A list whose members are referred to by their index: invalid ones are replaced, not left out. */
const indexed = <S extends z.ZodType>(member: S) =>
  z
    .array(member.catch(() => member.parse({}) as never))
    .optional()
    .catch(undefined);

const map = <S extends z.ZodType>(value: S) => optional(z.record(z.string(), value));

const Multiformat = z.object({ text, markdown: text });
const Message = Multiformat.extend({ id: text, arguments: texts });
const Reference = z.object({
  id: text,
  index: number,
  toolComponent: object({ index: number, name: text }),
});

export const Rule = z.object({
  ...fields(text, 'id', 'name', 'helpUri'),
  shortDescription: optional(Multiformat),
  fullDescription: optional(Multiformat),
  help: optional(Multiformat),
  messageStrings: map(Multiformat.catch({})),
  defaultConfiguration: object({ level: text }),
  relationships: objects({ target: optional(Reference) }),
  properties: record,
});
const Component = z.object({
  ...fields(text, 'name', 'version', 'semanticVersion'),
  rules: indexed(Rule),
  globalMessageStrings: map(Multiformat.catch({})),
});

const Artifact = z.object({ uri: text, uriBaseId: text, index: number });
const Region = z.object({
  ...fields(number, 'startLine', 'startColumn', 'endLine', 'endColumn'),
  snippet: object({ text }),
});
const Location = z.object({
  id: text,
  message: optional(Message),
  physicalLocation: object({
    artifactLocation: optional(Artifact),
    region: optional(Region),
    contextRegion: optional(Region),
  }),
  logicalLocations: objects({ fullyQualifiedName: text, name: text }),
});

const ThreadFlow = z.object({ locations: objects({ location: optional(Location) }) });

export const Result = z.object({
  ...fields(text, 'ruleId', 'level', 'kind', 'baselineState', 'hostedViewerUri'),
  ruleIndex: number,
  rule: optional(Reference),
  message: optional(Message),
  locations: list(Location),
  relatedLocations: list(Location),
  codeFlows: objects({ threadFlows: list(ThreadFlow) }),
  fingerprints: record,
  partialFingerprints: record,
  suppressions: objects({ status: text }),
  fixes: objects({ description: optional(Multiformat) }),
  taxa: list(Reference),
  properties: record,
});

const Notification = z.object({
  level: text,
  message: optional(Message),
  descriptor: object({ id: text }),
  exception: object({ kind: text, message: text }),
  locations: list(Location),
});
const Invocation = z.object({
  executionSuccessful: anything,
  exitCode: number,
  ...fields(text, 'exitCodeDescription', 'exitSignalName', 'processStartFailureMessage'),
  toolExecutionNotifications: list(Notification),
  toolConfigurationNotifications: list(Notification),
});

export const Run = z.object({
  tool: z
    .object({ driver: Component.catch(() => Component.parse({})), extensions: indexed(Component) })
    .catch(() => ({ driver: Component.parse({}), extensions: undefined })),
  artifacts: indexed(z.object({ location: optional(Artifact) })),
  originalUriBaseIds: map(Artifact.catch({})),
  invocations: list(Invocation),
  externalPropertyFileReferences: object({ results: anything }),
  results: anything,
});

export type Run = z.output<typeof Run>;
export type Rule = z.output<typeof Rule>;
export type Result = z.output<typeof Result>;
export type Component = z.output<typeof Component>;
export type Location = z.output<typeof Location>;
export type Region = z.output<typeof Region>;
export type Invocation = z.output<typeof Invocation>;
export type Notification = z.output<typeof Notification>;
