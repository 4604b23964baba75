import { CloseButton, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { type RefObject, useState } from 'react';
import { cweOf } from './filters.ts';
import classes from './Toolbar.module.css';

const TYPING_MS = 200;

interface SearchProps {
  value: string | undefined;
  onChange(value: string | undefined): void;
  ref: RefObject<HTMLInputElement | null>;
}

/** Words in title, file or CVE; they apply while one types. */
export function SearchField({ value = '', onChange, ref }: SearchProps) {
  const [typed, setTyped] = useState(value);
  const [applied, setApplied] = useState(value);
  // It was changed elsewhere: by a chip, or by going back.
  if (value !== applied) {
    setApplied(value);
    if (value !== typed.trim()) setTyped(value);
  }
  const apply = (text: string) => {
    if (text.trim() !== value) onChange(text.trim() || undefined);
  };
  const later = useDebouncedCallback(apply, TYPING_MS);
  const set = (text: string) => {
    setTyped(text);
    later(text);
  };
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
        typed !== '' && <CloseButton size="sm" aria-label="Clear the search" onClick={() => set('')} />
      }
      value={typed}
      onChange={({ currentTarget }) => set(currentTarget.value)}
      onKeyDown={({ key, currentTarget }) => {
        if (key === 'Enter') later.flush();
        if (key !== 'Escape') return;
        if (typed === '') currentTarget.blur();
        else set('');
      }}
    />
  );
}

interface CweProps {
  value: string | undefined;
  onChange(value: string | undefined): void;
}

/** A CWE by its number; it applies when it is one. */
export function CweField({ value = '', onChange }: CweProps) {
  const [typed, setTyped] = useState(value);
  const [applied, setApplied] = useState(value);
  if (value !== applied) {
    setApplied(value);
    if (value !== cweOf(typed)) setTyped(value);
  }
  const wrong = typed.trim() !== '' && cweOf(typed) === undefined;
  const apply = (text: string) => {
    const cwe = cweOf(text);
    if ((cwe ?? '') !== value && (cwe || text.trim() === '')) onChange(cwe);
  };
  const later = useDebouncedCallback(apply, 2 * TYPING_MS);
  return (
    <TextInput
      className={classes.cwe ?? ''}
      aria-label="CWE"
      placeholder="CWE"
      title="A number, such as 89 or CWE-89"
      maxLength={16}
      value={typed}
      error={wrong}
      onChange={({ currentTarget: { value } }) => {
        setTyped(value);
        later(value);
      }}
      onKeyDown={({ key }) => key === 'Enter' && later.flush()}
    />
  );
}
