import { Outlet, useMatches, useRouter } from '@tanstack/react-router';
import { UnknownParameters } from '../app/address.ts';
import { type Given, misunderstood } from '../app/search.ts';
import { ProblemPage } from '../components/errors/Problem.tsx';

/**
 * The page of the address. An address with parameters that the page does not understand gets an error instead: without one of its
 * filters, a list would show more than the address says.
 */
export function AddressedPage() {
  const { routesById } = useRouter();
  const match = useMatches({ select: (matches) => matches.at(-1) });
  const { validateSearch } = (match && routesById[match.routeId].options) ?? {};
  const parse = (validateSearch ?? (() => ({}))) as (given: Given) => object;
  const given = (match?.search ?? {}) as Given;
  const names = misunderstood(given, parse);
  return names.length === 0 ? <Outlet /> : <ProblemPage error={new UnknownParameters(names, given)} />;
}
