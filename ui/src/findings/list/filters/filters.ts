/** Normalizes a CWE for the API; undefined if it is invalid. */
export function cweOf(text: string): string | undefined {
  const digits = /^\s*(?:cwe[\s-]*)?(\d{1,9})\s*$/i.exec(text)?.[1];
  return digits && `CWE-${digits}`;
}
