/** The path of an address below another; empty if it is not below. */
export function pathIn(base: string, text: string): string {
  if (!URL.canParse(text)) return '';
  const { origin, pathname } = new URL(text);
  const root = new URL(base);
  const prefix = root.pathname.replace(/\/$/, '');
  return origin === root.origin && pathname.startsWith(`${prefix}/`) ? pathname.slice(prefix.length) : '';
}
