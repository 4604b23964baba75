import { Text, Textarea, type TextareaProps, VisuallyHidden } from '@mantine/core';
import { useMergedRef } from '@mantine/hooks';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type KeyboardEvent, type Ref, useId, useLayoutEffect, useMemo, useRef, useState } from 'react';
import * as words from '#strings/findings/page/timeline.tsx';
import { toStored, typedMention } from '../../../../../lib/findings/triage/mentions.ts';
import type { Schemas } from '../../../app/api.ts';
import { useOrg } from '../../../app/session.ts';
import { CompletionPlace, Completions, completedBy } from '../../../components/forms/Completions.tsx';
import { reachingQuery } from '../../../members/queries.ts';
import { findingKey } from '../../finding-queries.ts';
import classes from './Timeline.module.css';

interface Props
  extends Pick<TextareaProps, 'aria-label' | 'placeholder' | 'rows' | 'autoFocus' | 'aria-keyshortcuts'> {
  /** The project of the finding: a comment mentions only members who reach it. */
  projectId: string;
  value: string;
  onChange(text: string): void;
  onSend(): void;
  onEscape(): void;
  ref?: Ref<HTMLTextAreaElement>;
}

const SOME = 6;

/** The text of a comment. After `@` it suggests members: arrow keys choose, Enter or Tab inserts, Escape closes. */
export function CommentField({ projectId, value, onChange, onSend, onEscape, ref, ...others }: Props) {
  const id = useId();
  const field = useRef<HTMLTextAreaElement>(null);
  const [start, setStart] = useState<MentionStart>();
  const [chosen, setChosen] = useState(0);
  /** The position of the cursor after a completion. */
  const caret = useRef<number>(undefined);
  const members = useMentionable(projectId, value.includes('@'));
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

/** The limit of the API. */
const MAX_COMMENT = 10_000;

/** Reads the activity of a finding again. */
export function useRefreshActivity(findingId: string): () => Promise<void> {
  const org = useOrg();
  const queries = useQueryClient();
  return () => queries.invalidateQueries({ queryKey: [...findingKey(org, findingId), 'activity'] });
}

/** An `@` before the cursor, and what was typed after it. */
interface MentionStart {
  /** The position of the `@`. */
  at: number;
  text: string;
}

const START = /(?:^|[\s(,;:])@([\p{L}\p{N}._'’-]*(?: [\p{L}\p{N}._'’-]+){0,3})$/u;
/** Longer names are not completed. */
const MAX_TYPED = 60;

/** The mention that ends at the cursor; undefined if there is none. */
function mentionBefore(text: string, cursor: number): MentionStart | undefined {
  const typed = START.exec(text.slice(Math.max(0, cursor - MAX_TYPED), cursor))?.[1];
  return typed === undefined ? undefined : { at: cursor - typed.length - 1, text: typed };
}

/** A text after a mention was completed, with the new position of the cursor. */
function completeMention(text: string, { at, text: typed }: MentionStart, mention: string) {
  const rest = text.slice(at + 1 + typed.length).replace(/^ /, '');
  const before = `${text.slice(0, at)}${mention} `;
  return { text: before + rest, caret: before.length };
}

const toMentionable = (members: readonly Schemas['Member'][]) =>
  members.filter(({ pending }) => !pending).map(({ user_id: id, name, email }) => ({ id, name, email }));

/** The members that a comment in a project can mention. They are loaded when they are needed. */
export function useMentionable(projectId: string, isNeeded: boolean) {
  const { data: members } = useQuery({ ...reachingQuery(useOrg(), projectId), enabled: isNeeded });
  return useMemo(() => toMentionable(members ?? []), [members]);
}

/** A function that turns a typed comment into the stored one. It loads the members if the text may mention one. */
export function useToStored(projectId: string): (typed: string) => Promise<string> {
  const org = useOrg();
  const queries = useQueryClient();
  return async (typed) =>
    typed.includes('@')
      ? toStored(typed, toMentionable(await queries.query(reachingQuery(org, projectId))))
      : typed;
}
