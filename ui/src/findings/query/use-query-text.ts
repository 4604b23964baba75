import { useDebouncedCallback } from '@mantine/hooks';
import { useEffect, useRef, useState } from 'react';
import { isSameList, type ListState, queryOf, withQuery } from '../list-state.ts';
import type { QueryContext } from './key.ts';
import { isUnfinished } from './query.ts';

const TYPING_MS = 300;

/** A list that the user has typed, which the address may not have yet. */
interface Sent {
  list: ListState;
  typed: string;
}

/**
 * The text of a query. It applies at once with Enter, otherwise after a pause: when its last term is complete, or when the focus has
 * left the field. Text with an invalid term does not apply. A change of the list from elsewhere, such as a removed chip or the Back
 * button, replaces the text, and so does a change by which the text no longer says what the list shows.
 */
export function useQueryText(list: ListState, context: QueryContext, onChange: (list: ListState) => void) {
  const said = queryOf(list, context);
  const [typed, setTyped] = useState(said);
  const [isEntered, setEntered] = useState(false);
  const [shown, setShown] = useState({ list, said });
  const [sent, setSent] = useState<readonly Sent[]>([]);
  if (said !== shown.said || !isSameList(list, shown.list)) {
    setShown({ list, said });
    if (isSameList(list, shown.list)) {
      // The names of projects or members have arrived.
      if (typed.trim() === shown.said) setTyped(said);
    } else {
      const own = sent.findIndex((one) => isSameList(one.list, list));
      setSent(sent.slice(own < 0 ? sent.length : own + 1));
      const isTypedOn = own >= 0 && sent[own]?.typed !== typed;
      const { state, problems } = withQuery(list, typed, context);
      if (!isTypedOn && (problems.length > 0 || !isSameList(state, list))) setTyped(said);
    }
  }

  const apply = (text: string): void => {
    const current = sent.at(-1)?.list ?? list;
    const { state, problems } = withQuery(current, text, context);
    if (problems.length > 0 || isSameList(state, current)) return;
    setSent([...sent, { list: state, typed: text }]);
    onChange(state);
  };
  const later = useDebouncedCallback((text: string, isComplete = false) => {
    if (text === typed && (isComplete || !isUnfinished(text))) apply(text);
  }, TYPING_MS);
  // Text can become valid when names arrive.
  const again = useRef(() => {});
  useEffect(() => {
    again.current = () => later(typed);
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: only new names apply the text again
  useEffect(() => again.current(), [context]);

  return {
    typed,
    type(text: string) {
      setTyped(text);
      setEntered(false);
      later(text);
    },
    /** Whether the text was entered, so that its problems are shown. */
    isEntered,
    /** Applies the text soon, unless the click that took the focus changes the list. */
    leave: () => later(typed, true),
    /** Applies the text at once. */
    enter() {
      later.cancel();
      setEntered(true);
      apply(typed);
    },
  };
}
