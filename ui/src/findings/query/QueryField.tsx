import { CloseButton, Text, TextInput } from '@mantine/core';
import { useFocusWithin, useMergedRef } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, type RefObject, useId, useLayoutEffect, useMemo, useRef, useState } from 'react';
import * as text from '#strings/findings/query.ts';
import { useOrg } from '../../app/session.ts';
import { CompletionPlace, Completions, completedBy } from '../../components/forms/Completions.tsx';
import { IconSearch } from '../../icons/icons.ts';
import { membersQuery } from '../../members/queries.ts';
import { projectsQuery } from '../../projects/queries.ts';
import type { ListState } from '../list-state.ts';
import classes from './QueryField.module.css';
import { parseQuery } from './query.ts';
import { suggest } from './suggest.ts';
import { useQueryText } from './use-query-text.ts';

/** The most characters of a query. */
export const MAX_QUERY = 1_000;

interface Props {
  list: ListState;
  /** Called with the list after the query was edited. */
  onChange(list: ListState): void;
  ref: RefObject<HTMLInputElement | null>;
}

/** The query of the list: words, and filters such as `severity:high`. */
export function QueryField({ list, onChange, ref }: Props) {
  const org = useOrg();
  const focus = useFocusWithin<HTMLInputElement>();
  const id = useId();
  const [suggests, setSuggests] = useState(false);
  const [selected, setSelected] = useState(-1);
  const [cursor, setCursor] = useState(0);
  /** The position of the cursor after a completion. */
  const caret = useRef<number>(undefined);
  const projects = useQuery(projectsQuery(org)).data;
  const members = useQuery({
    ...membersQuery(org),
    enabled: focus.focused || PEOPLE.some((name) => list.filter[name] !== undefined),
  }).data;
  const context = useMemo(
    () => ({
      projects: projects ?? [],
      members: (members ?? []).map(({ user_id: id, name, email }) => ({ id, name, email })),
      now: new Date(),
    }),
    [projects, members],
  );
  const { typed, type, isEntered, enter, leave } = useQueryText(list, context, onChange);
  const [problem] = parseQuery(typed, context).problems;
  const { start, suggestions } = suggest(typed, cursor, context);
  const isOpen = suggests && suggestions.length > 0;
  const chosen = isOpen && selected < suggestions.length ? selected : -1;

  function show(isShown: boolean): void {
    setSuggests(isShown);
    setSelected(-1);
  }

  function write(text: string, at: number): void {
    setCursor(at);
    type(text);
    show(true);
  }

  function complete(index: number): void {
    const text = suggestions[index]?.text ?? '';
    // A key waits for its value.
    const inserted = text.endsWith(':') ? text : `${text} `;
    const rest = typed.slice(cursor).replace(/^ /, inserted.endsWith(' ') ? '' : ' ');
    const at = start + inserted.length;
    write(typed.slice(0, start) + inserted + rest, at);
    caret.current = at;
    ref.current?.focus();
  }

  // Before the next key, which would go to the end otherwise.
  useLayoutEffect(() => {
    if (caret.current !== undefined) ref.current?.setSelectionRange(caret.current, caret.current);
    caret.current = undefined;
  });

  function move(by: 1 | -1): void {
    const { length } = suggestions;
    if (!suggests) show(true);
    else if (length > 0) setSelected(chosen < 0 && by < 0 ? length - 1 : (chosen + by + length) % length);
  }

  function onKeyDown(event: KeyboardEvent<HTMLInputElement>): void {
    if (event.nativeEvent.isComposing) return;
    const { key } = event;
    if (key === 'Enter' && chosen < 0) {
      show(false);
      enter();
      return;
    }
    const action = keys[key];
    if (!action || (key === 'Tab' && chosen < 0)) return;
    // Browsers clear the field on Escape themselves.
    event.preventDefault();
    action();
  }
  const keys: Readonly<Record<string, () => void>> = {
    ArrowDown: () => move(1),
    ArrowUp: () => move(-1),
    Enter: () => complete(chosen),
    Tab: () => complete(chosen),
    Escape: () => {
      if (suggests) show(false);
      else if (typed === '') ref.current?.blur();
      else type('');
    },
  };

  return (
    <TextInput
      ref={useMergedRef(ref, focus.ref)}
      type="search"
      className={classes.field ?? ''}
      aria-label={text.searchOrFilter}
      placeholder={text.example}
      maxLength={MAX_QUERY}
      dir="auto"
      leftSection={<IconSearch size={16} aria-hidden />}
      rightSection={
        typed !== '' && <CloseButton size="sm" aria-label={text.clear} onClick={() => type('')} />
      }
      value={typed}
      error={
        problem !== undefined &&
        (isEntered || !focus.focused || typed.length > problem.end) &&
        problem.message
      }
      onChange={({ currentTarget }) =>
        write(currentTarget.value, currentTarget.selectionStart ?? currentTarget.value.length)
      }
      onSelect={({ currentTarget }) => setCursor(currentTarget.selectionStart ?? 0)}
      onFocus={() => {
        show(true);
        // The next term can be typed at the end.
        if (/\S$/.test(typed)) type(`${typed} `);
      }}
      onBlur={() => {
        show(false);
        leave();
      }}
      onKeyDown={onKeyDown}
      role="combobox"
      autoComplete="off"
      aria-haspopup="listbox"
      aria-expanded={isOpen}
      {...completedBy(id, isOpen, chosen)}
      inputContainer={(input) => (
        <CompletionPlace>
          {input}
          {isOpen && (
            <Completions
              id={id}
              label={text.suggestions}
              options={suggestions}
              keyOf={(one) => one.text}
              chosen={chosen}
              onInsert={complete}
            >
              {({ text, label }) => (
                <>
                  <bdi className={classes.text}>{text}</bdi>
                  {label !== text && (
                    <Text span size="xs" c="dimmed" truncate>
                      {label}
                    </Text>
                  )}
                </>
              )}
            </Completions>
          )}
        </CompletionPlace>
      )}
    />
  );
}

/** Filters with members. */
const PEOPLE = ['assignee', 'mentions', 'changed_by'] as const;
