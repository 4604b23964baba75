import { Button, Group, Kbd } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import * as text from '#strings/findings/page/timeline.tsx';
import { useOrg } from '../../../app/session.ts';
import { Problem } from '../../../components/errors/Problem.tsx';
import { useShortcuts, useShortcutsOn } from '../../../components/keyboard/shortcuts.ts';
import { CommentField } from './CommentField.tsx';
import { useRefreshActivity } from './comments.ts';
import { useToStored } from './mention-completion.ts';

const HOTKEY = 'm';

/** A field for a new comment. */
export function NewComment({ findingId }: { findingId: string }) {
  const org = useOrg();
  const [body, setBody] = useState('');
  const [keys] = useShortcutsOn();
  const field = useRef<HTMLTextAreaElement>(null);
  const refresh = useRefreshActivity(findingId);
  const toStored = useToStored();
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
          rightSection={
            keys && (
              <Kbd size="xs" aria-hidden visibleFrom="sm">
                {body ? text.sendKeys : HOTKEY}
              </Kbd>
            )
          }
        >
          {text.comment}
        </Button>
      </Group>
    </form>
  );
}
