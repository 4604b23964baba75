import { useNavigate, useRouteContext } from '@tanstack/react-router';
import * as deletion from '#strings/deletion.tsx';
import { dueDates } from '#strings/due-dates.ts';
import { integrations } from '#strings/integrations.tsx';
import { retention } from '#strings/retention.ts';
import * as text from '#strings/settings.ts';
import { singleSignOn } from '#strings/sso.tsx';
import { webhooks } from '#strings/webhooks.tsx';
import { api } from '../app/api.ts';
import { useOrg } from '../app/session.ts';
import { showSuccess } from '../components/errors/toasts.ts';
import { NameCard, SlugCard } from '../components/forms/NameCards.tsx';
import { orgSlugProblem } from '../components/forms/rules.ts';
import { SettingsSections } from '../components/forms/SettingsSections.tsx';
import { OrgButton } from '../components/links.tsx';
import { Page } from '../components/Page.tsx';
import { DeletionCard } from '../deletion/TypedConfirmation.tsx';
import { OrgDueDates } from '../due-dates/OrgDueDates.tsx';
import { IconHistory } from '../icons/icons.ts';
import { Integrations } from '../integrations/Integrations.tsx';
import { useRefreshUser } from '../profile/queries.ts';
import { OrgRetention } from '../retention/OrgRetention.tsx';
import { Connections } from '../sso/Connections.tsx';
import { Domains } from '../sso/Domains.tsx';
import { Provisioning } from '../sso/Provisioning.tsx';
import { Webhooks } from '../webhooks/Webhooks.tsx';
import { AccessLimits } from './AccessLimits.tsx';
import { Features, ViewerTokens } from './Features.tsx';
import { Storage } from './Storage.tsx';
import { TokenRules } from './TokenRules.tsx';

/** The settings of the organization. */
export function Settings() {
  const { isLimited, may, role } = useOrg();
  const isOwner = role === 'owner';
  const general = (
    <>
      <OrgName />
      <OrgSlug />
    </>
  );
  const security = (
    <>
      <Features />
      <ViewerTokens />
      <AccessLimits />
    </>
  );
  const sections = [
    ...(isOwner || (role === 'admin' && !isLimited)
      ? [{ id: 'general', label: text.general, content: general }]
      : []),
    { id: 'due-dates', label: dueDates, content: <OrgDueDates /> },
    { id: 'retention', label: retention, content: <OrgRetention /> },
    ...(may('getStorage') ? [{ id: 'storage', label: text.storage, content: <Storage /> }] : []),
    { id: 'security', label: text.security, content: security },
    ...(isOwner ? [{ id: 'sso', label: singleSignOn, content: <SingleSignOn /> }] : []),
    ...(may('listIntegrations')
      ? [{ id: 'integrations', label: integrations, content: <Integrations /> }]
      : []),
    ...(may('listWebhooks') ? [{ id: 'webhooks', label: webhooks, content: <Webhooks /> }] : []),
    { id: 'tokens', label: text.tokenRules, content: <TokenRules /> },
    ...(isOwner ? [{ id: 'delete', label: deletion.deleteOrg, content: <DeleteOrg /> }] : []),
  ];
  return (
    <Page
      title={text.settings}
      description={text.whatSettingsApplyTo}
      actions={
        may('listAudit') && (
          <OrgButton to="/o/$org/audit" variant="default" leftSection={<IconHistory size={16} aria-hidden />}>
            {text.auditLog}
          </OrgButton>
        )
      }
    >
      <SettingsSections sections={sections} />
    </Page>
  );
}

const SingleSignOn = () => (
  <>
    <Connections />
    <Domains />
    <Provisioning />
  </>
);

/** Deletes the organization, after its slug was typed. For owners. */
function DeleteOrg() {
  const { org, role } = useOrg();
  const navigate = useNavigate();
  const refresh = useRefreshUser();
  const { name, slug } = org;
  if (role !== 'owner') return null;
  return (
    <DeletionCard
      label={deletion.deleteOrg}
      ask={deletion.deleteOrgAsk}
      consequences={deletion.orgIsGone}
      title={<bdi>{deletion.deleteThisOrg(name)}</bdi>}
      word={slug}
      onConfirm={async () => {
        await api.delete('/orgs/{slug}', { params: { path: { slug } }, body: { confirm: slug } });
        showSuccess(deletion.orgDeleted(name));
        await navigate({ to: '/orgs', replace: true });
        await refresh();
      }}
    />
  );
}

/** The name of the organization, for owners and admins. */
function OrgName() {
  const { org, slug, role } = useOrg();
  const refresh = useRefreshUser();
  if (role !== 'owner' && role !== 'admin') return null;
  return (
    <NameCard
      name={org.name}
      description={text.nameIsShown}
      save={async (name) => {
        const { result } = await api.patch('/orgs/{slug}', { params: { path: { slug } }, body: { name } });
        await refresh();
        return result.name;
      }}
    />
  );
}

/** The slug of the organization, for owners. The page is loaded again at its new address. */
function OrgSlug() {
  const { slug, role } = useOrg();
  const site = useRouteContext({ from: '__root__', select: ({ site }) => site });
  if (role !== 'owner') return null;
  return (
    <SlugCard
      slug={slug}
      description={text.slugIsAddress}
      problemOf={(value) => orgSlugProblem(value) ?? null}
      refusals={{ slug_taken: text.slugTaken, slug_reserved: text.slugReserved }}
      save={async (next) => {
        const body = { slug: next };
        const { result } = await api.patch('/orgs/{slug}', { params: { path: { slug } }, body });
        localStorage.setItem('org', result.slug);
        location.assign(site.orgUrl(result.slug, '/settings'));
        return result.slug;
      }}
    />
  );
}
