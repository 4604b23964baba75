import { z } from 'zod';
import { fields, flag, list, number, object, optional, record, requiredText, text } from '../read/schema.ts';

const Position = object({ line: number, col: number });
const Place = object({ path: text, start: Position, end: Position });

const Dependency = z.object({ package: text, version: text });

/** Old versions write a step as `{ location, content }`, new ones as `["CliLoc", [location, content]]`. */
const Step = z.preprocess(
  (value) => {
    const inner = Array.isArray(value) ? value[1] : value;
    return Array.isArray(inner) ? { location: inner[0], content: inner[1] } : inner;
  },
  z.object({ location: Place, content: text }),
);

const Extra = z.object({
  ...fields(text, 'message', 'severity', 'lines', 'fingerprint', 'fix', 'validation_state'),
  is_ignored: flag,
  metadata: record,
  dataflow_trace: object({
    taint_source: optional(Step),
    intermediate_vars: list(Step),
    taint_sink: optional(Step),
  }),
  sca_info: object({
    reachable: flag,
    dependency_match: object({ found_dependency: optional(Dependency) }),
  }),
});

export const Result = z.object({
  check_id: requiredText,
  path: requiredText,
  start: Position,
  end: Position,
  extra: Extra.catch(() => Extra.parse({})),
});
export type Result = z.output<typeof Result>;
export type Step = z.output<typeof Step>;

/** An error of Semgrep. Its type is a word, or a list that starts with it. */
export const Failure = z.preprocess(
  (value) => (typeof value === 'string' ? { message: value } : value),
  z.object({
    ...fields(text, 'level', 'message', 'long_msg', 'short_msg', 'path', 'rule_id'),
    type: z.preprocess((value) => (Array.isArray(value) ? value[0] : value), text),
  }),
);
export type Failure = z.output<typeof Failure>;
