import { TextInput } from '@mantine/core';
import * as text from '#strings/findings/list/filters.tsx';
import { cweOf } from './filters.ts';
import classes from './Toolbar.module.css';
import { useTyped } from './use-typed.ts';

const TYPING_MS = 400;

interface Props {
  value: string | undefined;
  onChange(value: string | undefined): void;
}

const cweOrNothing = (text: string) => (text.trim() === '' ? '' : cweOf(text));

/** Filters by CWE once the input is valid. */
export function CweField({ value = '', onChange }: Props) {
  const { typed, type, now } = useTyped(value, cweOrNothing, onChange, TYPING_MS);
  return (
    <TextInput
      className={classes.cwe ?? ''}
      aria-label={text.cwe}
      placeholder={text.cwe}
      title={text.cweExample}
      maxLength={16}
      value={typed}
      error={cweOrNothing(typed) === undefined}
      onChange={({ currentTarget }) => type(currentTarget.value)}
      onKeyDown={({ key }) => key === 'Enter' && now()}
    />
  );
}
