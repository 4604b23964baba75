import { Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import * as text from '#strings/findings/page.tsx';
import { unknownMember } from '#strings/members/unknown.ts';
import { useMe, useOrg } from '../../app/session.ts';
import { KeyButton } from '../../components/keyboard/KeyButton.tsx';
import { useShortcuts } from '../../components/keyboard/shortcuts.ts';
import { OrgAnchor } from '../../components/links.tsx';
import { Ago, Day } from '../../components/time/Time.tsx';
import { membersQuery } from '../../members/queries.ts';
import { useMayIn } from '../../projects/allowed-projects.ts';
import { StatusButtons } from '../../triage/StatusButtons.tsx';
import { REASON_NAMES } from '../../triage/texts.ts';
import type { TriageState } from '../../triage/use-triage.ts';
import type { Finding } from '../finding-queries.ts';
import { STATUS_NAMES } from '../Severity.tsx';
import { Fact } from './Facts.tsx';
import classes from './Finding.module.css';

interface Props {
  finding: Finding;
  triage: TriageState;
  /** Whether the list on the same page has the keys that set the status and open the form. */
  isInList?: boolean;
}

/** The decision about a finding, and everything that changes it. */
export function StatusPanel({ finding, triage, isInList = false }: Props) {
  const org = useOrg();
  const { user } = useMe();
  const mayTriage = useMayIn('updateFindings', finding.project_id);
  const { id, title, status, reason, assignee_id, due_at, accepted_until, status_changed_at } = finding;
  const members = useQuery({ ...membersQuery(org), enabled: assignee_id !== undefined });
  const isMine = assignee_id === user.id;
  const assignee = isMine ? user.name : members.data?.find((one) => one.user_id === assignee_id)?.name;
  const noName = members.isLoading ? text.loadingName : unknownMember(org.isLimited);

  const assignToMe = () => {
    if (!isMine) triage.run([{ id, title, assignee_id: user.id, assignee: text.you, if_status: status }]);
  };
  const unassign = () => triage.run([{ id, title, assignee_id: null, if_status: status }]);
  const edit = () => triage.decide([finding]);
  useShortcuts(mayTriage ? { a: assignToMe, e: isInList ? undefined : edit } : {});
  const since = <Ago time={status_changed_at} />;
  return (
    <section aria-labelledby="triage" className={classes.panel}>
      <Title order={2} id="triage">
        {text.triage}
      </Title>
      <StatusButtons finding={finding} triage={triage} hasKeys={!isInList} />
      <dl className={classes.properties}>
        <Fact name={reason ? text.reason : STATUS_NAMES[status]}>
          <Text span size="sm">
            {reason ? text.reasonAndTime(REASON_NAMES[reason], since) : since}
          </Text>
        </Fact>
        <Fact name={text.assignee}>
          {assignee_id === undefined ? (
            <Text span size="sm" c="dimmed">
              {text.nobody}
            </Text>
          ) : (
            <Text span size="sm">
              <bdi>{assignee ?? noName}</bdi>
            </Text>
          )}
          {/* The same button in both cases, so that it keeps the focus. */}
          {mayTriage && (
            <KeyButton {...look} hotkey={isMine ? undefined : 'a'} onClick={isMine ? unassign : assignToMe}>
              {isMine ? text.unassignMe : text.assignToMe}
            </KeyButton>
          )}
        </Fact>
        <Fact name={text.due}>
          <Text span size="sm" {...(due_at === undefined && { c: 'dimmed' })}>
            {due_at === undefined ? text.noDate : <Day time={due_at} />}
          </Text>
        </Fact>
        {accepted_until && (
          <Fact name={text.acceptedUntil}>
            <Text span size="sm">
              <Day time={accepted_until} />
            </Text>
          </Fact>
        )}
      </dl>
      {mayTriage && (
        <KeyButton {...look} hotkey="e" onClick={edit} aria-haspopup="dialog">
          {text.editOrAddNote}
        </KeyButton>
      )}
      {org.may('createRule') && (
        <OrgAnchor to="/o/$org/rules/new" search={{ from: id }} size="sm" className="no-print">
          {text.createRule}
        </OrgAnchor>
      )}
    </section>
  );
}

const look = { variant: 'default', fw: 500, 'data-print-hidden': true } as const;
