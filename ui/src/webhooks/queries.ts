import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { Schemas } from '../app/api.ts';
import { type Given, oneOf, wholeNumber, withoutUndefined } from '../app/search.ts';
import type { OrgSession } from '../app/session.ts';

export type Webhook = Schemas['Webhook'];
export type Delivery = Schemas['Delivery'];

export const STATES = ['pending', 'delivered', 'failed'] as const;

/** The parameters of the page of deliveries. */
export interface DeliveriesSearch {
  state?: Delivery['state'];
  page?: number;
}

export const deliveriesSearch = (given: Given): DeliveriesSearch =>
  withoutUndefined<DeliveriesSearch>({ state: oneOf(STATES, given.state), page: wholeNumber(given.page) });

/** Destinations that have deliveries. */
export type DestinationGroup = 'integrations' | 'webhooks';

/** The fields that the log of deliveries needs of a webhook or an integration. */
export type Destination = Pick<Webhook, 'id' | 'enabled' | 'disabled_reason' | 'failures'>;

/** The beginning of the keys of all queries of a group. */
export const destinationsKey = ({ slug }: OrgSession, group: DestinationGroup) => ['org', slug, group];

export const webhooksQuery = (org: OrgSession) =>
  queryOptions({
    queryKey: destinationsKey(org, 'webhooks'),
    queryFn: async ({ signal }) => (await org.api.get('/webhooks', { signal })).result,
  });

const PER_PAGE = 50;
const POLL_MS = 3_000;

/** A page of the deliveries of a webhook or an integration. It is read again while one of them is pending and soon due. */
export const deliveriesQuery = (
  org: OrgSession,
  group: DestinationGroup,
  id: string,
  { state, page = 1 }: DeliveriesSearch,
) =>
  queryOptions({
    queryKey: [...destinationsKey(org, group), id, 'deliveries', state, page],
    queryFn: async ({ signal }) => {
      const query = { page, per_page: PER_PAGE, ...(state && { state: [state] }) };
      const params = { path: { id }, query };
      const { result, resultInfo } = await org.api.get(`/${group}/{id}/deliveries`, { params, signal });
      const { total = 0, total_pages: pages = 0 } = resultInfo ?? {};
      return { deliveries: result, total, pages };
    },
    placeholderData: keepPreviousData,
    staleTime: 0,
    refetchInterval: ({ state: { data } }) => (data?.deliveries.some(isDue) ? POLL_MS : false),
  });

const isDue = ({ state, next_at }: Delivery) =>
  state === 'pending' && (next_at === undefined || Date.parse(next_at) < Date.now() + 10 * POLL_MS);

/** Sends a delivery again. */
export const redeliver = (
  org: OrgSession,
  group: DestinationGroup,
  path: { id: string; deliveryId: string },
) => org.api.post(`/${group}/{id}/deliveries/{deliveryId}/redeliver`, { params: { path } });
