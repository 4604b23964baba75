import { Paper } from '@mantine/core';
import { type ReactNode, useEffect, useRef } from 'react';
import classes from './Completions.module.css';

interface Props<T> {
  id: string;
  label: string;
  options: readonly T[];
  keyOf(this: void, option: T): string;
  /** The position of the chosen option; -1 if there is none. */
  chosen: number;
  onInsert(this: void, index: number): void;
  children(this: void, option: T): ReactNode;
}

/** The completions of a field, below the field. The field keeps the focus and has the keys. */
export function Completions<T>({ id, label, options, keyOf, chosen, onInsert, children }: Props<T>) {
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    list.current?.children[chosen]?.scrollIntoView({ block: 'nearest' });
  }, [chosen]);
  return (
    <Paper
      ref={list}
      withBorder
      shadow="md"
      p={4}
      className={classes.options ?? ''}
      id={id}
      role="listbox"
      aria-label={label}
      // Browsers add areas that scroll to the order of Tab.
      tabIndex={-1}
      // A press on the scrollbar would take the focus from the field.
      onMouseDown={(event) => event.preventDefault()}
    >
      {options.map((option, i) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the keys
        <div
          key={keyOf(option)}
          id={optionId(id, i)}
          role="option"
          aria-selected={i === chosen}
          tabIndex={-1}
          className={classes.option}
          onClick={() => onInsert(i)}
        >
          {children(option)}
        </div>
      ))}
    </Paper>
  );
}

const optionId = (id: string, index: number) => `${id}-${index}`;

/** The attributes of a field with completions. */
export const completedBy = (id: string, isOpen: boolean, chosen: number) => ({
  'aria-autocomplete': 'list' as const,
  ...(isOpen && {
    'aria-controls': id,
    ...(chosen >= 0 && { 'aria-activedescendant': optionId(id, chosen) }),
  }),
});

/** The place of a field and its completions. */
export const CompletionPlace = ({ children }: { children: ReactNode }) => (
  <div className={classes.place}>{children}</div>
);
