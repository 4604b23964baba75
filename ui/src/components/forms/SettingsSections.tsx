import { Button, Text } from '@mantine/core';
import { type ReactNode, useState, useSyncExternalStore } from 'react';
import * as text from '#strings/components/forms.ts';
import { LinkAnchor } from '../links.tsx';
import classes from './SettingsSections.module.css';
import { createSettingsForms, type SettingsForms, SettingsFormsContext } from './settings-forms.ts';
import { useLeaveQuestion } from './use-leave-question.tsx';

interface Section {
  /** Identifies it in its address. */
  id: string;
  label: string;
  content: ReactNode;
}

/** The fragment of the address of a section. The cards in it have those of their titles. */
const fragmentOf = (id: string): string => `section-${id}`;

/** The sections of a settings page, a menu of them, and the bar that saves their forms. */
export function SettingsSections({ sections }: { sections: readonly Section[] }) {
  const [forms] = useState(createSettingsForms);
  useLeaveQuestion({
    hasUnsaved: forms.hasUnsaved,
    loss: () => text.changesAreLost(forms.summary.get().unsaved),
  });
  return (
    <SettingsFormsContext value={forms}>
      <div className={classes.layout}>
        <nav className={classes.menu} aria-label={text.sections}>
          {sections.map(({ id, label }) => (
            <LinkAnchor key={id} to="." hash={fragmentOf(id)} c="inherit">
              {label}
            </LinkAnchor>
          ))}
        </nav>
        <div className={classes.sections}>
          {sections.map(({ id, content }) => (
            // While a section loads, the page hides the ones below it, which would move (`styles.css`).
            <section key={id} id={fragmentOf(id)} className={classes.section}>
              {content}
            </section>
          ))}
          <SaveBar forms={forms} />
        </div>
      </div>
    </SettingsFormsContext>
  );
}

/** Saves or discards the unsaved values of the page. */
function SaveBar({ forms }: { forms: SettingsForms }) {
  const { summary, save, discard } = forms;
  const { unsaved, forms: count, isSaving } = useSyncExternalStore(summary.subscribe, summary.get);
  if (count === 0) return null;
  const isClean = unsaved.length === 0;
  return (
    <div className={classes.bar} data-bottom-bar>
      <Text size="sm" c={isClean ? 'dimmed' : undefined} role="status">
        {isClean ? text.allSaved : text.unsaved(unsaved)}
      </Text>
      {!isClean && (
        <Button size="sm" variant="default" disabled={isSaving} onClick={discard}>
          {text.discard}
        </Button>
      )}
      <Button
        size="sm"
        // A disabled button would lose the focus when the values are saved.
        aria-disabled={isClean}
        data-disabled={isClean || undefined}
        loading={isSaving}
        onClick={() => void save()}
        // In the dark scheme, a disabled button has the colour of the page.
        bd={isClean ? '1px solid var(--mantine-color-default-border)' : undefined}
      >
        {text.save}
      </Button>
    </div>
  );
}
