import { Text, Textarea, type TextareaProps, VisuallyHidden } from '@mantine/core';
import { useMergedRef } from '@mantine/hooks';
import { type KeyboardEvent, type Ref, useId, useLayoutEffect, useRef, useState } from 'react';
import * as words from '#strings/findings/page/timeline.tsx';
import { typedMention } from '../../../../../lib/findings/triage/mentions.ts';
import { CompletionPlace, Completions, completedBy } from '../../../components/forms/Completions.tsx';
import { MAX_COMMENT } from './comments.ts';
import { completeMention, type MentionStart, mentionBefore, useMentionable } from './mention-completion.ts';
import classes from './Timeline.module.css';

interface Props
  extends Pick<TextareaProps, 'aria-label' | 'placeholder' | 'rows' | 'autoFocus' | 'aria-keyshortcuts'> {
  value: string;
  onChange(text: string): void;
  onSend(): void;
  onEscape(): void;
  ref?: Ref<HTMLTextAreaElement>;
}

const SOME = 6;

/** The text of a comment. After `@` it suggests members: arrow keys choose, Enter or Tab inserts, Escape closes. */
export function CommentField({ value, onChange, onSend, onEscape, ref, ...others }: Props) {
  const id = useId();
  const field = useRef<HTMLTextAreaElement>(null);
  const [start, setStart] = useState<MentionStart>();
  const [chosen, setChosen] = useState(0);
  /** The position of the cursor after a completion. */
  const caret = useRef<number>(undefined);
  const members = useMentionable(value.includes('@'));
  const wanted = start?.text.toLowerCase() ?? '';
  const options =
    start === undefined
      ? []
      : members
          .filter(({ name, email }) => `${name}\n${email}`.toLowerCase().includes(wanted))
          .slice(0, SOME);
  const [only, another] = options;
  const isComplete = only && !another && typedMention(only, members) === `@${start?.text}`;
  const isOpen = options.length > 0 && !isComplete;

  useLayoutEffect(() => {
    if (caret.current !== undefined) field.current?.setSelectionRange(caret.current, caret.current);
    caret.current = undefined;
  });

  function look(element: HTMLTextAreaElement): void {
    const { selectionStart, selectionEnd } = element;
    const found = selectionStart === selectionEnd ? mentionBefore(element.value, selectionStart) : undefined;
    if (found?.at !== start?.at || found?.text !== start?.text) setChosen(0);
    setStart(found);
  }

  function insert(index: number): void {
    const member = options[index];
    if (!member || !start) return;
    const completed = completeMention(value, start, typedMention(member, members));
    onChange(completed.text);
    caret.current = completed.caret;
    setStart(undefined);
    field.current?.focus();
  }

  function onKeyDown(event: KeyboardEvent<HTMLTextAreaElement>): void {
    const isSend = event.key === 'Enter' && (event.ctrlKey || event.metaKey);
    const action = isSend
      ? onSend
      : isOpen
        ? inList[event.key]
        : event.key === 'Escape'
          ? onEscape
          : undefined;
    if (!action) return;
    event.preventDefault();
    // Escape would also leave the finding.
    event.stopPropagation();
    action();
  }
  const inList: Readonly<Record<string, () => void>> = {
    ArrowDown: () => setChosen((chosen + 1) % options.length),
    ArrowUp: () => setChosen((chosen + options.length - 1) % options.length),
    Enter: () => insert(chosen),
    Tab: () => insert(chosen),
    Escape: () => setStart(undefined),
  };
  return (
    <CompletionPlace>
      <Textarea
        {...others}
        ref={useMergedRef(field, ref)}
        maxLength={MAX_COMMENT}
        value={value}
        onChange={({ currentTarget }) => {
          onChange(currentTarget.value);
          look(currentTarget);
        }}
        onSelect={({ currentTarget }) => look(currentTarget)}
        onBlur={() => setStart(undefined)}
        onKeyDown={onKeyDown}
        {...completedBy(id, isOpen, chosen)}
      />
      <VisuallyHidden role="status">{isOpen && words.membersToMention(options.length)}</VisuallyHidden>
      {isOpen && (
        <Completions
          id={id}
          label={words.members}
          options={options}
          keyOf={(member) => member.id}
          chosen={chosen}
          onInsert={insert}
        >
          {(member) => (
            <>
              <bdi className={classes.member}>{member.name}</bdi>
              <Text span size="xs" c="dimmed" truncate>
                <bdi>{member.email}</bdi>
              </Text>
            </>
          )}
        </Completions>
      )}
    </CompletionPlace>
  );
}
