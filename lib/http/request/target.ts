/** The head of a request as Node parsed it. */
interface RequestHead {
  httpVersion: string;
  url?: string | undefined;
  headers: { host?: string | undefined };
  /** Alternating names and values. */
  rawHeaders: readonly string[];
}

const DOT_SEGMENT = /^[^?]*\/(?:\.|%2e){1,2}(?:[/?]|$)/i;

/**
 * Whether a request has an unambiguous target: one Host header (optional in HTTP/1.0), the same host in an absolute request
 * line (RFC 9112, 3.2), and a path without `.`, `..` and fragment. Otherwise a proxy may have checked another target than
 * the one that is served.
 */
export function hasOneTarget({ httpVersion, url = '', headers, rawHeaders }: RequestHead): boolean {
  let hosts = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] as string;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++;
  }
  if (!headers.host && httpVersion !== '1.0') return false;
  if (hosts > 1 || url.includes('#')) return false;
  if ((url.includes('/.') || url.includes('%2')) && DOT_SEGMENT.test(url)) return false;
  if (url.startsWith('/')) return true;
  if (!URL.canParse(url)) return false;
  const { protocol, host, username, password } = new URL(url);
  const own = `${protocol}//${headers.host}`;
  return URL.canParse(own) && host === new URL(own).host && username === '' && password === '';
}
