import * as text from '#strings/app.ts';
import type { Given } from './search.ts';

/** The address has parameters that its page does not have, or with values that it does not take. */
export class UnknownParameters extends Error {
  readonly names: readonly string[];
  constructor(names: readonly string[], given: Given) {
    super(text.unknownParameters(names.map((name) => shortened(`${name}=${given[name]}`))));
    this.name = 'UnknownParameters';
    this.names = names;
  }
}

const MAX_SHOWN = 80;
const shortened = (text: string) => (text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text);

/** An address without some of its parameters; undefined if it has none of them. */
export function addressWithout(
  names: readonly string[],
  { pathname, search }: { pathname: string; search: string },
): string | undefined {
  const parameters = new URLSearchParams(search);
  const given = names.filter((name) => parameters.has(name));
  if (given.length === 0) return undefined;
  for (const name of given) parameters.delete(name);
  return parameters.size === 0 ? pathname : `${pathname}?${parameters}`;
}
