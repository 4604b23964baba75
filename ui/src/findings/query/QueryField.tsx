import { CloseButton, Combobox, Text, TextInput, useCombobox } from '@mantine/core';
import { useFocusWithin, useMergedRef } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, type RefObject, useLayoutEffect, useMemo, useRef, useState } from 'react';
import * as text from '#strings/findings/query.ts';
import { useOrg } from '../../app/session.ts';
import { membersQuery } from '../../members/queries.ts';
import { projectsQuery } from '../../projects/queries.ts';
import { useTyped } from '../list/filters/use-typed.ts';
import type { FindingFilter } from '../list-queries.ts';
import classes from './QueryField.module.css';
import { parseQuery } from './query.ts';
import { queryOf, withQuery } from './search.ts';
import { suggest } from './suggest.ts';

const TYPING_MS = 300;
/** The most characters of a query. */
export const MAX_QUERY = 1_000;

interface Props {
  filter: FindingFilter;
  onChange(filter: FindingFilter): void;
  ref: RefObject<HTMLInputElement | null>;
}

/** The query of the list: words, and filters such as `severity:high`. It applies after a pause, and with Enter at once. */
export function QueryField({ filter, onChange, ref }: Props) {
  const org = useOrg();
  const focus = useFocusWithin<HTMLInputElement>();
  const combobox = useCombobox({ onDropdownClose: () => combobox.resetSelectedOption() });
  const [cursor, setCursor] = useState(0);
  /** The position of the cursor after a completion. */
  const caret = useRef<number>(undefined);
  const projects = useQuery(projectsQuery(org)).data;
  const members = useQuery({
    ...membersQuery(org),
    enabled: focus.focused || filter.assignee !== undefined || filter.mentions !== undefined,
  }).data;
  const context = useMemo(
    () => ({
      projects: projects ?? [],
      members: (members ?? []).map(({ user_id: id, name, email }) => ({ id, name, email })),
      now: new Date(),
    }),
    [projects, members],
  );
  const normalize = (text: string) =>
    parseQuery(text, context).problems.length > 0
      ? undefined
      : queryOf(withQuery(filter, text, context), context);
  const apply = (query = '') => onChange(withQuery(filter, query, context));
  const { typed, type, now } = useTyped(queryOf(filter, context), normalize, apply, TYPING_MS);
  const [problem] = parseQuery(typed, context).problems;
  const { start, suggestions } = suggest(typed, cursor, context);

  function write(text: string, at: number): void {
    setCursor(at);
    type(text);
    combobox.resetSelectedOption();
    combobox.openDropdown();
  }

  function complete(text: string): void {
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
    // Mantine keeps the id of a chosen option that is no longer offered.
    const active = ref.current?.getAttribute('aria-activedescendant');
    if (active && !document.getElementById(active)) ref.current?.removeAttribute('aria-activedescendant');
  });

  function onKeyDown(event: KeyboardEvent<HTMLInputElement>): void {
    const isChosen = combobox.dropdownOpened && combobox.getSelectedOptionIndex() >= 0;
    if (event.key === 'Enter' && !isChosen) {
      combobox.closeDropdown();
      now();
    } else if (event.key === 'Tab' && isChosen) {
      event.preventDefault();
      combobox.clickSelectedOption();
    } else if (event.key === 'Escape') {
      // Browsers clear the field themselves.
      event.preventDefault();
      if (combobox.dropdownOpened) combobox.closeDropdown();
      else if (typed === '') event.currentTarget.blur();
      else type('');
    }
  }

  return (
    <Combobox
      store={combobox}
      onOptionSubmit={complete}
      withinPortal={false}
      position="bottom-start"
      width="target"
    >
      <Combobox.Target withAriaAttributes withExpandedAttribute>
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
          error={problem !== undefined && (!focus.focused || typed.length > problem.end) && problem.message}
          onChange={({ currentTarget }) =>
            write(currentTarget.value, currentTarget.selectionStart ?? currentTarget.value.length)
          }
          onSelect={({ currentTarget }) => setCursor(currentTarget.selectionStart ?? 0)}
          onFocus={() => {
            combobox.openDropdown();
            // The next term can be typed at the end.
            if (/\S$/.test(typed)) type(`${typed} `);
          }}
          onBlur={() => combobox.closeDropdown()}
          onKeyDown={onKeyDown}
        />
      </Combobox.Target>
      <Combobox.Dropdown hidden={suggestions.length === 0}>
        <Combobox.Options className={classes.options ?? ''}>
          {(combobox.dropdownOpened ? suggestions : []).map(({ text, label }) => (
            <Combobox.Option key={text} value={text} className={classes.option ?? ''}>
              <bdi className={classes.text}>{text}</bdi>
              {label !== text && (
                <Text span size="xs" c="dimmed" truncate>
                  {label}
                </Text>
              )}
            </Combobox.Option>
          ))}
        </Combobox.Options>
      </Combobox.Dropdown>
    </Combobox>
  );
}
