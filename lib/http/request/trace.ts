/** The trace context that the caller sent. */
export interface Trace {
  trace_id: string;
  /** The caller's span. This service creates no spans. */
  span_id: string;
}

const TRACEPARENT =
  /^(?<version>(?!ff)[0-9a-f]{2})-(?<trace>(?!0{32})[0-9a-f]{32})-(?<span>(?!0{16})[0-9a-f]{16})-[0-9a-f]{2}(?<rest>-.*)?$/;

/** Parses a `traceparent` header (W3C Trace Context); undefined when invalid. Later versions may append fields. */
export function traceOf(header: string | undefined): Trace | undefined {
  const { version, trace, span, rest } = (header && TRACEPARENT.exec(header)?.groups) || {};
  if (!trace || !span || (version === '00' && rest !== undefined)) return undefined;
  return { trace_id: trace, span_id: span };
}
