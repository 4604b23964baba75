import { useRef } from 'react';
import { useShortcuts } from '../../components/keyboard/shortcuts.ts';
import type { FormPreset } from '../../triage/form/triage-form.ts';
import { triageShortcuts } from '../../triage/shortcuts.ts';

interface GroupKeys {
  count: number;
  mayTriage: boolean;
  /** Opens the form for a group. */
  decide(index: number, preset?: FormPreset): void;
  undo(): void;
}

/**
 * The keys of the grouped list. `j` and `k` move the focus between groups; the other keys act on the group that has the focus.
 * When a group is gone, the next move starts from its position.
 * @returns properties of the list, whose children are the groups
 */
export function useGroupKeys({ count, mayTriage, decide, undo }: GroupKeys) {
  const list = useRef<HTMLUListElement>(null);
  const last = useRef(0);
  const focused = () =>
    [...(list.current?.children ?? [])].findIndex((group) => group.contains(document.activeElement));
  const go = (index: number) => {
    const group = list.current?.children[Math.max(0, Math.min(count - 1, index))];
    const toggle = group?.querySelector<HTMLElement>('[aria-expanded]');
    toggle?.focus();
    group?.scrollIntoView({ block: 'nearest' });
  };
  const step = (by: number) => {
    const at = focused();
    go(at < 0 ? last.current : at + by);
  };
  /** Acts on the group that has the focus, or moves to one. */
  const onFocused = (run: (index: number) => void) => () => {
    const at = focused();
    if (at < 0) go(last.current);
    else run(at);
  };

  useShortcuts({
    j: () => step(1),
    k: () => step(-1),
    o: onFocused((index) =>
      list.current?.children[index]?.querySelector<HTMLElement>('[aria-expanded]')?.click(),
    ),
    ...(mayTriage && {
      ...triageShortcuts({ setStatus: (status) => onFocused((index) => decide(index, { status }))(), undo }),
      e: onFocused((index) => decide(index)),
    }),
  });

  return {
    ref: list,
    onFocus: () => {
      last.current = Math.max(0, focused());
    },
  };
}
