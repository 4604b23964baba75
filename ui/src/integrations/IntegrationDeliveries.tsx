import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import * as text from '#strings/integrations.tsx';
import { deliveries } from '#strings/webhooks.tsx';
import { rolesAllowed } from '../app/roles.ts';
import { useOrg } from '../app/session.ts';
import { Empty } from '../components/Empty.tsx';
import { Loaded } from '../components/Loaded.tsx';
import { OrgAnchor } from '../components/links.tsx';
import { Page } from '../components/Page.tsx';
import { IconHistory, IconLock } from '../icons/icons.ts';
import { DeliveryLog } from '../webhooks/DeliveryLog.tsx';
import { IntegrationMenu } from './Integrations.tsx';
import { integrationsQuery } from './queries.ts';

const route = getRouteApi('/_signed-in/o/$org/integrations/$id');

/** The log of deliveries of an integration, for admins. */
export function IntegrationDeliveries() {
  const org = useOrg();
  const { id } = route.useParams();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const may = org.may('listIntegrations');
  const integrations = useQuery({ ...integrationsQuery(org), enabled: may });
  if (!may)
    return (
      <Page title={deliveries}>
        <Empty icon={<IconLock />} title={text.whoSeesThem(rolesAllowed('listIntegrations'))} />
      </Page>
    );
  return (
    <Loaded query={integrations}>
      {(list) => {
        const integration = list.find((one) => one.id === id);
        const back = () => navigate({ to: '/o/$org/settings', hash: 'integrations' });
        if (integration)
          return (
            <DeliveryLog
              group="integrations"
              destination={integration}
              name={integration.name}
              backTo={text.backToIntegrations}
              menu={<IntegrationMenu integration={integration} onDeleted={back} />}
              search={search}
              onSearch={(next, resetScroll) => navigate({ search: next, resetScroll })}
            />
          );
        return (
          <Page title={deliveries}>
            <Empty icon={<IconHistory />} title={text.noSuchIntegration}>
              <OrgAnchor to="/o/$org/settings" hash="integrations">
                {text.backToIntegrations}
              </OrgAnchor>
            </Empty>
          </Page>
        );
      }}
    </Loaded>
  );
}
