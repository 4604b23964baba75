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
import { isObject } from '../read/values.ts';

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
export const Reference = z.object({
  ...fields(text, 'id', 'guid'),
  index: number,
  toolComponent: object({ index: number, ...fields(text, 'name', 'guid') }),
});

export const Rule = z.object({
  ...fields(text, 'id', 'guid', 'name', 'helpUri'),
  shortDescription: optional(Multiformat),
  fullDescription: optional(Multiformat),
  help: optional(Multiformat),
  messageStrings: map(Multiformat.catch({})),
  defaultConfiguration: object({ level: text }),
  relationships: objects({ target: optional(Reference) }),
  properties: record,
});
const Component = z.object({
  ...fields(text, 'name', 'guid', 'version', 'semanticVersion'),
  rules: indexed(Rule),
  taxa: indexed(z.object(fields(text, 'id', 'guid'))),
  globalMessageStrings: map(Multiformat.catch({})),
});

const Artifact = z.object({ uri: text, uriBaseId: text, index: number });
const Region = z.object({
  ...fields(number, 'startLine', 'startColumn', 'endLine', 'endColumn'),
  ...fields(number, 'charOffset', 'charLength', 'byteOffset', 'byteLength'),
  snippet: object({ text }),
});
const LogicalLocation = z.object({
  index: number,
  parentIndex: number,
  ...fields(text, 'fullyQualifiedName', 'name'),
});
const Address = z.object({
  ...fields(number, 'index', 'relativeAddress', 'absoluteAddress'),
  ...fields(text, 'fullyQualifiedName', 'name'),
});
const WebRequest = z.object({ index: number, ...fields(text, 'method', 'target') });

const Location = z.object({
  id: text,
  message: optional(Message),
  physicalLocation: object({
    artifactLocation: optional(Artifact),
    address: optional(Address),
    region: optional(Region),
    contextRegion: optional(Region),
  }),
  logicalLocations: list(LogicalLocation),
});

const ThreadFlow = z.object({ locations: objects({ location: optional(Location) }) });

const ResultFields = z.object({
  ...fields(text, 'ruleId', 'level', 'kind', 'baselineState', 'hostedViewerUri'),
  ruleIndex: number,
  rule: optional(Reference),
  message: optional(Message),
  locations: list(Location),
  relatedLocations: list(Location),
  codeFlows: objects({ threadFlows: list(ThreadFlow) }),
  fingerprints: record,
  partialFingerprints: record,
  suppressions: objects({ status: anything, state: anything }),
  analysisTarget: optional(Artifact),
  webRequest: optional(WebRequest),
  provenance: object({ invocationIndex: number }),
  fixes: objects({ description: optional(Multiformat) }),
  taxa: list(Reference),
  properties: record,
  /** The result as the report contains it. */
  raw: anything,
});
export const Result = z.preprocess(
  (value) => (isObject(value) ? { ...value, raw: value } : value),
  ResultFields,
);

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
  ruleConfigurationOverrides: objects({
    descriptor: optional(Reference),
    configuration: object({ level: text }),
  }),
});

export const Run = z.object({
  tool: z
    .object({ driver: Component.catch(() => Component.parse({})), extensions: indexed(Component) })
    .catch(() => ({ driver: Component.parse({}), extensions: undefined })),
  artifacts: indexed(z.object({ location: optional(Artifact), parentIndex: number, offset: number })),
  logicalLocations: indexed(LogicalLocation),
  addresses: indexed(Address),
  webRequests: indexed(WebRequest),
  taxonomies: indexed(Component),
  versionControlProvenance: objects({ repositoryUri: text }),
  originalUriBaseIds: map(Artifact.catch({})),
  invocations: list(Invocation),
  externalPropertyFileReferences: object({ results: anything }),
  results: anything,
});

export type Run = z.output<typeof Run>;
export type Rule = z.output<typeof Rule>;
export type Result = z.output<typeof Result>;
export type Reference = z.output<typeof Reference>;
export type Artifact = z.output<typeof Artifact>;
export type Component = z.output<typeof Component>;
export type Location = z.output<typeof Location>;
export type Address = z.output<typeof Address>;
export type Region = z.output<typeof Region>;
export type Invocation = z.output<typeof Invocation>;
export type Notification = z.output<typeof Notification>;
