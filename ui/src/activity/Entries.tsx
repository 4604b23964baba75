import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import * as text from '#strings/activity.ts';
import * as timeline from '#strings/findings/page/timeline.tsx';
import { unknownMemberInSentence } from '#strings/members/unknown.ts';
import { reasonInSentence } from '#strings/triage.tsx';
import { toTyped } from '../../../lib/findings/triage/mentions.ts';
import { useOrg } from '../app/session.ts';
import { OrgAnchor } from '../components/links.tsx';
import { Ago } from '../components/time/Time.tsx';
import { ActorName, actionOf, CauseLink, causeFirst } from '../findings/page/timeline/Entry.tsx';
import { SeverityMark } from '../findings/Severity.tsx';
import { titleOf } from '../findings/title.ts';
import { ALL } from '../findings/views.ts';
import { membersQuery } from '../members/queries.ts';
import { projectsQuery } from '../projects/queries.ts';
import classes from './Activity.module.css';
import { type ActivityGroup, groupsOf } from './groups.ts';
import type { OrgActivityEntry } from './queries.ts';

/** The titles that a change of many findings shows. */
const SHOWN = 3;

interface Props {
  entries: readonly OrgActivityEntry[];
  /** The number of items shown. */
  most?: number;
}

/** Entries of the activity of all findings. A change of many findings by one request is one item. */
export function Entries({ entries, most }: Props) {
  const org = useOrg();
  const members = useQuery(membersQuery(org)).data ?? [];
  const projects = useQuery(projectsQuery(org)).data ?? [];
  const nameOf = (id: string) =>
    members.find(({ user_id }) => user_id === id)?.name ?? unknownMemberInSentence(org.isLimited);
  const mentionable = members.map(({ user_id: id, name }) => ({ id, name }));
  return (
    <ol className={classes.list} aria-label={text.newestFirst}>
      {groupsOf(entries)
        .slice(0, most)
        .map((group) => {
          const { entries: own, findings } = group;
          const [first] = own;
          const note = own.find((entry) => entry.note)?.note;
          const project = projects.find(({ id }) => id === findings[0].project_id)?.name;
          return (
            <li key={`${findings[0].id} ${first.id}`} className={classes.item}>
              <Text size="sm">
                <Sentence group={group} nameOf={nameOf} />
              </Text>
              {note && (
                <Text size="sm" className={classes.note} lineClamp={3}>
                  <bdi>{first.kind === 'comment' ? toTyped(note, mentionable) : note}</bdi>
                </Text>
              )}
              <Findings group={group} project={project} />
            </li>
          );
        })}
    </ol>
  );
}

interface SentenceProps {
  group: ActivityGroup;
  nameOf(userId: string): string;
}

function Sentence({ group: { entries }, nameOf }: SentenceProps) {
  const [first] = entries;
  const time = (
    <Text span size="xs" c="dimmed">
      {first.scan && timeline.inScan(<CauseLink scan={first.scan} />)} <Ago time={first.at} />
    </Text>
  );
  if (first.kind === 'comment') return timeline.commented(<ActorName actor={first.actor} />, time);
  return timeline.didAll(
    <ActorName actor={first.actor} />,
    causeFirst(entries).map((entry) => {
      const action = actionOf(entry, nameOf);
      return entry.reason ? timeline.because(action, reasonInSentence(entry.reason)) : action;
    }),
    time,
  );
}

function Findings({
  group: { entries, findings },
  project,
}: {
  group: ActivityGroup;
  project: string | undefined;
}) {
  const [{ at, actor }] = entries;
  const more = findings.length - SHOWN;
  return (
    <>
      {findings.slice(0, more === 1 ? SHOWN + 1 : SHOWN).map((finding) => (
        <div key={finding.id} className={classes.finding}>
          <SeverityMark severity={finding.severity} />
          <Text size="sm" component="div" className={classes.title}>
            <OrgAnchor to="/o/$org/findings/$id" params={{ id: finding.id }} inherit>
              <bdi>{titleOf(finding.title)}</bdi>
            </OrgAnchor>
            {findings.length === 1 && project !== undefined && (
              <Text span size="xs" c="dimmed">
                {' '}
                <bdi>{project}</bdi>
              </Text>
            )}
          </Text>
        </div>
      ))}
      {more > 1 && (
        <OrgAnchor
          to="/o/$org/findings"
          // The findings of this request.
          search={{
            ...ALL,
            changed_after: at,
            changed_before: new Date(Date.parse(at) + 1).toISOString(),
            ...(actor.id !== undefined && { changed_by: actor.id }),
          }}
          size="sm"
        >
          {text.allOfThis}
        </OrgAnchor>
      )}
    </>
  );
}
