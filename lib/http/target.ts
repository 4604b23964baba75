/** The head of a request, as Node has read it. */
interface RequestHead {
  url?: string | undefined;
  headers: { host?: string | undefined };
  /** Names and values by turns. */
  rawHeaders: readonly string[];
}

const DOT_SEGMENT = /^[^?]*\/(?:\.|%2e){1,2}(?:[/?]|$)/i;

/**
 * Whether whoever reads a request reads the same target: one Host, the same in an absolute request line (RFC 9112, 3.2),
 * and a path without `.`, `..` and fragment. A proxy in front may have let it pass for another one than we serve.
 */
export function hasOneTarget({ url = '', headers, rawHeaders }: RequestHead): boolean {
  let hosts = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] as string;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++;
  }
  if (hosts > 1 || url.includes('#')) return false;
  if ((url.includes('/.') || url.includes('%2')) && DOT_SEGMENT.test(url)) return false;
  if (url.startsWith('/')) return true;
  const own = `http://${headers.host}`;
  if (!URL.canParse(url) || !URL.canParse(own)) return false;
  const { host, username, password } = new URL(url);
  return host === new URL(own).host && username === '' && password === '';
}
