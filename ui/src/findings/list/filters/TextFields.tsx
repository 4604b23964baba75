import { CloseButton, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { type RefObject, useState } from 'react';
import { cweOf } from './filters.ts';
import classes from './Toolbar.module.css';

const TYPING_MS = 200;

/**
 * A text filter that applies after a pause. A change from elsewhere, such as a removed chip or the Back button, replaces the
 * text, but not while the user continues to type.
 * @param normalize the value of a text; undefined if it is invalid
 */
function useTyped(
  value: string,
  normalize: (text: string) => string | undefined,
  onChange: (value: string | undefined) => void,
  delay: number,
) {
  const [typed, setTyped] = useState(value);
  const [applied, setApplied] = useState(value);
  /** Values that are not in the address yet. */
  const [sent, setSent] = useState<readonly string[]>([]);
  if (value !== applied) {
    setApplied(value);
    const own = sent.indexOf(value);
    setSent(sent.slice(own < 0 ? sent.length : own + 1));
    if (own < 0) setTyped(value);
  }
  const later = useDebouncedCallback((text: string) => {
    const next = normalize(text);
    if (text !== typed || next === undefined || next === (sent.at(-1) ?? value)) return;
    setSent([...sent, next]);
    onChange(next || undefined);
  }, delay);
  const type = (text: string) => {
    setTyped(text);
    later(text);
  };
  return { typed, type, now: () => later.flush() };
}

interface Props {
  value: string | undefined;
  onChange(value: string | undefined): void;
}

/** Searches title, file and CVE while the user types. */
export function SearchField({
  value = '',
  onChange,
  ref,
}: Props & { ref: RefObject<HTMLInputElement | null> }) {
  const { typed, type, now } = useTyped(value, (text) => text.trim(), onChange, TYPING_MS);
  return (
    <TextInput
      ref={ref}
      type="search"
      className={classes.search ?? ''}
      aria-label="Search in title, file and CVE"
      placeholder="Title, file or CVE"
      maxLength={200}
      dir="auto"
      leftSection={<IconSearch size={16} aria-hidden />}
      rightSection={
        typed !== '' && <CloseButton size="sm" aria-label="Clear search" onClick={() => type('')} />
      }
      value={typed}
      onChange={({ currentTarget }) => type(currentTarget.value)}
      onKeyDown={({ key, currentTarget }) => {
        if (key === 'Enter') now();
        if (key !== 'Escape') return;
        if (typed === '') currentTarget.blur();
        else type('');
      }}
    />
  );
}

const cweOrNothing = (text: string) => (text.trim() === '' ? '' : cweOf(text));

/** Filters by CWE once the input is valid. */
export function CweField({ value = '', onChange }: Props) {
  const { typed, type, now } = useTyped(value, cweOrNothing, onChange, 2 * TYPING_MS);
  return (
    <TextInput
      className={classes.cwe ?? ''}
      aria-label="CWE"
      placeholder="CWE"
      title="A number, such as 89 or CWE-89"
      maxLength={16}
      value={typed}
      error={cweOrNothing(typed) === undefined}
      onChange={({ currentTarget }) => type(currentTarget.value)}
      onKeyDown={({ key }) => key === 'Enter' && now()}
    />
  );
}
