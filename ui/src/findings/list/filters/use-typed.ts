import { useDebouncedCallback } from '@mantine/hooks';
import { useState } from 'react';

/**
 * A text filter that applies after a pause. A change from elsewhere, such as a removed chip or the Back button, replaces the
 * text, but not while the user continues to type.
 * @param normalize the value of a text; undefined if it is invalid
 */
export function useTyped(
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
