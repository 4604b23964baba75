import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import * as text from '#strings/findings/page/timeline.tsx';
import { reasonInSentence } from '#strings/triage.tsx';
import type { Severity } from '../../../app/search.ts';
import { OrgAnchor } from '../../../components/links.tsx';
import { Ago, Day } from '../../../components/time/Time.tsx';
import { scanName } from '../../../scans/scan-name.ts';
import type { ActivityEntry } from '../../finding-queries.ts';
import { SEVERITY_NAMES, statusName } from '../../Severity.tsx';
import classes from './Timeline.module.css';

interface Props {
  /** The entries of one request. */
  entries: readonly ActivityEntry[];
  nameOf(userId: string): string;
}

const CAUSES: ReadonlySet<string> = new Set(['status', 'regressed', 'merged', 'missing']);

/** The entries of one request: the cause first, then what belongs to it. */
export function causeFirst<T extends Pick<ActivityEntry, 'kind'>>(entries: readonly T[]): T[] {
  const isCause = ({ kind }: T) => CAUSES.has(kind);
  return entries.toSorted((a, b) => Number(isCause(b)) - Number(isCause(a)));
}

/** A change or comment of a finding, in one sentence. */
export function Entry({ entries, nameOf }: Props) {
  const [first] = entries;
  if (!first) return null;
  const note = entries.find((entry) => entry.note)?.note;
  return (
    <li className={classes.entry}>
      <Text size="sm">
        {text.didAll(
          <ActorName actor={first.actor} />,
          causeFirst(entries).map((entry) => {
            const action = actionOf(entry, nameOf);
            return entry.reason ? text.because(action, reasonInSentence(entry.reason)) : action;
          }),
          <Text span size="xs" c="dimmed">
            {first.scan && text.inScan(<CauseLink scan={first.scan} />)}{' '}
            <span className={classes.time}>
              <Ago time={first.at} />
            </span>
          </Text>,
        )}
      </Text>
      {note && (
        <Text size="sm" className={classes.note}>
          <bdi>{note}</bdi>
        </Text>
      )}
    </li>
  );
}

/** The scan that caused an entry. */
export function CauseLink({ scan: { id, name } }: { scan: NonNullable<ActivityEntry['scan']> }) {
  // A deleted scan has no page.
  if (name === undefined) return text.deletedScan;
  return (
    <OrgAnchor to="/o/$org/scans/$id" params={{ id }} inherit underline="always">
      <bdi>{scanName({ name })}</bdi>
    </OrgAnchor>
  );
}

/** The author of an entry. */
export function ActorName({ actor: { type, name } }: Pick<ActivityEntry, 'actor'>) {
  const said = (
    <strong>
      <bdi>{type === 'system' ? text.theService : (name ?? text.formerUser)}</bdi>
    </strong>
  );
  if (type === 'token') return text.apiToken(said);
  return type === 'rule' ? text.rule(said) : said;
}

/** The action of an entry, in words. */
export function actionOf({ kind, from, to, actor }: ActivityEntry, nameOf: Props['nameOf']): ReactNode {
  switch (kind) {
    case 'created':
      return text.foundIt;
    case 'regressed':
      return text.sawAgain;
    case 'merged':
      return text.merged;
    case 'missing':
      return text.isMissing;
    case 'matched':
      return text.matched;
    case 'moved':
      return text.moved(from, to);
    case 'severity':
      return text.changedSeverity(severity(from), severity(to));
    case 'status':
      return from === to ? text.keptStatus(status(to)) : text.changedStatus(status(from), status(to));
    case 'assignee':
      if (to === undefined) return text.removedAssignee;
      if (to === actor.id) return text.tookItOn;
      return text.assignedTo(nameOf(to));
    case 'due_at':
      return to === undefined ? text.removedDueDate : text.setDueDate(<Day time={to} />);
    case 'accepted_until':
      return to === undefined ? text.noLongerAccepts : text.acceptedUntil(<Day time={to} />);
    case 'exploit':
      return text.attachedExploit(to);
    default:
      return text.changedIt;
  }
}

const status = (value: string | undefined) => value && statusName(value);
const severity = (value: string | undefined) => SEVERITY_NAMES[value as Severity] ?? value;
