import { Button, Group, Skeleton, Stack, Title } from '@mantine/core';
import { useInfiniteQuery, useMutation, useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import * as text from '#strings/findings/page/timeline.tsx';
import { unknownMemberInSentence } from '#strings/members/unknown.ts';
import { useMe, useOrg } from '../../../app/session.ts';
import { Problem } from '../../../components/errors/Problem.tsx';
import { keyHint } from '../../../components/keyboard/KeyButton.tsx';
import { useShortcuts, useShortcutsOn } from '../../../components/keyboard/shortcuts.ts';
import { LoadMore } from '../../../components/LoadMore.tsx';
import { membersQuery } from '../../../members/queries.ts';
import { useMayIn } from '../../../projects/allowed-projects.ts';
import { type ActivityEntry, timelineQuery } from '../../finding-queries.ts';
import { CommentEntry } from './CommentEntry.tsx';
import { CommentField, useRefreshActivity, useToStored } from './CommentField.tsx';
import { Entry } from './Entry.tsx';
import classes from './Timeline.module.css';

/** Changes and comments of a finding, newest first. */
export function Timeline({ id, projectId }: { id: string; projectId: string }) {
  const org = useOrg();
  const mayComment = useMayIn('createComment', projectId);
  const { user } = useMe();
  const activity = useInfiniteQuery(timelineQuery(org, id));
  const entries = activity.data?.pages.flatMap((page) => page.entries) ?? [];
  const names = useNames(entries.some(({ kind }) => kind === 'assignee'));
  return (
    <section aria-labelledby="activity">
      <Title order={2} id="activity" mb="xs">
        {text.activity}
      </Title>
      <Stack gap="sm">
        {mayComment && <NewComment key={id} findingId={id} projectId={projectId} />}
        {activity.isPending && <Skeleton h={64} />}
        {activity.error && !activity.data && <Problem error={activity.error} onRetry={activity.refetch} />}
        <ol className={classes.entries} aria-label={text.newestFirst} tabIndex={-1}>
          {groupsOf(entries).map(([first, ...others]) =>
            first.kind === 'comment' ? (
              <CommentEntry
                key={first.id}
                findingId={id}
                projectId={projectId}
                entry={first}
                isOwn={first.actor.id === user.id && mayComment === true}
              />
            ) : (
              <Entry key={first.id} entries={[first, ...others]} nameOf={names} />
            ),
          )}
        </ol>
        <LoadMore list={activity} size="compact-md">
          {text.showOlder}
        </LoadMore>
      </Stack>
    </section>
  );
}

/** The entries of one request stand together. */
function groupsOf(entries: readonly ActivityEntry[]): [ActivityEntry, ...ActivityEntry[]][] {
  const groups: [ActivityEntry, ...ActivityEntry[]][] = [];
  // A comment that was added meanwhile moves entries to the next page.
  for (const entry of new Map(entries.map((entry) => [entry.id, entry])).values()) {
    const last = groups.at(-1);
    const isSame =
      last &&
      entry.kind !== 'comment' &&
      last[0].kind !== 'comment' &&
      last[0].at === entry.at &&
      last[0].actor.id === entry.actor.id;
    if (isSame) last.push(entry);
    else groups.push([entry]);
  }
  return groups;
}

/** The names of members by id. */
function useNames(isNeeded: boolean): (id: string) => string {
  const org = useOrg();
  const { data } = useQuery({ ...membersQuery(org), enabled: isNeeded });
  return (id) => data?.find(({ user_id }) => user_id === id)?.name ?? unknownMemberInSentence(org.isLimited);
}

const HOTKEY = 'm';

/** A field for a new comment. */
function NewComment({ findingId, projectId }: { findingId: string; projectId: string }) {
  const org = useOrg();
  const [body, setBody] = useState('');
  const [keys] = useShortcutsOn();
  const field = useRef<HTMLTextAreaElement>(null);
  const refresh = useRefreshActivity(findingId);
  const toStored = useToStored(projectId);
  const adding = useMutation({
    mutationFn: async (typed: string) => {
      const body = await toStored(typed);
      return org.api.post('/findings/{id}/comments', { params: { path: { id: findingId } }, body: { body } });
    },
    onSuccess: () => {
      setBody('');
      return refresh();
    },
  });
  const add = () => {
    if (body.trim() !== '' && !adding.isPending) adding.mutate(body);
  };
  useShortcuts({ [HOTKEY]: () => field.current?.focus() });
  return (
    <form
      data-print-hidden
      onSubmit={(event) => {
        event.preventDefault();
        add();
      }}
    >
      <CommentField
        ref={field}
        projectId={projectId}
        aria-label={text.comment}
        placeholder={text.howToComment}
        rows={body ? 4 : 2}
        value={body}
        onChange={setBody}
        onSend={add}
        onEscape={() => field.current?.blur()}
        {...(keys && { 'aria-keyshortcuts': HOTKEY })}
      />
      {adding.error && <Problem error={adding.error} onRetry={add} />}
      <Group justify="flex-end" mt={6}>
        <Button
          type="submit"
          size="compact-md"
          variant={body.trim() ? 'filled' : 'default'}
          disabled={body.trim() === ''}
          loading={adding.isPending}
          rightSection={keyHint(keys && (body ? text.sendKeys : HOTKEY))}
        >
          {text.comment}
        </Button>
      </Group>
    </form>
  );
}
