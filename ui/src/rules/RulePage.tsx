import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { limitedToProjects } from '#strings/projects/limited.ts';
import * as text from '#strings/rules.tsx';
import { rolesAllowed } from '../app/roles.ts';
import { useOrg } from '../app/session.ts';
import { Empty } from '../components/Empty.tsx';
import { Loaded } from '../components/Loaded.tsx';
import { OrgAnchor } from '../components/links.tsx';
import { Page } from '../components/Page.tsx';
import { findingQuery } from '../findings/finding-queries.ts';
import { IconLock } from '../icons/icons.ts';
import { RuleForm } from './form/RuleForm.tsx';
import { rulesQuery } from './queries.ts';
import { valuesFrom, valuesOf } from './values.ts';

const newRoute = getRouteApi('/_signed-in/o/$org/rules/new');
const route = getRouteApi('/_signed-in/o/$org/rules/$id');

/** Creates a rule, with the values of a finding if the address names one. */
export function NewRule() {
  const org = useOrg();
  const { from } = newRoute.useSearch();
  const onSaved = useBack();
  const finding = useQuery({ ...findingQuery(org, from ?? ''), enabled: from !== undefined });
  return (
    <RoleCheck title={text.newRule}>
      {from === undefined ? (
        <RuleForm initial={valuesOf(undefined)} onSaved={onSaved} />
      ) : (
        <Loaded query={finding}>
          {(found) => <RuleForm key={found.id} initial={valuesFrom(found)} onSaved={onSaved} />}
        </Loaded>
      )}
    </RoleCheck>
  );
}

/** Edits a rule. */
export function EditRule() {
  const org = useOrg();
  const { id } = route.useParams();
  const onSaved = useBack();
  const rules = useQuery({ ...rulesQuery(org), enabled: org.may('listRules') });
  return (
    <RoleCheck title={text.editRule}>
      <Loaded query={rules}>
        {(list) => {
          const rule = list.find((one) => one.id === id);
          return rule ? (
            <RuleForm key={rule.updated_at} rule={rule} initial={valuesOf(rule)} onSaved={onSaved} />
          ) : (
            <Empty title={text.noSuchRule}>{text.mayBeDeleted}</Empty>
          );
        }}
      </Loaded>
    </RoleCheck>
  );
}

function useBack() {
  const navigate = newRoute.useNavigate();
  const { slug } = useOrg();
  return () => void navigate({ to: '/o/$org/rules', params: { org: slug } });
}

/** A page about rules; without its content for roles that may not manage rules. */
export function RoleCheck({
  title,
  actions,
  children,
}: {
  title: string;
  actions?: React.ReactNode;
  children: React.ReactNode;
}) {
  const org = useOrg();
  const description = title === text.rules && text.howRulesWork;
  return (
    <Page
      title={title}
      description={
        description || (
          <OrgAnchor to="/o/$org/rules" size="sm">
            {text.rules}
          </OrgAnchor>
        )
      }
      actions={org.may('listRules') && actions}
    >
      {org.may('listRules') ? (
        children
      ) : (
        <Empty icon={<IconLock />} title={text.notAllowed}>
          {org.isLimited ? limitedToProjects : text.onlyRolesManage(rolesAllowed('listRules'))}
        </Empty>
      )}
    </Page>
  );
}
