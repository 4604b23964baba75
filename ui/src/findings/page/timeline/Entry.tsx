import { Text } from '@mantine/core';
import { Fragment, type ReactNode } from 'react';
import type { FindingStatus, Severity } from '../../../app/search.ts';
import { Ago } from '../../../components/time/Time.tsx';
import { dateOf, REASON_NAMES } from '../../../triage/texts.ts';
import type { ActivityEntry } from '../../finding-queries.ts';
import { SEVERITY_NAMES, STATUS_NAMES } from '../../Severity.tsx';
import classes from './Timeline.module.css';

interface Props {
  /** The entries of one request. */
  entries: readonly ActivityEntry[];
  nameOf(userId: string): string | undefined;
}

/** A change or comment of a finding, in one sentence. */
export function Entry({ entries, nameOf }: Props) {
  const [first] = entries;
  if (!first) return null;
  // The cause first, then what belongs to it.
  const isCause = ({ kind }: ActivityEntry) => kind === 'status' || kind === 'regressed';
  const sorted = entries.toSorted((a, b) => Number(isCause(b)) - Number(isCause(a)));
  const note = entries.find((entry) => entry.note)?.note;
  return (
    <li className={classes.entry}>
      <Text size="sm">
        <ActorName actor={first.actor} />{' '}
        {sorted.map((entry, i) => (
          <Fragment key={entry.id}>
            {i > 0 && (i === sorted.length - 1 ? ' and ' : ', ')}
            {actionOf(entry, nameOf)}
            {entry.reason && ` (${REASON_NAMES[entry.reason].toLowerCase()})`}
          </Fragment>
        ))}{' '}
        <Text span size="xs" c="dimmed" className={classes.time}>
          <Ago time={first.at} />
        </Text>
      </Text>
      {note && (
        <Text size="sm" className={classes.note}>
          <bdi>{note}</bdi>
        </Text>
      )}
    </li>
  );
}

/** The author of an entry. */
export function ActorName({ actor: { type, name } }: Pick<ActivityEntry, 'actor'>) {
  const said = type === 'system' ? 'The service' : (name ?? 'A former user');
  return (
    <>
      <strong>
        <bdi>{said}</bdi>
      </strong>
      {type === 'token' && ' (API token)'}
      {type === 'rule' && ' (rule)'}
    </>
  );
}

function actionOf({ kind, from, to, actor }: ActivityEntry, nameOf: Props['nameOf']): ReactNode {
  switch (kind) {
    case 'created':
      return 'found it';
    case 'regressed':
      return 'saw it again after it was fixed';
    case 'severity':
      return `changed the severity from ${severity(from)} to ${severity(to)}`;
    case 'status':
      return from === to
        ? `kept the status ${status(to)}`
        : `changed the status from ${status(from)} to ${status(to)}`;
    case 'assignee':
      if (to === undefined) return 'removed the assignee';
      if (to === actor.id) return 'took it on';
      return (
        <>
          assigned it to <bdi>{nameOf(to) ?? 'a former member'}</bdi>
        </>
      );
    case 'due_at':
      return to === undefined ? 'removed the due date' : `set the due date to ${dateOf(to)}`;
    case 'accepted_until':
      return to === undefined ? 'no longer accepts the risk' : `accepted the risk until ${dateOf(to)}`;
    case 'exploit':
      return (
        <>
          attached the exploit <bdi>{to}</bdi>
        </>
      );
    default:
      return 'changed it';
  }
}

const status = (value: string | undefined) => STATUS_NAMES[value as FindingStatus] ?? value;
const severity = (value: string | undefined) => SEVERITY_NAMES[value as Severity] ?? value;
