import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import * as text from '#strings/webhooks.tsx';
import { rolesAllowed } from '../app/roles.ts';
import { useOrg } from '../app/session.ts';
import { Empty } from '../components/Empty.tsx';
import { Loaded } from '../components/Loaded.tsx';
import { OrgAnchor } from '../components/links.tsx';
import { Page } from '../components/Page.tsx';
import { IconHistory, IconLock } from '../icons/icons.ts';
import { DeliveryLog } from './DeliveryLog.tsx';
import { webhooksQuery } from './queries.ts';
import { WebhookMenu } from './Webhooks.tsx';

const route = getRouteApi('/_signed-in/o/$org/webhooks/$id');

/** The log of deliveries of a webhook, for admins. */
export function Deliveries() {
  const org = useOrg();
  const { id } = route.useParams();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const may = org.may('listWebhooks');
  const webhooks = useQuery({ ...webhooksQuery(org), enabled: may });
  if (!may)
    return (
      <Page title={text.deliveries}>
        <Empty icon={<IconLock />} title={text.whoSeesThem(rolesAllowed('listWebhooks'))} />
      </Page>
    );
  return (
    <Loaded query={webhooks}>
      {(list) => {
        const webhook = list.find((one) => one.id === id);
        const back = () => navigate({ to: '/o/$org/settings', hash: 'webhooks' });
        if (webhook)
          return (
            <DeliveryLog
              group="webhooks"
              destination={webhook}
              name={new URL(webhook.url).host}
              backTo={text.backToWebhooks}
              menu={<WebhookMenu webhook={webhook} onDeleted={back} />}
              search={search}
              onSearch={(next, resetScroll) => navigate({ search: next, resetScroll })}
            />
          );
        return (
          <Page title={text.deliveries}>
            <Empty icon={<IconHistory />} title={text.noSuchWebhook}>
              <OrgAnchor to="/o/$org/settings" hash="webhooks">
                {text.backToWebhooks}
              </OrgAnchor>
            </Empty>
          </Page>
        );
      }}
    </Loaded>
  );
}
