import { ActionIcon, Button, Group, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Suspense, useEffect, useRef, useState } from 'react';
import * as words from '#strings/findings/page/timeline.tsx';
import { toTyped } from '../../../../../lib/findings/triage/mentions.ts';
import { useOrg } from '../../../app/session.ts';
import { useConfirmed } from '../../../components/dialogs/use-confirmed.ts';
import { Problem } from '../../../components/errors/Problem.tsx';
import { Tip } from '../../../components/floating/Tip.tsx';
import { TextSkeleton } from '../../../components/text/TextSkeleton.tsx';
import { Ago } from '../../../components/time/Time.tsx';
import { IconPencil, IconTrash } from '../../../icons/icons.ts';
import type { ActivityEntry } from '../../finding-queries.ts';
import { MarkdownText } from '../FindingText.tsx';
import { CommentField, useMentionable, useRefreshActivity, useToStored } from './CommentField.tsx';
import { ActorName } from './Entry.tsx';
import classes from './Timeline.module.css';

/** The same array each time, so that the text is not rendered again. */
const NOBODY: readonly [] = [];

interface Props {
  findingId: string;
  /** The project of the finding. */
  projectId: string;
  entry: ActivityEntry;
  /** Whether the user wrote it and may change it. */
  isOwn: boolean;
}

/** A comment, which its author can edit and delete. */
export function CommentEntry({ findingId, projectId, entry, isOwn }: Props) {
  const org = useOrg();
  const [edits, setEdits] = useState(false);
  const editButton = useRef<HTMLButtonElement>(null);
  const edited = useRef(false);
  const item = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (edited.current && !edits) editButton.current?.focus();
    edited.current = edits;
  }, [edits]);
  const refresh = useRefreshActivity(findingId);
  const path = { id: findingId, commentId: entry.id };
  const removing = useConfirmed({
    title: words.deleteThis,
    children: words.cannotBeRestored,
    confirm: words.deleteComment,
    color: 'red',
    mutationFn: () => org.api.delete('/findings/{id}/comments/{commentId}', { params: { path } }),
    onSuccess() {
      // The buttons of this comment are about to disappear.
      item.current?.closest('ol')?.focus();
      return refresh();
    },
  });
  const mentionable = useMentionable(projectId, isOwn && entry.mentions !== undefined);
  const { note = '', at, edited_at } = entry;
  return (
    <li className={classes.comment} ref={item}>
      <Group justify="space-between" wrap="nowrap" gap="xs">
        <Text size="sm">
          {words.commented(
            <ActorName actor={entry.actor} />,
            <Text span size="xs" c="dimmed">
              {edited_at ? words.timeAndEdit(<Ago time={at} />, <Ago time={edited_at} />) : <Ago time={at} />}
            </Text>,
          )}
        </Text>
        {isOwn && !edits && (
          <Group gap={2} wrap="nowrap" data-print-hidden>
            <Tip label={words.edit}>
              <ActionIcon
                ref={editButton}
                variant="subtle"
                color="gray"
                aria-label={words.editComment}
                onClick={() => setEdits(true)}
              >
                <IconPencil size={16} />
              </ActionIcon>
            </Tip>
            <Tip label={words.deleteItem}>
              <ActionIcon
                variant="subtle"
                color="gray"
                aria-label={words.deleteComment}
                loading={removing.isPending}
                onClick={removing.ask}
              >
                <IconTrash size={16} />
              </ActionIcon>
            </Tip>
          </Group>
        )}
      </Group>
      {edits ? (
        <EditComment
          path={path}
          projectId={projectId}
          text={toTyped(note, mentionable)}
          onDone={() => setEdits(false)}
        />
      ) : (
        <Suspense fallback={<TextSkeleton />}>
          <MarkdownText key={note} text={note} mentions={entry.mentions ?? NOBODY} />
        </Suspense>
      )}
    </li>
  );
}

interface EditProps {
  path: { id: string; commentId: string };
  projectId: string;
  text: string;
  onDone(): void;
}

function EditComment({ path, projectId, text, onDone }: EditProps) {
  const org = useOrg();
  const [body, setBody] = useState(text);
  const toStored = useToStored(projectId);
  const refresh = useRefreshActivity(path.id);
  const saving = useMutation({
    mutationFn: async (typed: string) => {
      const body = await toStored(typed);
      return org.api.patch('/findings/{id}/comments/{commentId}', { params: { path }, body: { body } });
    },
    onSuccess: async () => {
      await refresh();
      onDone();
    },
  });
  const save = () => {
    if (body.trim() === '' || saving.isPending) return;
    if (body.trim() === text) onDone();
    else saving.mutate(body);
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
    >
      <CommentField
        projectId={projectId}
        aria-label={words.editComment}
        rows={4}
        value={body}
        autoFocus
        onChange={setBody}
        onSend={save}
        onEscape={onDone}
      />
      {saving.error && <Problem error={saving.error} onRetry={save} />}
      <Group justify="flex-end" gap="xs" mt={6}>
        <Button variant="default" size="compact-md" onClick={onDone}>
          {words.cancel}
        </Button>
        <Button type="submit" size="compact-md" loading={saving.isPending} disabled={body.trim() === ''}>
          {words.save}
        </Button>
      </Group>
    </form>
  );
}
